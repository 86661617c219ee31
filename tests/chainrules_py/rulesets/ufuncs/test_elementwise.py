"""Elementwise functions: every ufunc has a rule, and what happens at zeros, kinks, ties and
infinities.
"""

import numpy as np
import pytest

from chainrules_numpy.coverage import classify
from chainrules_py import ZERO, default_rules, frule, rrule
from chainrules_py.testing import check_rule
from chainrules_py.values.identity import existing


def gradients(primal, *args):
    y, pullback = rrule(primal, *args)
    return pullback(np.ones_like(y))


def test_every_float_ufunc_of_numpy_has_a_rule():
    known = {
        f
        for f in vars(np).values()
        if isinstance(f, np.ufunc) and classify(f.__name__, f) is not None
    }
    ufuncs = {f for f in known if any("d->d" in t or "dd->d" in t for t in f.types)}
    assert [
        f.__name__
        for f in ufuncs
        if not any(rule.mode == "reverse" for rule in default_rules.rules(f))
    ] == []


@pytest.mark.parametrize("primal", [np.maximum, np.minimum, np.fmax, np.fmin])
@pytest.mark.parametrize("value", [1.5, np.inf, -np.inf])
def test_ties_share_equally_also_at_infinity(primal, value):
    x = np.full(2, value)
    for bar in gradients(primal, x, x):
        np.testing.assert_array_equal(bar, [0.5, 0.5])
    y, y_dot = frule((np.ones(2), ZERO), primal, x, x)
    np.testing.assert_array_equal(y_dot, [0.5, 0.5])


def test_fmax_gives_everything_to_the_number_beside_a_nan():
    x1_bar, x2_bar = gradients(np.fmax, np.array([np.nan, 1.0]), np.array([1.0, np.nan]))
    np.testing.assert_array_equal(x1_bar, [0.0, 1.0])
    np.testing.assert_array_equal(x2_bar, [1.0, 0.0])


@pytest.mark.parametrize("primal", [np.hypot, np.arctan2])
def test_partials_at_the_origin_are_zero(primal):
    assert [float(bar) for bar in gradients(primal, 0.0, 0.0)] == [0.0, 0.0]


def test_arctan2_survives_sizes_whose_squares_do_not():
    x1_bar, x2_bar = gradients(np.arctan2, 3e200, 4e200)
    np.testing.assert_allclose([x1_bar, x2_bar], [0.16e-200, -0.12e-200], rtol=1e-14)


UFUNCS = {found for found in vars(np).values() if isinstance(found, np.ufunc)}
OF_COMPLEX_NUMBERS = sorted(
    (f for f in UFUNCS if f.nin == f.nout == 1 and "D->D" in f.types), key=lambda f: f.__name__
)
BESIDE_CUTS = [complex(x, zero) for x in (2.0, -2.0, 0.6, -0.6) for zero in (0.0, -0.0)]


@pytest.mark.parametrize("z", BESIDE_CUTS, ids=str)
@pytest.mark.parametrize("primal", OF_COMPLEX_NUMBERS, ids=lambda primal: primal.__name__)
def test_slopes_are_those_of_the_side_of_a_cut(primal, z):
    # along the real axis, where the sign of a zero says on which side of a cut a number is
    h = 1e-5
    ahead, behind = (primal(complex(z.real + step, z.imag)) for step in (h, -h))
    _, y_dot = frule((1.0 + 0.0j,), primal, np.complex128(z))
    slope = (ahead - behind) / (2 * h)
    np.testing.assert_allclose(0 if y_dot is ZERO else y_dot, slope, rtol=1e-6, atol=1e-9)


def test_absolute_of_complex_zero():
    (x_bar,) = gradients(np.absolute, np.array([0j, 3 + 4j]))
    np.testing.assert_allclose(x_bar, [0, 0.6 + 0.8j])


