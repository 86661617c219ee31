"""What a function that is an argument holds is differentiated: a dataclass with `__call__`."""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, NoRuleError, RuleTable, default_rules, rrule
from chainrules_py.rulesets.functions.mapping import map_frule, map_rrule
from chainrules_py.testing import Settings, check_rule
from chainrules_tape import grad
from chainrules_tape.core.config import TapeConfig


@dataclass
class Waves:
    by: Any

    def __call__(self, x: Any) -> Any:
        return np.sin(self.by * x)


@dataclass
class Total(Waves):
    def __call__(self, x: Any) -> Any:
        return np.sum(np.sin(self.by * x))


@dataclass
class Step(Waves):
    def __call__(self, y: Any, x: Any) -> Any:
        return y * self.by + np.sin(x)


@dataclass
class Reduced(Waves):
    def __call__(self, x: Any, axis: int) -> Any:
        return np.sum(self.by * x**2, axis)


def mapped(function, *iterables):
    """A list, as the rule of `map` gives it."""
    return list(map(function, *iterables))


MAPPED = RuleTable(parent=default_rules)
MAPPED.rrule.register(mapped)(map_rrule)
MAPPED.frule.register(mapped)(map_frule)
SETTINGS = Settings(
    rules=MAPPED, config=TapeConfig(default_rules), second_order="where rules exist"
)
X, M = np.array([0.5, -1.5, 2.0]), np.array([[0.3, -0.7, 1.1], [0.5, 0.9, -0.2]])
CALLS = {
    "map": (mapped, Waves(1.3), X),
    "map of nothing": (mapped, Waves(1.3), []),
    "reduce": (functools.reduce, Step(0.7), X),
    "reduce, with an initial value": (functools.reduce, Step(X), M, 0.4),
    "apply_along_axis": (np.apply_along_axis, Waves(X), 1, M),
    "apply_over_axes": (np.apply_over_axes, Reduced(1.7), M, [0, 1]),
    "piecewise": (np.piecewise, X, [X > 0], [Waves(1.3), 0.5]),
    "piecewise, several": (np.piecewise, X, [X > 0, X < 0], [Total(1.3), Waves(-0.4)]),
    "piecewise of a number": (np.piecewise, 0.8, [True], [Waves(1.3)]),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_numbers_that_a_function_holds(call):
    check_rule(*call, settings=SETTINGS)


@pytest.mark.parametrize("function", [np.sum, lambda entries: entries[0] * entries[1]])
def test_one_number_for_all_entries_of_a_case(function):
    check_rule(np.piecewise, X, [X > 0], [function, 0.5], settings=SETTINGS)


def test_a_number_in_a_function_beside_a_traced_array():
    def total(w):
        return np.sum(np.apply_along_axis(Total(w), 0, M * w[0]))

    w, step = np.array([0.6, -0.8]), 1e-6
    slopes = [(total(w + step * e) - total(w - step * e)) / (2 * step) for e in np.eye(2)]
    assert grad(total)(w) == pytest.approx(slopes)


def test_without_an_engine_what_a_function_holds_is_no_constant():
    with pytest.raises(NoRuleError):
        rrule(np.apply_along_axis, Total(2.0), 0, M)
    assert rrule(np.apply_along_axis, np.sum, 0, M)[1](np.ones(3))[0] is NO_TANGENT
