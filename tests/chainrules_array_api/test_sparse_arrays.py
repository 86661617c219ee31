"""The tangent spaces of PyData's sparse arrays: cotangents at the entries that are stored, or all
of them.
"""

import numpy as np
import pytest

from chainrules_array_api.standard_array import StandardArray
from chainrules_py import ProjectTo

sparse = pytest.importorskip("sparse")

from chainrules_array_api import sparse_arrays  # noqa: E402, it needs sparse

X = np.array([[0.0, 2.0, 0.0], [1.0, 0.0, -3.0]])
T = np.arange(6.0).reshape(2, 3) + 1


def given(x):
    return StandardArray(sparse.COO.from_numpy(x), is_given=True)


def test_a_cotangent_is_brought_to_the_pattern():
    for t in (T, StandardArray(sparse.COO.from_numpy(T))):
        found = ProjectTo(given(X))(t)
        np.testing.assert_array_equal(found.array.todense(), T * (X != 0))
        assert found.array.nnz == 3


def test_a_smaller_pattern_is_filled_with_zeros():
    found = ProjectTo(given(X))(StandardArray(sparse.COO.from_numpy(T * (T == 2))))
    np.testing.assert_array_equal(found.array.todense(), T * (T == 2))
    assert found.array.nnz == 3


def test_what_a_program_computed_has_all_entries():
    space = ProjectTo(StandardArray(sparse.COO.from_numpy(X)))
    assert not isinstance(space, sparse_arrays.PatternSpace)


def test_the_dense_policy_and_no_other():
    np.testing.assert_array_equal(ProjectTo(given(X), "dense")(T), T)
    assert isinstance(ProjectTo(given(X), "pattern"), sparse_arrays.PatternSpace)
    with pytest.raises(ValueError, match='"pattern" or "dense"'):
        ProjectTo(given(X), "symmetric")


def test_a_cotangent_of_another_shape_is_refused():
    with pytest.raises(ValueError, match="shape"):
        ProjectTo(given(X))(T[:, :2])
