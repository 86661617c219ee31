"""Functions of Python's `math` that NumPy does not have, and the derivatives of the gamma
function's logarithm.
"""

import cmath
import math

import numpy as np
import pytest

from chainrules_py import batched, default_rules, is_zero, rrule
from chainrules_py.rulesets.formulas.gamma_functions import digamma, polygamma


def test_numbers_give_numbers():
    for primal in (math.erf, math.erfc, math.gamma, math.lgamma):
        y, pullback = rrule(primal, 2.5)
        assert y == primal(2.5)
        assert type(pullback(1.0)[0]) is float


# --- The derivatives of log gamma ---


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("sign", [1, -1])
def test_polygamma_everywhere(n, sign):
    """The error of negative arguments is relative to the larger term of the reflection formula:
    between poles it has a zero.
    """
    mpmath = pytest.importorskip("mpmath")
    rng = np.random.default_rng(n)
    with mpmath.workdps(40):
        for x in map(float, sign * 10 ** rng.uniform(-10, 4, size=100)):
            expected = mpmath.psi(n, mpmath.mpf(x))
            scale = (
                abs(expected)
                if x > 0
                else max(abs(expected), abs(mpmath.psi(n, 1 - mpmath.mpf(x))))
            )
            assert abs(polygamma(n, x) - expected) <= 1e-14 * scale


def test_digits_remain_at_the_root():
    below, above = 1.4616321449683622, np.nextafter(1.4616321449683622, 2.0)  # psi' is 0.9676720454
    assert digamma(below) == pytest.approx(-0.9676720454 * 9.549995429965697e-17, rel=1e-9)
    assert digamma(above) == pytest.approx(
        0.9676720454 * (above - below - 9.549995429965697e-17), rel=1e-9
    )


@pytest.mark.parametrize("x", [0.0, -1.0, -2.0, -math.inf, math.nan])
def test_there_is_none_at_the_poles(x):
    assert math.isnan(digamma(x))
    assert math.isnan(polygamma(1, x))


@pytest.mark.parametrize(
    ("n", "limits"), [(0, (-math.inf, math.inf)), (1, (math.inf, 0.0)), (2, (-math.inf, 0.0))]
)
def test_limits(n, limits):
    assert polygamma(n, 5e-324) == limits[0]
    assert polygamma(n, math.inf) == limits[1]


# Many examples at once

LARGE = 1e200  # whose square overflows
POINTS = np.array([[1.0, 2.0, 2.0], [LARGE, LARGE, 0.0], [np.inf, np.nan, 1.0], [0.0, 0.0, 0.0]])


def test_distances_in_lanes_do_not_overflow():
    found = batched(math.dist, (True, False), POINTS, [0.0, 0.0, 0.0])
    assert np.array_equal(found, [math.dist(p, [0.0, 0.0, 0.0]) for p in POINTS])


@pytest.mark.parametrize("lanes", [(False, "start"), ((True, False), "start")])
def test_products_in_lanes_begin_with_a_number_of_each_lane(lanes):
    starts = np.array([1.0, 2.0, 3.0, 4.0])
    factor = starts if lanes[0] else 2.0
    run = default_rules.in_lanes(math.prod, (tuple,), lanes)
    assert np.array_equal(run((factor, 5.0), start=starts), 5.0 * factor * starts)


@pytest.mark.parametrize(
    ("primal", "args"),
    [
        *((math.isclose, (0.5, 0.5)), (math.ulp, (2.5,)), (math.comb, (5, 2)), (math.isqrt, (10,))),
        *((cmath.isnan, (1j,)), (cmath.isclose, (1j, 1j)), (math.perm, (5, 2)), (math.perm, (4,))),
    ],
)
def test_what_has_no_derivative_is_known(primal, args):
    y, pullback = rrule(primal, *args)
    assert y == primal(*args)
    assert all(map(is_zero, pullback(1.0)))