class TestPower:
    @pytest.mark.parametrize(
        ("exponent", "slope"), [(0.0, 0.0), (1.0, 1.0), (2.0, 0.0), (3.0, 0.0)]
    )
    def test_base_zero(self, exponent, slope):
        x1_bar, x2_bar = gradients(np.power, np.array([0.0]), np.array([exponent]))
        assert (x1_bar[0], x2_bar[0]) == (slope, 0.0)

    def test_root_of_zero_is_infinitely_steep_but_not_for_a_zero_cotangent(self):
        y, pullback = rrule(np.power, np.array([0.0, 0.0]), 0.5, needs=(True, False))
        with np.errstate(divide="ignore"):
            np.testing.assert_array_equal(pullback(np.array([1.0, 0.0]))[0], [np.inf, 0.0])

    def test_negative_base(self):
        x1_bar, x2_bar = gradients(np.power, np.array([-2.0, -2.0]), np.array([3.0, -1.0]))
        np.testing.assert_allclose(x1_bar, [12.0, -0.25])
        np.testing.assert_array_equal(x2_bar, [0.0, 0.0])

    def test_negative_base_of_a_complex_power(self):
        base, exponent = -2.0, 0.5 + 0.5j
        x1_bar, x2_bar = gradients(np.power, np.array([base]), np.array([exponent]))
        y = np.exp(exponent * (np.log(2) + 1j * np.pi))
        np.testing.assert_allclose(x2_bar, [np.conj(y * (np.log(2) + 1j * np.pi))])
        np.testing.assert_allclose(x1_bar, [np.real(np.conj(exponent * y / base))])

    @pytest.mark.parametrize("primal", [np.power, np.float_power])
    def test_exponent_zero_has_right_second_derivatives(self, primal):
        check_rule(primal, np.array([0.5, 2.0]), np.zeros(2))

    @pytest.mark.parametrize(
        ("base", "exponent", "slope"),
        [(0.0, 0.5, np.inf), (0.0, -1.0, -np.inf), (np.inf, 0.0, 0.0)],
    )
    def test_numbers_of_python_are_raised_as_numpys(self, base, exponent, slope):
        with np.errstate(divide="ignore"):
            assert rrule(np.power, base, exponent, needs=(True, False))[1](1.0)[0] == slope

    def test_the_root_of_a_negative_number_has_no_slope(self):
        with np.errstate(invalid="ignore"):
            assert np.isnan(rrule(np.power, -2.0, 0.5, needs=(True, False))[1](1.0)[0])


class TestSqrtAtZero:
    def test_is_infinite(self):
        with np.errstate(divide="ignore"):
            assert gradients(np.sqrt, np.array([0.0]))[0][0] == np.inf

    def test_stays_zero_for_a_zero_cotangent(self):
        with np.errstate(divide="ignore"):
            (x_bar,) = rrule(np.sqrt, np.array([0.0, 4.0]))[1](np.array([0.0, 1.0]))
        np.testing.assert_array_equal(x_bar, [0.0, 0.25])


class TestLogaddexp:
    @pytest.mark.parametrize("primal", [np.logaddexp, np.logaddexp2])
    @pytest.mark.parametrize(
        ("x1", "x2", "share"),
        [
            *((-np.inf, 0.0, 0.0), (0.0, -np.inf, 1.0), (-np.inf, -np.inf, 0.5)),
            *((np.inf, 0.0, 1.0), (0.0, np.inf, 0.0), (np.inf, np.inf, 0.5), (1e4, -1e4, 1.0)),
        ],
    )
    def test_infinite_arguments_without_a_warning(self, primal, x1, x2, share):
        with np.errstate(under="ignore"):
            x1_bar, x2_bar = gradients(primal, np.array([x1]), np.array([x2]))
        np.testing.assert_allclose([x1_bar[0], x2_bar[0]], [share, 1 - share], atol=1e-15)


@pytest.mark.parametrize("primal", [np.floor, np.ceil, np.trunc, np.rint, *existing(np, "fix")])
def test_steps_are_zero_by_type(primal):
    assert rrule(primal, np.array([0.3, 1.0]))[1](np.ones(2)) == (ZERO,)
