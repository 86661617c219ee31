"""Compiled functions follow what they read by name, and what the rules read that they go by."""

import functools
import random
import re
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats

from chainrules_programs.compiling.compile import CompiledProgramError
from chainrules_py import (
    NO_TANGENT,
    Array,
    RuleTable,
    composed,
    debug_mode,
    default_rules,
    implicit_function,
    linear_rule,
    rrule,
    rules_of,
    scalar_rule,
)
from chainrules_tape import NotCompiledWarning, compiled, grad, primitive, vmap

X = np.array([0.3, 0.9])
ROWS = np.stack([X, 2 * X])
RATE = 1.5


class Held:
    """An object of a user's."""

    k = 1.5


class Named:
    """One whose attribute is read of a global."""

    @property
    def k(self):
        return RATE


class Beside(Named):
    """One with a dict, and a slot beside it."""

    __slots__ = ("own",)


HELD, SPACE, BESIDE = Held(), types.SimpleNamespace(k=1.5), Beside()
READS: dict[str, Callable[[], Any]] = {
    "a number": lambda: RATE,
    "an object": lambda: HELD.k,
    "a namespace": lambda: SPACE.k,
    "a property": lambda: BESIDE.k,
    "slots beside a dict": lambda: BESIDE.own,
}


def set_all(value: float):
    global RATE
    RATE = HELD.k = SPACE.k = BESIDE.own = value


def by_partial(read: Callable[[], Any]):
    @primitive
    def p(x):
        return np.sin(x)

    scalar_rule(p, "x", lambda x: read() * np.cos(x))
    return p


def by_body(read: Callable[[], Any]):
    @primitive
    def p(x):
        return np.sin(x)

    @composed(p)
    def body(x):
        return read() * np.sin(x)

    return p


def by_adjoint(read: Callable[[], Any]):
    @primitive
    def p(x):
        return 2.0 * x

    linear_rule(p, lambda y_bar, space: read() * y_bar)
    return p


def by_pullback(read: Callable[[], Any]):
    """It names `NO_TANGENT`, as rules of arguments without a derivative do."""

    @primitive
    def p(x, n=2):
        return np.sin(x)

    @rrule.register(p)
    def p_rrule(x: Array, n: object):
        return p(x, n), lambda y_bar: (read() * y_bar * np.cos(x), NO_TANGENT)

    return lambda x: p(x, 2)


def by_equation(read: Callable[[], Any]):
    """Its solver and its residual read by way of another function."""

    def f(x):
        return read() * np.sin(x)

    return implicit_function(lambda x: f(x), lambda y, x: y - f(x))


def by_name(read: Callable[[], Any]):
    """Its function has no module before it."""
    p = by_partial(read)
    return functools.partial(lambda p, x: p(x), p)


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize(
    "rule", [by_partial, by_body, by_adjoint, by_pullback, by_equation, by_name]
)
def test_what_only_a_rule_reads(rule, read):
    set_all(1.5)
    p = rule(READS[read])
    function = vmap(grad(lambda x: np.sum(p(x) * x)))
    step = compiled(function)
    for value in (1.5, 2.5):
        set_all(value)
        for _ in range(3):
            np.testing.assert_allclose(step(ROWS), function(ROWS))
        assert step.programs(), step.explain()


def test_a_program_is_of_the_table_in_force():
    mine = RuleTable(parent=default_rules)
    scalar_rule(np.sin, "x", "10.0", table=mine)
    function = grad(lambda x: np.sum(np.sin(x)))
    step = compiled(function)
    for _ in range(4):
        np.testing.assert_allclose(step(X), np.cos(X))
    with rules_of(mine):
        for _ in range(4):
            np.testing.assert_allclose(step(X), [10.0, 10.0])
    np.testing.assert_allclose(step(X), np.cos(X))
    assert step.count_of_programs() == 2


def test_a_table_of_a_part_of_the_function():
    mine = RuleTable(parent=default_rules)
    scalar_rule(np.sin, "x", lambda x: RATE + x, table=mine)

    def function(x):
        with rules_of(mine):
            return grad(lambda x: np.sum(np.sin(x)))(x)

    step = compiled(function)
    for value in (1.5, 2.5):
        set_all(value)
        for _ in range(3):
            np.testing.assert_allclose(step(X), value + X)
        assert step.programs(), step.explain()


