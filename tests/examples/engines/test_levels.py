"""Values of several derivatives in one operation, by the engines of the guide and the tape."""

import itertools
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import fft

import chainrules_tape
from chainrules_py import (
    RuleTable,
    default_rules,
    rules_of,
    scalar_rule,
)
from chainrules_py.testing import CheckFailure, Settings, UnsuitableCallError, check_engine
from slopes import quotients


def by_pullback(engine):
    return lambda f, x: engine.vjp(f, x)[1](1.0)[0]


def by_tangents(engine):
    return lambda f, x: engine.jvp(f, (x,), (1.0,))[1]


BY_ENGINE = {
    "tape, in reverse": lambda load: by_pullback(chainrules_tape),
    "tape, forward": lambda load: by_tangents(chainrules_tape),
    "reverse": lambda load: by_pullback(load("engines/reverse")),
    "forward": lambda load: by_tangents(load("engines/forward")),
    "program": lambda load: by_pullback(load("engines/program")),
}
MIXED: dict[str, Callable[[Any, Any], Any]] = {
    "right": lambda x, y: y * x * y,
    "ufunc, right": lambda x, y: np.multiply(y * y, x),
    "power": lambda x, y: x**y + y**x,
    "where": lambda x, y: np.where(True, x, y) * y * y,
    "list, outer first": lambda x, y: np.sum(np.stack([x, x * y, y]) * y),
    "entry": lambda x, y: np.stack([x, x * y])[1] * y,
}


@pytest.mark.parametrize(
    "names", [*itertools.product(BY_ENGINE, repeat=2)], ids=lambda names: " in ".join(names[::-1])
)
def test_derivatives_of_any_engines_nest(names, load):
    """The inner derivative's value and the outer one's meet in one operation, in either order."""
    outer, inner = (BY_ENGINE[name](load) for name in names)
    point = 1.2

    for program in MIXED.values():
        nested = partial(mixed_slope, inner, program)
        found = [outer(nested, point) for _ in range(2)]  # again by what is remembered
        by_differences = partial(mixed_slope, lambda f, x: quotients(f, x, 1e-4), program)
        assert found == pytest.approx([quotients(by_differences, point, 1e-4)] * 2, rel=1e-4)


@pytest.mark.parametrize("name", BY_ENGINE)
def test_derivatives_by_tangents_alone(name, load):
    """The values are plain, so that the library of the tangents computes SciPy's function."""
    forward, x = load("engines/forward"), np.array([0.5, 1.5, -1.0])

    def first_entry(d):
        transform = lambda x: forward.call(fft.dct, (x,), {})  # noqa: E731
        return forward.jvp(transform, (x,), (np.ones(3) * d,))[1][0]

    assert BY_ENGINE[name](load)(first_entry, 1.2) == pytest.approx(fft.dct(np.ones(3))[0])


@pytest.mark.parametrize(
    "primal",
    [np.sin, np.multiply, np.sum, np.cumsum, np.matmul, np.concatenate, np.linalg.solve, fft.dct],
)
def test_many_examples_by_the_rules_for_batching(primal, load):
    lanes, reverse = load("engines/lanes"), load("engines/reverse")
    engine = SimpleNamespace(vjp=reverse.vjp, vmap=lanes.vmap, call=lanes.call)
    first_order = Settings(second_order="off")
    assert check_engine(engine, [primal], dtypes=["float64"], settings=first_order, lanes=True)


def test_a_wrong_vmap_fails(load):
    lanes, reverse = load("engines/lanes"), load("engines/reverse")

    def twice(f, in_axes):
        return lambda *args: 2.0 * lanes.vmap(f, in_axes)(*args)

    engine = SimpleNamespace(vjp=reverse.vjp, vmap=twice, call=lanes.call)
    with pytest.raises(ExceptionGroup) as caught:
        check_engine(engine, [np.sin], dtypes=["float64"], lanes=True)
    assert {type(each) for each in caught.value.exceptions} == {CheckFailure}
    with pytest.raises(UnsuitableCallError, match="has no vmap"):
        check_engine(reverse, [np.sin], lanes=True)


@pytest.mark.parametrize("name", BY_ENGINE)
def test_the_rules_of_a_table_in_force(name, load):
    straight_through = RuleTable(parent=default_rules, name="straight-through")
    scalar_rule(np.sign, "x", "7.0", table=straight_through)
    slope_of = BY_ENGINE[name](load)
    with rules_of(straight_through):
        assert slope_of(np.sign, 1.2) == 7.0


def mixed_slope(inner, program, x):
    return inner(partial(program, x), 1.3 * x)
