"""Forward mode: tangents of containers, of results with several parts, and of what does not depend."""

import numpy as np
import pytest

from chainrules_py import ZERO
from chainrules_tape import jvp
from chainrules_tape.refusals.handles import TracedArray

X = np.array([1.0, 2.0])


def test_a_result_without_tangent_is_plain():
    def f(x):
        assert type(x > 1) is np.ndarray
        assert type(np.zeros_like(x)) is np.ndarray
        assert isinstance(x * 2, TracedArray)
        return np.argmax(x), x.shape

    assert jvp(f, (X,), (X,))[0] == (1, (2,))


def test_constants_next_to_active_arguments():
    def f(x, y):
        assert not isinstance(y, TracedArray)
        return x * y

    y, y_dot = jvp(f, (X, 3.0), (np.ones(2), ZERO))
    np.testing.assert_array_equal(y_dot, [3.0, 3.0])


def test_containers_of_traced_values():
    y, y_dot = jvp(lambda x: np.concatenate([x, np.ones(1), x[:1]]), (X,), (np.array([5.0, 7.0]),))
    np.testing.assert_array_equal(y_dot, [5.0, 7.0, 0.0, 5.0])


def test_several_outputs():
    q, r = jvp(lambda x: divmod(x, 0.75), (X,), (np.array([5.0, 7.0]),))[1]
    np.testing.assert_array_equal(q, [0.0, 0.0])
    np.testing.assert_array_equal(r, [5.0, 7.0])


def test_dtypes_are_kept():
    y, y_dot = jvp(lambda x: x * 2.0 + np.sin(x), (np.float32(1.0),), (np.float32(1.0),))
    assert y_dot.dtype == np.float32
    assert y_dot == pytest.approx(2 + np.cos(1.0), rel=1e-6)
    y, y_dot = jvp(np.abs, (3 + 4j,), (1.0 + 0j,))
    assert y_dot == pytest.approx(0.6)
