"""Calls at the edge of what NumPy takes, and in other forms: operands without entries, names of
`numpy.linalg`, options by position.
"""

import numpy as np
import pytest

from chainrules_py.testing import check_rule
from chainrules_tape import jvp, vjp

Z, V, M = np.array(2.0), np.array([1.0, 3.0, 2.0]), np.array([[1.0, 4.0, 2.0], [3.0, 0.5, 6.0]])


def accepts(primal, *args, **options):
    """Whether NumPy takes a call, which for an axis of a number depends on its version."""
    try:
        primal(*args, **options)
    except (TypeError, ValueError):
        return False
    return True


# NumPy deprecates vectors of two entries, and its newest versions refuse them.
PLANE = np.array([[1.0, 3.0], [2.0, 0.5], [4.0, 1.0]])
CROSS = [
    (PLANE, PLANE[::-1].copy()),
    (PLANE, PLANE[0]),
    (PLANE, np.array([1.0, 3.0, 2.0])),
    (V, PLANE),
    (PLANE[0], PLANE[1]),
]


@pytest.mark.parametrize(("a", "b"), CROSS)
@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors:DeprecationWarning")
def test_vectors_of_two_entries(a, b):
    if not accepts(np.cross, a, b):
        pytest.skip("NumPy takes vectors of three entries only")
    check_rule(np.cross, a, b)


LINES = [(np.ones(0), 0), (np.ones((0, 3)), 0), (np.ones((3, 0)), 1), (np.ones((2, 0, 3)), 1)]


@pytest.mark.parametrize(("a", "axis"), LINES)
@pytest.mark.parametrize(
    "function",
    [lambda row: np.sum(row) + 2.0, lambda row: row * row, lambda row: np.append(row, 1.0)],
)
def test_a_function_of_empty_lines(function, a, axis):
    expected = np.apply_along_axis(function, axis, a)
    y, pullback = vjp(lambda a: np.apply_along_axis(function, axis, a), a)
    np.testing.assert_array_equal(y, expected)
    assert pullback(np.ones_like(y))[0].shape == a.shape
    y, y_dot = jvp(lambda a: np.apply_along_axis(function, axis, a), (a,), (a,))
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(y_dot, np.zeros_like(expected))


REFUSED_BY_NUMPY = {
    "no lines": (lambda a: np.apply_along_axis(np.sum, 1, a), np.ones((0, 3))),
    "no such axis": (lambda a: np.apply_along_axis(np.sum, 2, a), M),
    "no such axis, over axes": (lambda a: np.apply_over_axes(np.sum, a, [2]), M),
    "an integral of a number": (np.polyint, Z),
    "a polynomial of a number": (lambda p: np.polyval(p, 2.0), Z),
    "roots of a rectangle": (np.poly, M),
    "a product of rectangles": (lambda p: np.polymul(p, V), M),
    "differences of a negative order": (lambda x: np.diff(x, -1), V),
    "differences along no axis": (lambda x: np.diff(x, axis=1), V),
    "differences of a number": (np.diff, Z),
    "a fit in two dimensions": (lambda x: np.polyfit(x, x, 1), M),
}


@pytest.mark.parametrize(("function", "a"), REFUSED_BY_NUMPY.values(), ids=REFUSED_BY_NUMPY)
def test_what_numpy_refuses_it_refuses_when_traced(function, a):
    found = []
    for call in (lambda: function(a), lambda: vjp(function, a), lambda: jvp(function, (a,), (a,))):
        with pytest.raises((TypeError, ValueError)) as error:
            call()
        found.append((error.type, str(error.value)))
    assert found == found[:1] * 3
