"""Programs that ask a traced array for its namespace of the array API standard: NumPy's arrays."""

import numpy as np
import pytest

import array_api_programs as programs
from chainrules_py import rrule
from chainrules_py.errors import NoRuleError
from chainrules_tape import (
    grad,
    jacobian,
    seen_through,
    sparsity,
    vmap,
)


def test_the_namespace_is_numpys_for_plain_values_too():
    def f(x):
        xp = x.__array_namespace__(api_version="2024.12")
        assert xp.__name__ == "numpy"
        assert xp.float64 is np.float64
        assert set(np.__all__) <= {*dir(xp)}
        assert xp.mean(np.arange(3.0)) == 1.0
        assert xp.lib.stride_tricks.sliding_window_view(np.arange(3.0), 2).shape == (2, 2)
        assert isinstance(xp.__array_namespace_info__().default_dtypes()["real floating"], np.dtype)
        return xp.sum(x)

    assert np.array_equal(grad(f)(np.ones(2)), np.ones(2))


def test_a_version_that_numpy_lacks_is_refused_as_numpy_does():
    with pytest.raises(ValueError, match="1999"):
        grad(lambda x: x.__array_namespace__(api_version="1999.12").sum(x))(np.ones(2))


def test_numbers_of_pythons_have_no_namespace():
    def f(x):
        assert not hasattr(x, "__array_namespace__")
        return 2 * x

    assert grad(f)(1.0) == 2.0


def test_capabilities_in_lanes_and_patterns_have_no_masks():
    seen = []

    def f(x):
        seen.append(x.__array_namespace__().__array_namespace_info__().capabilities())
        return x * x

    grad(lambda x: np.sum(f(x)))(np.ones(2))
    vmap(f)(np.ones((2, 2)))
    sparsity(f, np.ones(2))
    assert [found["boolean indexing"] for found in seen] == [True, False, False]


def test_copies_in_another_dtype_take_traced_values():
    data = np.arange(3, dtype=np.float32)

    def f(x):
        y = x.__array_namespace__().astype(data, np.float64)
        y[0] = x[0] ** 2
        return y

    assert np.array_equal(f(np.ones(1))[:1], [1.0])
    assert np.array_equal(jacobian(f)(np.array([3.0]))[:, 0], [6.0, 0, 0])
    assert data[0] == 0


def test_in_a_scope_it_is_what_numpy_is_there():
    with seen_through("array_api_programs"):
        assert grad(programs.compares)(np.ones(2))[0] == 1.0


class Follower:
    """An array of a library that follows the standard, which nobody has let in."""

    shape, dtype, size, ndim = (2,), np.dtype(float), 2, 1

    def __array_namespace__(self, api_version=None):
        return np


def test_a_class_that_follows_the_standard_is_told_how_to_join():
    with pytest.raises(NoRuleError, match=r"chainrules_array_api\.join\(Follower\)"):
        rrule(np.exp, Follower())
