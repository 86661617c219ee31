"""A program stops where it meets what it did not see while it was recorded."""

import numpy as np
import pytest

from chainrules_programs.recording.errors import GuardFailedError
from chainrules_programs.recording.record import record
from chainrules_tape import grad
from replaying import replay


def branches(x):
    return np.sum(x**2) if np.sum(x) > 0 else np.sum(x**3)


STOPPING = {
    "another branch": (branches, [1.0, 2.0], [-1.0, -2.0], bool),
    "another count": (lambda x: x[x > 0], [1.0, -2.0], [1.0, 2.0], np.shape),
    "other positions": (lambda x: np.nonzero(x)[0], [1.0, 0.0], [1.0, 2.0], np.shape),
    "distinct entries": (np.unique, [1.0, 1.0], [1.0, 2.0], np.shape),
    "another integer": (lambda x: x * int(x[0]), [1.0, 1.0], [2.0, 1.0], int),
    "complex roots": (np.roots, [1.0, 0.0, -1.0], [1.0, 0.0, 1.0], np.result_type),
}


@pytest.mark.parametrize("name", STOPPING)
def test_guards(name):
    function, seen, unseen, question = STOPPING[name]
    program, value = record(function, (np.array(seen),))
    np.testing.assert_array_equal(replay(program, [np.array(seen)]), value)
    with pytest.raises(GuardFailedError) as error:
        replay(program, [np.array(unseen)])
    assert error.value.guard.question is question


def test_lengths_that_depend_on_values():
    program, _ = record(lambda x, n: x[: np.sum(n)], (np.arange(4.0), np.array([1, 1])))
    np.testing.assert_array_equal(replay(program, [np.ones(4), np.array([2, 0])]), np.ones(2))
    with pytest.raises(GuardFailedError):
        replay(program, [np.ones(4), np.array([2, 1])])


def test_zero_that_meets_nan():
    function = grad(lambda x: np.sum(np.where(np.isnan(x), 0, np.log(x))))
    program, _ = record(function, (np.array([1.0, 4.0]),))
    np.testing.assert_array_equal(function(np.array([1.0, np.nan])), [1.0, 0.0])
    with pytest.raises(GuardFailedError):
        replay(program, [np.array([1.0, np.nan])])
