"""The staged form: one formula, with and without a closure."""

import numpy as np
import pytest

from chainrules_py import ZERO, default_rules
from chainrules_py.errors import ProjectionError
from chainrules_py.makers.staging import closed, project_dense
from chainrules_py.tangents import NO_TANGENT, InplaceableThunk, Thunk, unthunk

X = np.arange(6.0).reshape(2, 3)


def doubled_stage(x, *, by=2.0):
    def pull(kept, y_bar):
        return (kept[0] * y_bar,)

    return by * x, pull, (by,)


def test_a_stage_makes_a_rule():
    rule = closed(doubled_stage)
    y, pullback = rule(3.0, by=4.0)
    assert (y, pullback(2.0)) == (12.0, (8.0,))
    assert rule.stage is doubled_stage


STAGED = {
    "scalar": (np.sin, (X,), {}),
    "linear": (np.transpose, (X,), {}),
    "linear of a number": (np.real, (2.0,), {}),
    "multilinear": (np.matmul, (X, X.T), {}),
    "linearised": (np.max, (X,), {"axis": 0}),
    "linearised of two": (np.where, (X > 2, X, X), {}),
    "joint": (np.concatenate, ([X, X],), {"axis": 1}),
    "joint of lists": (np.concatenate, ([X[0], [1.0, 2.0]],), {}),
}


@pytest.mark.parametrize(("primal", "args", "options"), STAGED.values(), ids=STAGED)
def test_every_declared_rule_has_a_stage_that_says_the_same(primal, args, options):
    rule = default_rules.find("reverse", primal, tuple(map(type, args)), (True,) * len(args))
    y, pullback = rule(*args, **options)
    staged_y, pull, kept = rule.stage(*args, **options)
    np.testing.assert_array_equal(y, staged_y)
    y_bar = np.cos(y)
    for bar, staged_bar in zip(pullback(y_bar), pull(kept, y_bar), strict=True):
        assert type(bar) is type(staged_bar)
        assert bar is staged_bar or bar == staged_bar if not isinstance(bar, np.ndarray) else (bar == staged_bar).all()


def test_what_is_not_needed_is_not_kept():
    rule = default_rules.find("reverse", np.matmul, (np.ndarray, np.ndarray), (True, False))
    y, pull, kept = rule.stage(X, X.T)
    assert [part for part in kept if isinstance(part, np.ndarray)] == [kept[2]]
    assert kept[2].shape == (3, 2)
    assert pull(kept, y)[1] is NO_TANGENT


def test_bringing():
    shape, dtype = (2,), np.dtype("float32")
    assert project_dense(np.array([1.0 + 2j, 3.0]), np.ndarray, shape, dtype).dtype == dtype
    assert project_dense(ZERO, np.ndarray, shape, dtype) is ZERO
    assert project_dense(np.ones(2), np.ndarray, shape, np.dtype(int)) is NO_TANGENT
    assert unthunk(project_dense(Thunk(lambda: np.ones(2)), np.ndarray, shape, dtype)).dtype == dtype
    with pytest.raises(ProjectionError):
        project_dense(np.ones(3), np.ndarray, shape, dtype)


def test_a_thunk_that_knows_its_space_stays_itself():
    class Known(InplaceableThunk):
        def is_in(self, shape, dtype):
            return shape == (2,)

    thunk = Known(lambda: np.ones(2), None, None)
    assert project_dense(thunk, np.ndarray, (2,), np.dtype(float)) is thunk
    assert project_dense(thunk, np.ndarray, (3,), np.dtype(float)) is not thunk
