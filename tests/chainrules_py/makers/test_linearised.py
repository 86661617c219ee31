"""`linearised_rule`: one function of linear maps makes both rules, with the value or from the
primal's own.
"""

import gc

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    LinearMap,
    NoRuleError,
    OptionError,
    RuleTable,
    linearised_rule,
)
from chainrules_py.values.arrays import Array, Scalar


def scaled(x, factor=2.0, *, shift=0.0):
    return x * factor + shift


def halves(x):
    return x[:1], (x[1:], 7)


def rooted(x):
    return np.sqrt(x)


def maps_of(x, factor, xp):
    return LinearMap(lambda d: factor * d, lambda b: factor * b), LinearMap(
        lambda d: x * d, lambda b: xp.sum(x * b)
    )


@pytest.fixture
def calls():
    return []


def table_with_value(calls):
    rules = RuleTable(name="with the value")

    @linearised_rule(scaled, table=rules)
    def scaled_linearised(x: Array, factor: Array | Scalar = 2.0, *, shift: float = 0.0, xp, needs):
        calls.append((xp, needs))
        return scaled(x, factor, shift=shift), *maps_of(x, factor, xp)

    return rules


def table_from_value(calls):
    rules = RuleTable(name="from the value")

    @linearised_rule(scaled, table=rules)
    def scaled_linearised(
        x: Array, factor: Array | Scalar = 2.0, *, shift: float = 0.0, out, xp, needs
    ):
        calls.append((xp, needs, out))
        return maps_of(x, factor, xp)

    @linearised_rule(rooted, table=rules)
    def rooted_linearised(x: Array | Scalar, *, out):
        return LinearMap(lambda d: d / (2 * out), lambda b: b / (2 * out))

    return rules


@pytest.fixture(
    params=[table_with_value, table_from_value], ids=["with the value", "from the value"]
)
def table(request, calls):
    rules = request.param(calls)

    @linearised_rule(halves, table=rules)
    def halves_linearised(x: Array, *, xp):
        def pull(y_bar):
            return xp.concatenate([y_bar[0], y_bar[1][0]])

        return halves(x), LinearMap(lambda d: (d[:1], (d[1:], NO_TANGENT)), pull)

    return rules


NEEDS = {
    (True, True): ([3.0, 3.0, 3.0], 3.0),
    (True, False): ([3.0, 3.0, 3.0], NO_TANGENT),
    (False, True): (NO_TANGENT, 3.0),
}


@pytest.mark.parametrize(("needs", "expected"), NEEDS.items(), ids=map(str, NEEDS))
def test_reverse_calls_only_what_is_needed_and_projects(table, calls, needs, expected):
    y, pullback = table.rrule(scaled, np.ones(3, "float32"), np.float64(3.0), needs=needs)
    x_bar, factor_bar = pullback(np.ones(3))
    assert (x_bar if x_bar is NO_TANGENT else x_bar.tolist(), factor_bar) == expected
    assert x_bar is NO_TANGENT or x_bar.dtype == np.float32
    assert [found[:2] for found in calls] == [(np, needs)]


def test_from_the_value_nothing_is_computed_before_a_cotangent_comes(calls):
    y, pullback = table_from_value(calls).rrule(scaled, np.ones(3), 3.0)
    assert calls == []
    pullback(np.ones(3))
    assert calls[0][2] is y


@pytest.mark.parametrize("option", ["unheard_of", "out"])
def test_options_are_those_of_the_function(table, option):
    assert table.rrule(scaled, np.ones(1), shift=1.0)[0].tolist() == [3.0]
    with pytest.raises(OptionError) as caught:
        table.rrule(scaled, np.ones(2), 2.0, **{option: 1})
    assert caught.value.option == option


def test_dispatch_is_on_its_annotations(table):
    with pytest.raises(NoRuleError):
        table.rrule(scaled, "text")


def test_from_the_value_a_tape_keeps_a_flat_tuple(calls):
    stage = table_from_value(calls).resolve("reverse", rooted, (np.ndarray,)).stage
    y, pull, kept = stage(np.array([4.0]))
    assert [type(part) for part in kept] == [np.ndarray, tuple, dict]
    assert pull(kept, np.ones(1))[0].tolist() == [0.25]
    gc.collect()
    assert not gc.is_tracked(kept[1])
