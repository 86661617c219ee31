"""Calls at the edge of what NumPy takes: axes of a number, operands without entries, differences of order zero."""

import numpy as np
import pytest

from chainrules_py import rrule
from chainrules_py.tangents import is_zero
from chainrules_py.testing import check_rule
from chainrules_tape import grad, hvp

Z, V, M = np.array(2.0), np.array([1.0, 3.0, 2.0]), np.array([[1.0, 4.0, 2.0], [3.0, 0.5, 6.0]])
TALL = np.ones((3, 0))
REDUCTIONS = (np.sum, np.prod, np.mean, np.max, np.min, np.var, np.nansum, np.nanprod, np.nanmean, np.nanmax, np.ptp)
RUNNING = (np.cumsum, np.cumprod, np.nancumsum, np.nancumprod, np.cumulative_sum, np.cumulative_prod)


def accepts(primal, *args, **options):
    """Whether NumPy takes a call, which for an axis of a number depends on its version."""
    try:
        primal(*args, **options)
    except (TypeError, ValueError):
        return False
    return True


OF_A_NUMBER = [(f, (Z,), {"axis": axis}) for f in (*REDUCTIONS, *RUNNING) for axis in (0, -1, (), None)]
EMPTY = [
    (np.kron, (np.ones(0), np.ones((0, 3))), {}),
    (np.kron, (np.ones((2, 0)), np.ones((3, 2))), {}),
    (np.linalg.multi_dot, ([np.ones((0, 3)), M.T],), {}),
    (np.linalg.multi_dot, ([np.ones((0, 3)), TALL, np.ones((0, 2))],), {}),
    (np.linalg.multi_dot, ([M, TALL, np.ones((0, 2))],), {}),
    (np.linalg.multi_dot, ([Z, V],), {}),
    (np.trapezoid, (np.ones(0),), {}),
    (np.trapezoid, (np.ones(0), np.ones(0)), {}),
    (np.trapezoid, (TALL, TALL), {}),
    (np.trapezoid, (TALL, np.ones(0)), {}),
    (np.median, (np.ones((0, 3)),), {"axis": 1}),
    (np.quantile, (np.ones((2, 0, 3)), 0.5), {"axis": 0}),
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
]
CALLS = [call for call in (*OF_A_NUMBER, *EMPTY, *OTHERS) if accepts(call[0], *call[1], **call[2])]


@pytest.mark.parametrize(("primal", "args", "options"), CALLS)
def test_a_call_in_both_modes_and_orders(primal, args, options):
    check_rule(primal, *args, **options)


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
