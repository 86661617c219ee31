"""Calls at the edge of what NumPy takes: axes of a number, operands without entries, differences of
order zero.
"""

import numpy as np
import pytest

from chainrules_py import NotDifferentiableError, rrule
from chainrules_py.tangents import is_zero
from chainrules_py.testing import check_rule
from chainrules_tape import grad, hvp, jvp, vjp

Z, V, M = np.array(2.0), np.array([1.0, 3.0, 2.0]), np.array([[1.0, 4.0, 2.0], [3.0, 0.5, 6.0]])
TALL = np.ones((3, 0))
REDUCTIONS = (
    np.sum,
    np.prod,
    np.mean,
    np.max,
    np.min,
    np.var,
    np.nansum,
    np.nanprod,
    np.nanmean,
    np.nanmax,
    np.ptp,
)
RUNNING = (
    np.cumsum,
    np.cumprod,
    np.nancumsum,
    np.nancumprod,
    np.cumulative_sum,
    np.cumulative_prod,
)


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
OF_A_NUMBER = [
    (f, (Z,), {"axis": axis}) for f in (*REDUCTIONS, *RUNNING) for axis in (0, -1, (), None)
]
EMPTY = [
    (np.kron, (np.ones(0), np.ones((0, 3))), {}),
    (np.kron, (np.ones((2, 0)), np.ones((3, 2))), {}),
    (np.linalg.multi_dot, ([np.ones((0, 3)), M.T],), {}),
    (np.linalg.multi_dot, ([np.ones((0, 3)), TALL, np.ones((0, 2))],), {}),
    (np.linalg.multi_dot, ([M, TALL, np.ones((0, 2))],), {}),
    (np.linalg.multi_dot, ([Z, V],), {}),
    (np.cumulative_sum, (np.ones((2, 0)),), {"axis": 1, "include_initial": True}),
    (np.cumulative_prod, (np.ones((2, 0)),), {"axis": 1, "include_initial": True}),
    (np.trapezoid, (np.ones(0),), {}),
    (np.trapezoid, (np.ones(0), np.ones(0)), {}),
    (np.trapezoid, (TALL, TALL), {}),
    (np.trapezoid, (TALL, np.ones(0)), {}),
    (np.median, (np.ones((0, 3)),), {"axis": 1}),
    (np.linalg.norm, (np.ones((0, 2)),), {"ord": np.inf, "axis": 0}),
    (np.quantile, (np.ones((2, 0, 3)), 0.5), {"axis": 0}),
    (np.take, (V, []), {}),
    (np.take, (M, [[], []]), {"axis": 1}),
    (np.take, (np.ones(0), []), {"mode": "wrap"}),
    (np.repeat, (np.ones(0), []), {}),
    (np.insert, (V, [], np.ones(0)), {}),
    (np.polymul, (np.ones(0), np.ones(0)), {}),
    (np.polymul, (np.ones(0), V), {}),
    (np.polymul, (V, np.ones(0)), {}),
]
OTHERS = [
    (np.diff, (V, 0), {"append": V}),
    (np.diff, (V, 0), {"prepend": 1.0, "append": V}),
    (np.diff, (Z, 0), {}),
    (np.diff, (M, 5), {"axis": 0}),
    (np.compress, ([True], Z), {"axis": 0}),
    (np.compress, ([], Z), {"axis": 0}),
    (np.convolve, (Z, V), {}),
    (np.convolve, (Z, Z), {}),
    (np.trapezoid, (M.T, V), {}),
    (np.trapezoid, (np.stack([M.T, 2 * M.T]), V), {"axis": 1}),
    (np.polydiv, (Z, V), {}),
    (np.polydiv, (V, Z), {}),
    (np.linalg.multi_dot, ([M, [[1.0, 2.0], [0.5, 3.0], [1.0, 4.0]], [1.0, 2.0]],), {}),
    (np.linalg.multi_dot, ([V, [1.0, 2.0, 3.0]],), {}),
    (np.choose, ([1, 0, 1], [V, [3.0, 4.0, 5.0]]), {}),
    (np.select, ([[True, False, False]], [[3.0, 4.0, 5.0]], V), {}),
    (np.select, ([[True, False, False]], [V], [3.0, 4.0, 5.0]), {}),
    (np.einsum, (V, [0], [[1.0, 2.0], [0.5, 3.0], [1.0, 4.0]], [0, 1]), {}),
    (np.polyder, (Z, 0), {}),
    (np.polyder, (M, 0), {}),
    (np.polyder, (M.T,), {}),
    (np.polyadd, (M, M), {}),
    (np.polysub, (M[0], M), {}),
    (np.polyint, (Z, 0), {}),
    (np.polyint, (M, 0), {}),
]
CALLS = [call for call in (*OF_A_NUMBER, *EMPTY, *OTHERS) if accepts(call[0], *call[1], **call[2])]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("primal", "args", "options"), CALLS)
def test_a_call_in_both_modes_and_orders(primal, args, options):
    check_rule(primal, *args, **options)


@pytest.mark.parametrize(
    "insert", [lambda x: np.insert(x, [], []), lambda x: np.insert(x, np.array([], int), [])]
)
def test_nothing_is_inserted(insert):
    np.testing.assert_array_equal(grad(lambda x: np.sum(insert(x) ** 2))(V), 2 * V)
    np.testing.assert_array_equal(jvp(insert, (V,), (V,))[1], V)


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


SEVERAL_POLYNOMIALS = [
    (np.polydiv, (M, V)),
]


@pytest.mark.parametrize(("primal", "args"), SEVERAL_POLYNOMIALS)
def test_several_polynomials_at_a_time_are_refused(primal, args):
    primal(*args)  # NumPy takes them
    for call in (lambda: vjp(primal, *args), lambda: jvp(primal, args, args)):
        with pytest.raises(NotDifferentiableError) as refused:
            call()
        assert "one polynomial at a time" in refused.value.instead


def test_a_fit_at_integer_points():
    y = np.array([1.0, 2.0, 4.0])
    for points in ([0, 1, 2], np.arange(3)):
        np.testing.assert_allclose(
            grad(lambda y, x=points: np.polyfit(x, y, 1)[0])(y), [-0.5, 0.0, 0.5], atol=1e-15
        )


def test_the_axis_of_a_number():
    (a_bar,) = rrule(np.sum, Z, axis=-1)[1](3.0)
    assert a_bar.shape == ()
    assert a_bar == 3.0


def test_a_difference_of_order_zero_ignores_what_is_appended():
    a_bar, *_, append_bar = rrule(np.diff, V, 0, append=V)[1](V)
    np.testing.assert_array_equal(a_bar, V)
    assert is_zero(append_bar)


def test_the_method_compress_takes_its_axis_by_position():
    mask = np.array([True, False])

    def f(a):
        return np.sum(a.compress(mask, 0) ** 3)

    np.testing.assert_allclose(grad(f)(M), [3 * M[0] ** 2, np.zeros(3)])
    np.testing.assert_allclose(hvp(f, M, M), [6 * M[0] ** 2, np.zeros(3)])
