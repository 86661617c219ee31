"""Cotangents of dense arrays receive the shape, dtype and class that belong to the value, or are
refused.
"""

import warnings

import numpy as np
import pytest

from chainrules_py.errors import ProjectionError
from chainrules_py.projection import ProjectTo


@pytest.mark.parametrize(
    ("shape", "given"),
    [((3,), (3, 1)), ((3, 1), (1, 3)), ((1, 1), ()), ((), (1,)), ((2, 1, 3), (2, 3))],
)
def test_axes_of_length_one_come_and_go(shape, given):
    t = np.arange(float(np.prod(given))).reshape(given)
    result = ProjectTo(np.zeros(shape))(t)
    assert result.shape == shape
    np.testing.assert_array_equal(result.ravel(), t.ravel())


def test_numpy_makes_scalars_of_zero_dimensional_arrays_and_so_do_cotangents():
    t = np.float64(2.0)
    assert ProjectTo(np.array(1.0))(t) is t


def test_an_old_matrix_becomes_an_array():
    with warnings.catch_warnings(action="ignore", category=PendingDeprecationWarning):
        t = np.matrix([[1.0, 2.0]])
    assert type(ProjectTo(np.zeros((1, 2)))(t)) is np.ndarray


class MyArray(np.ndarray):
    """A user's array class."""


def test_subclasses_and_plain_arrays_stand_for_each_other():
    plain, mine = np.ones(3), np.ones(3).view(MyArray)
    assert ProjectTo(mine)(plain) is plain
    assert ProjectTo(plain)(mine) is mine


@pytest.mark.parametrize("recorded", [False], indirect=True)
@pytest.mark.parametrize(
    ("x", "t", "log"),
    [
        (np.zeros(3), np.ones(3), []),
        (np.zeros(3), np.ones(3) + 1j, ["real"]),
        (np.zeros(3, "float32"), np.ones(3), ["astype"]),
        (np.zeros(3, "float32"), np.ones((3, 1)) + 1j, ["reshape", "real", "astype"]),
        (np.zeros(3, complex), np.ones(3), ["astype"]),
    ],
)
def test_a_traced_cotangent_stays_traced(recorded, x, t, log):
    t = recorded(t)
    result = ProjectTo(x)(t)
    assert type(result) is type(t)
    assert (result.shape, result.dtype) == (x.shape, x.dtype)
    assert t.log == log
    assert (result is t) is (log == [])


def test_a_plain_cotangent_of_a_traced_value(recorded):
    t = np.ones(3)
    assert ProjectTo(recorded(np.zeros(3)))(t) is t


@pytest.mark.parametrize("recorded", [True], indirect=True)
def test_never_from_one_device_to_another(recorded):
    for x, t in [(recorded(np.zeros(3)), np.ones(3)), (np.zeros(3), recorded(np.ones(3)))]:
        with pytest.raises(ProjectionError) as caught:
            ProjectTo(x)(t)
        assert caught.value.value is t
