"""Rules of `map` and `functools.reduce`, with an engine that knows nothing but the table of rules,
and with the tape.
"""

import functools
from collections import namedtuple

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    ZERO,
    NoRuleError,
    RuleTable,
    Tangent,
    default_rules,
    frule,
    rrule,
)
from chainrules_py.rulesets.functions.mapping import map_frule, map_rrule
from chainrules_py.testing import Settings, check_rule
from chainrules_tape.core.config import TapeConfig
from stand_ins.table_engine import TableEngine

TABLE, TAPE = TableEngine(), TapeConfig(default_rules)
X = np.array([0.5, -1.5, 2.0])
M = np.array([[0.3, -0.7, 1.1], [0.5, 0.9, -0.2]])
Pair = namedtuple("Pair", "left right")


def mapped(function, *iterables):
    """A list, as the rule of `map` gives it: what `map` itself returns cannot be compared."""
    return list(map(function, *iterables))


MAPPED = RuleTable(parent=default_rules)
MAPPED.rrule.register(mapped)(map_rrule)
MAPPED.frule.register(mapped)(map_frule)


def settings(config):
    return Settings(rules=MAPPED, config=config, second_order="where rules exist")


@pytest.mark.parametrize("primal", [map, functools.reduce])
def test_without_an_engine(primal):
    with pytest.raises(NoRuleError) as caught:
        rrule(primal, np.multiply, X, X)
    assert caught.value.primal is primal


MAPS = {
    "array by entries": (np.sin, X),
    "array by rows": (np.sum, M),
    "list": (np.exp, [X, 2.0]),
    "tuple of two shapes": (np.sum, (X, M)),
    "namedtuple": (np.sin, Pair(0.5, 1.5)),
    "two, the second shorter": (np.multiply, X, [2.0, 3.0]),
    "two, the first shorter": (np.multiply, (2.0, M[0]), np.stack([M[0], *M])),
    "none at all": (np.sin, []),
    "array and integers": (np.multiply, X, range(3)),
}


@pytest.mark.parametrize("args", MAPS.values(), ids=MAPS)
def test_map(args):
    check_rule(mapped, *args, settings=settings(TABLE))


def test_map_of_a_function_with_containers():
    rows = [{"a": 0.5, "b": X}, {"a": 1.5, "b": M[0]}]
    check_rule(
        mapped, lambda row, x: (row["a"] * row["b"], x * x), rows, X, settings=settings(TAPE)
    )


def test_map_may_be_called_by_its_name():
    y, pullback = rrule(map, np.square, (3.0, 4.0), config=TABLE)
    assert y == [9.0, 16.0]
    assert pullback([1.0, ZERO]) == (NO_TANGENT, Tangent[tuple](6.0, ZERO))
    assert frule((NO_TANGENT, ZERO), map, np.square, (3.0, 4.0), config=TABLE) == (
        y,
        Tangent[list](ZERO, ZERO),
    )


def test_what_is_not_reached_gets_zero():
    _, pullback = rrule(map, np.multiply, X, [2.0], config=TABLE)
    _, x_bar, factors_bar = pullback([1.0])
    assert x_bar.tolist() == [2.0, 0.0, 0.0]
    assert factors_bar == Tangent[list](0.5)


def test_integers_have_no_tangent():
    _, pullback = rrule(map, lambda k, n, x: k * n * x, (2, 3), np.arange(2), X, config=TAPE)
    assert pullback([1.0, 1.0])[:3] == (NO_TANGENT, NO_TANGENT, NO_TANGENT)


REDUCTIONS = {
    "array by entries": (np.multiply, X),
    "array by rows": (np.multiply, M),
    "with an initial value": (np.multiply, X, 0.7),
    "of another shape": (np.add, [1.0, X], M),
    "tuple": (np.matmul, (M, M.T, M)),
    "not associative": (np.arctan2, [0.5, 1.5, -0.7, 2.5]),
    "one item": (np.multiply, [X]),
    "nothing but an initial value": (np.multiply, [], X),
}


@pytest.mark.parametrize("args", REDUCTIONS.values(), ids=REDUCTIONS)
def test_reduce(args):
    check_rule(functools.reduce, *args, settings=settings(TABLE))


def test_reduce_through_containers():
    def step(state, x):
        return {
            "position": state["position"] + 0.1 * state["speed"],
            "speed": state["speed"] - np.sin(x) * state["position"],
        }

    start = {"position": np.array([1.0, 2.0]), "speed": np.array([0.5, -0.5])}
    check_rule(functools.reduce, step, X, start, settings=settings(TAPE))


@pytest.mark.parametrize("args", [([],), ([1.0], 2.0, 3.0)], ids=["nothing", "two initial values"])
def test_reduce_refuses_what_python_refuses(args):
    for rule in (
        lambda: rrule(functools.reduce, np.add, *args, config=TABLE),
        lambda: functools.reduce(np.add, *args),
    ):
        with pytest.raises(TypeError):
            rule()


def test_reduce_stops_where_nothing_goes_further_back():
    _, pullback = rrule(
        functools.reduce, lambda y, x: x if x > 1 else y * x, [0.5, 2.0, 0.5], config=TAPE
    )
    assert pullback(3.0) == (NO_TANGENT, Tangent[list](ZERO, 1.5, 6.0))
