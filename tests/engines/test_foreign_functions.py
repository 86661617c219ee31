"""Functions of other engines in programs of ours: the rules of the kit, trees, complex numbers, and memory
of one's own; derivatives of programs with them are cells of `product.calling`. None is no part of a tree
of arrays there.
"""

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    NoRuleError,
    RuleTable,
    debug_mode,
    default_rules,
    frule,
    is_zero,
    rrule,
)
from chainrules_py.testing import Settings, check_rule
from chainrules_tape import grad, hessian, jvp, vmap
from engines_by_name import close, each_adapter

X = np.array([0.5, 1.0, 2.0])
REQUIRED = Settings(second_order="required")


def energy(xp):
    return lambda p, x: xp.sum(p["k"] * xp.sin(x) ** 2) * p["n"] * p["c"][0]


P = {"k": np.array([0.3, -0.7, 1.1]), "n": 4, "c": [0.5]}
FUNCTIONS = {
    "of two arrays": (lambda xp: lambda x, y: xp.sin(x) * xp.sum(y), (X, np.ones((2, 2)))),
    "of a tree": (energy, (P, X)),
    "of an integer": (lambda xp: lambda x, n: xp.sin(x) * xp.prod(x) ** n, (X, 2)),
    "complex": (lambda xp: lambda z: xp.abs(z) ** 2 * z * 1j, (X + 0.3j,)),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", FUNCTIONS)
@each_adapter
def test_rules(engine, name):
    written, args = FUNCTIONS[name]
    check_rule(engine.of(written(engine.xp)), *args, settings=REQUIRED)


@each_adapter
def test_trees_go_in_and_out(engine):
    f = engine.of(lambda p, n: {"y": engine.xp.sin(p["x"]) * n * p["c"], "n": n, "name": "sine"})
    p = {"x": X, "c": 2.0}
    y, pullback = rrule(f, p, 3)
    assert (y["name"], y["n"]) == ("sine", 3)
    bars, n_bar = pullback({"y": np.ones(3), "n": NO_TANGENT, "name": NO_TANGENT})
    close(bars["x"], 6 * np.cos(X))
    close(bars["c"], 3 * np.sum(np.sin(X)))
    assert n_bar is NO_TANGENT


@each_adapter
def test_precision_is_that_of_the_arguments(engine):
    f, single = engine.of(engine.xp.sin), X.astype("float32")
    y, pullback = rrule(f, single)
    assert (y.dtype, pullback(single)[0].dtype, f(X).dtype) == ("float32", "float32", "float64")
    assert frule((single,), f, single)[1].dtype == "float32"
    close(f(0.3), np.sin(0.3), 1e-15)
    close(grad(f)(0.3), np.cos(0.3), 1e-15)


@each_adapter
def test_memory_is_the_callers_own(engine):
    """What the function returns may be its argument, an array that it holds, or a view of one."""
    held = engine.array(np.ones(3))
    for function in (lambda x: held, lambda x: held[1:], lambda x: x, lambda x: x[:1]):
        f, x, seed = engine.of(function), np.ones(3), np.ones(3)
        for y in (f(x), rrule(f, x)[0], frule((seed,), f, x)[0], frule((seed,), f, x)[1]):
            if y.flags.writeable:
                y[...] = 99.0
        y_bar = seed[: y.size]
        (x_bar,) = rrule(f, x)[1](y_bar)
        assert is_zero(x_bar) or not np.shares_memory(x_bar, seed)
        close(held, np.ones(3))
        close([x, seed], np.ones((2, 3)))


FIXED = X.copy()
FIXED.flags.writeable = False


@pytest.mark.parametrize("x", [X[::-1], np.arange(6.0)[::2], X[:0], X[0], FIXED])
@each_adapter
def test_any_layout(engine, x):
    y, pullback = rrule(engine.of(engine.xp.sin), x)
    close(y, np.sin(x), 1e-14)
    close(pullback(np.ones_like(y))[0], np.cos(x), 1e-14)


@each_adapter
def test_rules_go_into_the_table_that_is_named(engine):
    table = RuleTable(parent=default_rules, name="own")
    f = engine.of(engine.xp.sin, rules=table)
    close(grad(lambda x: np.sum(f(x)), rules=table)(X), np.cos(X))
    with pytest.raises(NoRuleError):
        rrule(f, X)


# What is made of x, as a function of another engine's arrays, of arguments of which x is one.
WITH_NONE = {
    "in a dict": (lambda p: p["x"] ** 2, lambda f, x: f({"mask": None, "x": x})),
    "in a tuple": (lambda p: p[1] ** 2, lambda f, x: f((None, x))),
}


@pytest.mark.parametrize("call", WITH_NONE)
@each_adapter
def test_none_has_no_tangent(engine, call):
    function, called = WITH_NONE[call]
    foreign = engine.of(function)

    def total(x):
        return np.sum(called(foreign, x))

    close(grad(total)(X), 2 * X, 1e-6)
    with debug_mode():
        close(grad(total)(X), 2 * X, 1e-6)
        close(jvp(total, (X,), (X,))[1], 2 * X @ X, 1e-6)
    close(jvp(total, (X,), (X,))[1], 2 * X @ X, 1e-6)
    close(hessian(total)(X), 2 * np.eye(3), 1e-6)
    rows = np.stack([X, 2 * X])
    close(vmap(grad(total))(rows), 2 * rows, 1e-6)
