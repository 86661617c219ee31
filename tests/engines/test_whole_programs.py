"""Programs of NumPy's without any rule, in each engine: containers, complex numbers, writes into
arguments, refusals. Derivatives of other programs are cells of `product`.
"""

import math
from contextvars import ContextVar

import numpy as np
import pytest

from chainrules_py import NoRuleError
from chainrules_tape import LostGradientError, as_primitive
from chainrules_tape.refusals import unseen
from engines_by_name import ADAPTERS, ENGINES, close, each_adapter, ways_of
from whole_programs import (
    ROWS,
    InWordsOf,
    V,
    X,
    converted,
    parts,
    program,
    rotated,
    smooth,
    without_rule,
)

pytestmark = pytest.mark.usefixtures("double_precision")
BATCHES = [ENGINES[n] for n in ("jax", "torch") if n in ENGINES]


def branching(f, xp):
    """Of a program that writes and branches."""
    return lambda x: xp.sum(xp.sin(f(x)))


def of_containers(f, xp):
    """Of containers, an option, and of an argument that has no influence."""
    loss = InWordsOf(xp).loss(f)
    return lambda p: loss(p[:4], {"w": (p[4:7], p[3:]), "b": p[7]}, p[8])


def of_complex_numbers(f, xp):
    return lambda p: f(p[:3] + 1j * p[3:6])


# what a program is a part of, the program, its name in the words of an engine, and the place
WITHIN = {
    "branching": (branching, program, "program", X),
    "containers": (of_containers, parts, "parts", np.concatenate([X, V + 1.5, [2.0]])),
    "complex numbers": (of_complex_numbers, rotated, "rotated", np.concatenate([X, V])),
}


@pytest.mark.one_in(3)
@ways_of(ADAPTERS, ("reverse reverse", "forward reverse"))
@pytest.mark.parametrize("name", WITHIN)
def test_derivatives_are_those_of_the_engines_own_words(engine, way, name):
    within, function, twin, place = WITHIN[name]
    found, expected = (
        engine.tower(way, within(f, engine.xp))(engine.array(place))
        for f in (engine.to(function), getattr(InWordsOf(engine.xp), twin))
    )
    close(found, np.asarray(expected), 1e-12)


def as_it_stands(x):
    y = np.zeros(2)
    y[0], y[1] = math.sin(x[0]), float(x[1]) ** 2
    return np.array([x[0], y.sum()]).prod()


@pytest.mark.filterwarnings("ignore::chainrules_tape.SeenThroughWarning")
@pytest.mark.parametrize("engine", [ENGINES[name] for name in ADAPTERS])
def test_a_program_that_nobody_has_marked(engine, monkeypatch):
    monkeypatch.setattr(unseen, "_only_marked", ContextVar("only_marked", default=False))
    a, b = 0.3, 0.7
    slope = engine.modes["reverse"](engine.to(as_it_stands))(engine.array(np.array([a, b])))
    close(slope, np.array([math.sin(a) + b * b + a * math.cos(a), 2.0 * a * b]), 1e-12)


@pytest.mark.parametrize("is_derived", [False, True])
@pytest.mark.parametrize("engine", BATCHES)
def test_all_examples_are_one_call(engine, is_derived):
    calls = []

    def counted(x):
        calls.append(x.shape)
        return np.sum(smooth(x))

    f = engine.to(counted)
    batched = engine.vmap(engine.modes["reverse"](f) if is_derived else f)
    rows = np.stack([ROWS, 2 * ROWS])
    for run, x in ((engine.jit(batched), ROWS), (engine.jit(engine.vmap(batched)), rows)):
        x = x.astype("float32")
        np.asarray(run(engine.array(x)))
        calls.clear()
        np.asarray(run(engine.array(2 * x)))
        assert 1 <= len(calls) <= 2  # the value, and its derivative
        assert {*calls} == {(4,)}  # which is the shape of one example


@ways_of(ADAPTERS, ("forward reverse",))
def test_compiled(engine, way):
    f = engine.to(as_primitive(smooth, compiled=True))
    for _ in range(3):  # which are recorded first, and then compiled
        found, expected = (
            engine.tower(way, branching(g, engine.xp))(engine.array(X))
            for g in (f, engine.to(smooth))
        )
        close(found, np.asarray(expected), 1e-12)
    assert "run as straight code" in f.explain(engine.array(X))


@each_adapter
def test_it_says_that_there_is_no_rule(engine):
    assert "no rule: the whole program, by the tape" in engine.to(program).explain(X)
    seen = engine.to(as_primitive(program, seen_through=["math"])).explain(X)
    assert "seen through: math" in seen


@ways_of(ADAPTERS, ("reverse reverse", "forward reverse"))
@pytest.mark.parametrize("is_global", [False, True])
@pytest.mark.parametrize("is_compiled", [False, True])
def test_value_and_derivative_are_of_the_same_draws(engine, way, is_global, is_compiled):
    """Refused where an engine computes the derivative by another run."""
    rng, draws = np.random.default_rng(0), []

    def drawing(x):
        draws.append(np.random.normal(size=x.shape) if is_global else rng.normal(size=x.shape))
        return np.sum(np.sin(x * draws[-1]))

    f, x = engine.to(as_primitive(drawing, compiled=is_compiled)), engine.array(X)
    f(x)
    draws.clear()
    found, told = None, ""
    try:
        found = engine.tower(way, f)(x)
    except Exception as error:
        told = str(error)
    if found is None:
        assert "it draws random numbers" in told
    elif len(draws) > 1:  # autograd's forward mode has a run for each direction, of both
        assert (engine.name, way) == ("autograd", "forward")
    else:
        close(found, draws[0] * np.cos(X * draws[0]), 1e-12)


@ways_of(ADAPTERS, ("forward reverse",))
@pytest.mark.parametrize("refused", [without_rule, converted])
def test_what_the_tape_refuses_is_raised_by_the_call(engine, way, refused):
    f, x = engine.to(refused), engine.array(X)
    f(x)  # which has a value all the same
    with pytest.raises((LostGradientError, NoRuleError)):
        engine.tower(way, f)(x)


# Programs that write into their argument, with gradients by hand


def written_after(x):
    y = np.sum(x**3)
    x[0] = 7.0
    return y


def written_before(x):
    x[0] = 2 * x[1]
    return np.sum(x**3)


def written_between(x):
    y = 2 * x
    x += 1.0
    return np.sum(y * x)


WRITING = {
    written_after: 3 * X**2,
    written_before: np.array([0.0, 3 * X[1] ** 2 + 24 * X[1] ** 2, *(3 * X[2:] ** 2)]),
    written_between: 4 * X + 2,
}
of_writing = pytest.mark.parametrize("program", WRITING)
ROUNDS = 3  # of which the first two are recorded


@pytest.mark.one_in(2)
@of_writing
@pytest.mark.parametrize("compiled", [False, True])
@ways_of(ADAPTERS)
def test_they_write_into_a_copy_of_an_engines_array(engine, way, program, compiled):
    slope = engine.tower(way, engine.to(as_primitive(program, compiled=compiled)))
    for _ in range(ROUNDS):
        x = engine.array(X.copy())
        close(slope(x), WRITING[program], 1e-12)
        close(x, X)
