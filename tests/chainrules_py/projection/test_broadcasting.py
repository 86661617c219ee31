"""Summing a cotangent over broadcast axes is the adjoint of broadcasting, for every layout and
library of arrays.
"""

import numpy as np
import pytest

from chainrules_py.projection import unbroadcast


def test_infinities_stay_infinite():
    x_bar = np.array([[np.inf, 1.0], [1.0, -np.inf]])
    np.testing.assert_array_equal(unbroadcast(x_bar, (2,), np), [np.inf, -np.inf])
    summed = unbroadcast(x_bar + 0j, (2,), np)
    np.testing.assert_array_equal(summed, [complex(np.inf, 0), complex(-np.inf, 0)])


@pytest.mark.parametrize("shape", [(8192,), (8192, 2)])
def test_long_float32_sums_are_accurate(shape):
    x_bar = np.random.default_rng(1).random(shape).astype("float32")
    exact = x_bar.astype("longdouble").sum(axis=0)
    np.testing.assert_allclose(unbroadcast(x_bar, shape[1:], np), exact, rtol=5e-6)


def test_a_foreign_array_is_summed_once_by_its_namespace(recorded):
    x_bar = recorded(np.ones((4, 2, 3)))
    from chainrules_py.projection.dense import namespace_of

    result = unbroadcast(x_bar, (2, 1), namespace_of(x_bar))
    assert x_bar.log == ["sum", "reshape"]
    np.testing.assert_array_equal(result.value, np.full((2, 1), 12.0))
