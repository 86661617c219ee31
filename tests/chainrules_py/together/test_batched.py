"""`batched` calls a function on many examples at once, by the most specific rule or in a loop."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from chainrules_py import Array, RuleTable, batched, default_rules
from chainrules_py.batching.lanes import Same
from chainrules_py.errors import BatchingError, ChainRulesError
from chainrules_tape import vmap

X = np.arange(6.0).reshape(2, 3)


def shifted(x, by=1.0, *, scale=1.0):
    return scale * (x + by)


def test_a_rule_is_given_lanes_and_arrays(rules):
    seen = []

    @rules.batched.register(shifted)
    def shifted_batched(lanes, x, by, *, scale=1.0, xp):
        seen.append((lanes, x.shape, xp))
        return xp.multiply(scale, x + by)

    assert_array_equal(rules.batched(shifted, (True, False), X, 2.0), X + 2.0)
    assert seen[0][:2] == ((True, False), (2, 3))


def test_classes_decide_which_rule(rules):
    class Own(np.ndarray):
        pass

    @rules.batched.register(shifted)
    def for_arrays(lanes, x: Array):
        return x + 1.0

    @rules.batched.register(shifted)
    def for_own(lanes, x: Own):
        return x + 100.0

    assert_array_equal(rules.batched(shifted, (True,), X), X + 1.0)
    assert_array_equal(rules.batched(shifted, (True,), X.view(Own)), X + 100.0)


def test_what_is_the_same_is_repeated(rules):
    rules.batched.register(shifted)(lambda lanes, x: Same(x.shape[1]))
    assert_array_equal(rules.batched(shifted, (True,), X), [3, 3])


def test_options_that_differ_from_lane_to_lane_are_declared(rules):
    calls = []

    @rules.batched.register(shifted, laned_options=["scale"])
    def with_scales(lanes, x, *, scale=1.0):
        calls.append(lanes)
        scale = scale[:, None] if "scale" in lanes else scale
        return scale * (x + 1.0)

    scales = np.array([1.0, 10.0])
    types = (np.ndarray,)
    run = rules.in_lanes(shifted, types, (True, "scale"))
    assert_array_equal(run(X, scale=scales), scales[:, None] * (X + 1.0))
    assert calls == [(True, "scale")]
    run = rules.in_lanes(shifted, types, (True, "by"))  # not declared: a loop
    assert_array_equal(run(X, by=scales), X + scales[:, None])
    assert len(calls) == 1


def test_another_table_is_an_option(rules):
    rules.batched.register(np.sin)(lambda lanes, x: 0 * x)
    assert_array_equal(batched(np.sin, (True,), X, rules=rules), 0 * X)
    assert_array_equal(batched(np.sin, (True,), X), np.sin(X))
    with pytest.raises(ChainRulesError, match="table"):
        batched(np.sin, (True,), X, rules="mine")


@pytest.mark.parametrize("lanes", [(True,), (True, True, True), (False, False)])
def test_lanes_are_said_of_each_argument(lanes):
    with pytest.raises(BatchingError):
        batched(np.add, lanes, X, X)


RESULTS = {
    "too few lanes": (lambda x: x[:1], "shape (1, 3) for 2 lanes"),
    "too few lanes in a part": (lambda x: (x, {"part": x[:1]}), "shape (1, 3) for 2 lanes"),
    "a number": (lambda x: np.float64(1.0), "shape () for 2 lanes"),
    "a list in place of an array": (lambda x: [1.0, 2.0], "class list for 2 lanes"),
    "nothing": (lambda x: None, "class NoneType for 2 lanes"),
    "a part that is nothing": (lambda x: (x, None), "class NoneType for 2 lanes"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_has_as_many_lanes_as_the_arguments(rules, name):
    result, words = RESULTS[name]
    rules.batched.register(np.sin)(lambda lanes, x: result(x))
    with pytest.raises(BatchingError) as by_batched:
        rules.batched(np.sin, (True,), X)
    with pytest.raises(BatchingError) as by_vmap:
        vmap(np.sin, rules=rules)(X)
    assert words in str(by_batched.value)
    assert str(by_batched.value) == str(by_vmap.value)


def test_tables_count_rules_of_differentiation_alone():
    table = RuleTable(name="mine")
    table.batched.register(shifted)(lambda lanes, x: x)
    assert repr(table) == "<RuleTable mine: 0 rules>"
    assert repr(table.batched) == "<batched of mine>"
    assert [rule.mode for rule in table.rules(shifted, ("batching",))] == ["batching"]
    assert list(table.rules(shifted)) == []


def test_a_rule_is_removed(rules):
    rules.batched.register(shifted)(lambda lanes, x: x)
    rules.remove("batching", shifted)
    assert_array_equal(rules.batched(shifted, (True,), X), X + 1.0)
    assert default_rules.rule_for("batching", shifted, (np.ndarray,)) is None
