"""Calls of functions in lanes, by fast dispatch: what NumPy says of each example."""

import numpy as np
import pytest

from chainrules_py import default_rules
from chainrules_tape import vmap
from chainrules_tape.arrays.handles import LaneArray
from chainrules_tape.core.config import engine_of
from chainrules_tape.lanes.level import Lanes

X = np.random.default_rng(0).normal(size=(3, 4, 5))
# Options that are arguments of a rule, or defaults of these, are known by their classes.
CALLS = {
    "option": lambda x: np.diff(x, axis=0),
    "two options": lambda x: np.diff(x, n=2, axis=0),
    "defaults": np.diff,
    "numbers": lambda x: np.clip(x, a_min=-0.5, a_max=0.5),
    "none": lambda x: np.clip(x, a_min=None, a_max=0.5),
    "padding": lambda x: np.pad(x, pad_width=((0, 1), (2, 0))),
    "list": lambda x: np.take(x, indices=[2, 0], axis=1),
}


@pytest.mark.parametrize("function", CALLS.values(), ids=CALLS)
def test_options_that_become_arguments_take_fast_dispatch(function):
    level = Lanes(engine_of(default_rules), len(X))
    level.stages = plans = {}
    found = [function(level.handle(X)) for _ in range(2)]
    (*_, plan) = plans.values()
    assert plan is not None
    expected = np.stack([function(x) for x in X])
    for y in found:
        assert type(y) is LaneArray
        np.testing.assert_array_equal(y.value, expected)


def test_options_of_other_classes_are_other_calls():
    def clipped(bound):
        return vmap(lambda x: np.clip(x, a_min=bound, a_max=1.0))(X)

    for bound in (0, -0.5, None, np.full(5, 0.1)):
        np.testing.assert_array_equal(clipped(bound), np.clip(X, bound, 1.0))
