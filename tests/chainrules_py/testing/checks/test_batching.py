"""`check_batching` accepts rules for batching that are right and finds those that are not."""

import numpy as np
import pytest

from chainrules_py.batching.lanes import Same, behind_lanes
from chainrules_py.testing import CheckFailure, Settings, check_batching, check_rule

X, Y = np.linspace(0.5, 2.0, 6).reshape(2, 3), np.array([1.0, -2.0, 0.5])


def added(x, y):
    return x + y


def total(x, *, axis=None):
    return np.sum(x, axis=axis)


def pair(x):
    return x + 1.0, {"doubled": 2.0 * x}


def settings(rules):
    return Settings(rules=rules)


def right_added(lanes, x, y):
    rank = max(x.ndim - lanes[0], y.ndim - lanes[1])
    x = behind_lanes(x, rank) if lanes[0] else x
    y = behind_lanes(y, rank) if lanes[1] else y
    return x + y


def right_total(lanes, x, *, axis=None):
    return np.sum(x, axis=tuple(range(1, x.ndim)) if axis is None else axis + (axis >= 0))


def writes_to_its_argument(lanes, x, y):
    x[...] = 0.0
    return right_added(lanes, x, y)


WRONG_SUMS = {
    "ranks not aligned": (lambda lanes, x, y: x + y, "runs"),
    "lanes in reverse": (lambda *call: right_added(*call)[::-1], "batching"),
    "the same for all": (lambda *call: Same(right_added(*call)[0]), "batching"),
    "first lane for all": (
        lambda *call: np.broadcast_to(right_added(*call)[:1], (len(call[1]), 2, 3)),
        "batching",
    ),
    "one lane too many": (lambda *call: np.repeat(right_added(*call), 2, axis=0), "runs"),
    "in single precision": (lambda *call: right_added(*call).astype(np.float32), "batching"),
    "writes to its argument": (writes_to_its_argument, "runs"),
    "another dtype without lanes": (
        lambda lanes, x, y: right_added(lanes, x, y) if len(x) else np.zeros((0, 2, 3), int),
        "batching",
    ),
}


@pytest.mark.parametrize(("wrong", "check"), WRONG_SUMS.values(), ids=WRONG_SUMS)
def test_a_wrong_rule_of_two_arguments_is_found(rules, wrong, check):
    rules.batched.register(added)(wrong)
    with pytest.raises(CheckFailure) as caught:
        check_batching(added, X, Y, settings=settings(rules))
    assert (caught.value.check, caught.value.mode) == (check, "batching")


def all_axes(lanes, x, *, axis=None):
    return np.full(len(x), np.sum(x)) if axis is None else right_total(lanes, x, axis=axis)


@pytest.mark.parametrize(
    ("wrong", "axis"), [(lambda lanes, x, *, axis: np.sum(x, axis), 0), (all_axes, None)]
)
def test_a_wrong_axis_is_found(rules, wrong, axis):
    rules.batched.register(total)(wrong)
    with pytest.raises(CheckFailure, match="lanes"):
        check_batching(total, X, axis=axis, settings=settings(rules))


def test_a_function_of_the_order_of_entries_is_not_that_of_the_first_lane(rules):
    def sorted_as_first(lanes, x):
        return np.take(x, np.argsort(x[0]), axis=1)

    def in_order(x):
        return np.sort(x)

    rules.batched.register(in_order)(sorted_as_first)
    with pytest.raises(CheckFailure, match="different orders"):
        check_batching(in_order, Y, settings=settings(rules))


def test_containers_are_compared_part_by_part(rules):
    @rules.batched.register(pair)
    def pair_batched(lanes, x):
        return x + 1.0, {"doubled": 2.0 * x}

    check_batching(pair, X, settings=settings(rules))

    @rules.batched.register(in_list := lambda x: pair(x))
    def pair_in_list(lanes, x):
        return [x + 1.0, {"doubled": 2.0 * x}]

    with pytest.raises(CheckFailure, match="class list"):
        check_batching(in_list, X, settings=settings(rules))


def test_options_in_lanes_are_checked(rules):
    def shifted(x, *, by):
        return x + by

    @rules.batched.register(shifted, laned_options=["by"])
    def shifted_by_first(lanes, x, *, by):
        return x + (by[0] if "by" in lanes else by)

    with pytest.raises(CheckFailure, match="options"):
        check_batching(shifted, X, by=np.float64(2.0), settings=settings(rules))


@pytest.mark.parametrize("check", [check_batching, check_rule])
def test_a_wrong_rule_is_found_in_calls_that_leave_out_arguments(rules, check):
    def scaled(x, by=3.0):
        return by * x

    rules.frule.register(scaled)(lambda dots, x: (3.0 * x, 3.0 * dots[0]))
    rules.batched.register(scaled)(lambda lanes, x, by: by * x[::-1])
    with pytest.raises(CheckFailure) as caught:
        check(scaled, X, settings=settings(rules))
    assert caught.value.mode == "batching"