class Scaling:
    """It scales, by a compiled method."""

    def __init__(self):
        self.rate = 1.5

    @compiled
    def scaled(self, x):
        return self.rate * x


def test_what_arguments_read():
    held = Scaling()
    called = compiled(lambda f, x: f(x))
    given = lambda x: RATE * x  # noqa: E731
    for value in (1.5, 2.5):
        set_all(value)
        held.rate = value
        for _ in range(3):
            np.testing.assert_array_equal(called(given, X), value * X)
            np.testing.assert_array_equal(held.scaled(X), value * X)
    assert called.programs()


RNG, LEGACY, OF_PYTHON = np.random.default_rng(0), np.random.RandomState(0), random.Random(0)
INDEX = [0, 1]
DRAWS: dict[str, Callable[[], Any]] = {
    "a branch": lambda: RNG.random() < 2.0,
    "an order that nobody reads": lambda: RNG.shuffle(INDEX),
    "whole numbers": lambda: np.random.permutation(2),
    "an older generator": lambda: LEGACY.rand(),
    "Python's": lambda: random.random(),
    "one of Python's": lambda: OF_PYTHON.random(),
    "by a distribution": lambda: scipy.stats.norm.rvs(),
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
@pytest.mark.parametrize("is_argument", [False, True])
def test_draws_that_leave_no_trace(draw, is_argument):
    if is_argument:
        step = compiled(lambda x, draw: (draw(), np.sum(x))[1])
        args = (X, draw)
    else:
        step, args = compiled(grad(lambda x: (draw(), np.sum(x))[1])), (X,)
    with pytest.warns(NotCompiledWarning, match="it draws random numbers"):
        step(*args)
    assert not step.programs()


def test_a_first_call_draws_what_the_function_draws():
    def noisy(x):
        calls.append(1)
        return np.sum(x) * np.random.normal() * captured.random() * random.random()

    calls, found = [], []
    for function in (noisy, compiled(noisy)):
        captured = np.random.default_rng(0)
        np.random.seed(0)
        random.seed(0)
        calls.clear()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found.append([function(X) for _ in range(3)])
    assert found[0] == found[1]
    assert re.search(r"draws random numbers, first by multiply at .*py:", str(said[0].message))
    assert len(calls) == 4  # recorded once


def test_debug_mode_finds_what_no_name_leads_to():
    step = compiled(grad(lambda x: np.sum(x * globals()["RA" + "TE"])))
    set_all(1.5)
    for _ in range(3):
        step(X)
    set_all(2.5)
    np.testing.assert_array_equal(step(X), [1.5, 1.5])  # as it was: it is not asked
    with debug_mode(), pytest.raises(CompiledProgramError, match="what no name leads to"):
        step(X)


class Absent:
    """As trimesh has it for packages that are not installed."""

    def __getattribute__(self, name):
        if name == "__class__":
            return type(None)
        raise ModuleNotFoundError(name)


def test_what_stands_for_an_absent_module_holds_nothing():
    absent = Absent()
    step = compiled(grad(lambda x: np.sum(x * x) if type(absent) is Absent else absent.f(x)))
    for _ in range(3):
        np.testing.assert_array_equal(step(X), 2 * X)
    assert (step.count_of_programs(), step.reasons) == (1, [])


def test_a_counter_is_no_reason_to_record_again():
    class Counting:
        calls = 0

        def __call__(self, x):
            self.calls += 1
            return np.sum(x * x)

    counting = Counting()
    step = compiled(grad(lambda x: counting(x)))
    for _ in range(6):
        np.testing.assert_array_equal(step(X), 2 * X)
    assert step.count_of_programs() == 1
    assert counting.calls < 6


@pytest.mark.filterwarnings("ignore::chainrules_tape.NotCompiledWarning")
def test_a_second_call_with_nan_does_not_make_a_program_trusted():
    """It is the function's, and numbers that are drawn differ from those of the program as ever."""
    rng = np.random.default_rng(0)
    step = compiled(grad(lambda x: np.sum(np.sqrt(np.abs(x))) * rng.normal()))
    step(X)
    step(np.array([np.nan, 1.0]))
    assert len({step(X)[0] for _ in range(4)}) == 4
