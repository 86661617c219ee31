"""Derivatives of special functions and ufuncs to all digits: at ends of domains, near zeros, poles,
removable singularities.

Each function of `special_points` is differentiated once and twice, in both modes, and compared with
mpmath. An error counts beyond what rounding of the argument explains. What is off by more than
1e-12 has a reason in `special_exceptions`.
"""

import numpy as np
import pytest

import special_points as points
from chainrules_tape import grad, jvp

mpmath = pytest.importorskip("mpmath")

from exact_derivatives import exact_derivatives  # noqa: E402, it needs mpmath
from special_exceptions import INEXACT  # noqa: E402

ALLOWED = 1e-12
ROUNDING = 4 * 2.0**-52
SMALLEST, LARGEST = 1e-290, 1.7e308
FEW = 5  # a test that is not long sees a part of the points


ROWS = [row for row in (*points.UFUNCS, *points.SPECIAL) if row.is_there()]


def found_derivatives(row, x):
    """The first and the second derivative at all points: each order in reverse mode, the first one
    forward, too.
    """
    function = row.function()

    def slope(x):
        return grad(lambda x: np.sum(function(x)))(x)

    with np.errstate(all="ignore"):
        forward = jvp(function, (x,), (np.ones_like(x),))[1]
        return [
            (1, slope(x)),
            (1, np.broadcast_to(forward, x.shape)),
            (2, grad(lambda x: np.sum(slope(x)))(x)),
        ]


def expected_derivatives(row, x):
    """Those of mpmath's expression, of order 1 to 3."""
    function, known = row.of_mpmath()
    # of special functions these would take seconds each
    most_digits = 2000 if row.ours.startswith("np.") else 500
    return exact_derivatives(function, x, row.singular, int(known), most_digits)


def relative_error(found, x, exact, slope):
    """The error of a derivative, less that of an argument which is off by its rounding; 0 outside
    of the range of doubles.
    """
    if abs(exact) > LARGEST:
        return 0.0 if not abs(found) < LARGEST / 10 else np.inf
    if not np.isfinite(found):
        return np.inf
    with mpmath.workdps(40):
        explained = ROUNDING * abs(mpmath.mpf(x) * (slope or 0))
        error = abs(mpmath.mpf(found) - exact) - explained - SMALLEST
        return float(error / abs(exact)) if error > 0 else 0.0


def errors_of(row, x):
    """The order, the point and the error, wherever there is one."""
    exact = [expected_derivatives(row, float(each)) for each in x]
    for order, found in found_derivatives(row, x):
        for each, value, orders in zip(x, found, exact, strict=True):
            if orders[order - 1] is not None:
                error = relative_error(float(value), float(each), *orders[order - 1 : order + 1])
                if not error <= ALLOWED:
                    yield order, float(each), error


def allows(inexact, row, order, x):
    """Whether an exception is for this derivative there."""
    low, high = inexact.between
    return inexact.call == row.ours and inexact.order in (0, order) and low <= abs(x) <= high


def unexplained(row, errors):
    """The errors for which there is no reason, or which are larger than it says."""
    return [
        (order, x, error)
        for order, x, error in errors
        if not any(allows(inexact, row, order, x) and error <= inexact.off for inexact in INEXACT)
    ]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("row", [row for row in ROWS if not row.long], ids=lambda row: row.ours)
def test_some_points(row):
    x = np.array(row.points[len(row.ours) % FEW :: FEW])
    assert unexplained(row, errors_of(row, x)) == []


@pytest.mark.long
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.ours)
def test_all_points(row):
    errors = list(errors_of(row, np.array(row.points)))
    assert unexplained(row, errors) == []
    for inexact in INEXACT:
        if inexact.call == row.ours:
            assert any(allows(inexact, row, order, x) for order, x, _ in errors), (
                f"no longer needed: {inexact}"
            )


def test_every_exception_is_of_a_function_in_the_table():
    assert {inexact.call for inexact in INEXACT} <= {
        row.ours for row in (*points.UFUNCS, *points.SPECIAL)
    }
