"""Rules of `numpy.polynomial`: values, matrices, fits, derivatives, integrals and arithmetic of
series in six families.
"""

import numpy as np
import pytest
from numpy.polynomial import chebyshev, polynomial, polyutils

from chainrules_py import (
    NotDifferentiableError,
    batched,
    frule,
    rrule,
)
from chainrules_py.rulesets.polynomial.families import FAMILIES
from chainrules_tape import grad, jvp, vmap
from chainrules_tape.core.levels import call_traced

each_family = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.prefix)


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


F32 = np.float32


@each_family
def test_quotients_of_single_precision(family):
    c1, c2 = numbers(10).astype(F32), np.array([1.0, 0.3, 1.0, 0.2], F32)
    div = family.function("div")

    def bars(*series):
        y, pullback = rrule(div, *series)
        return pullback(tuple(map(np.ones_like, y)))

    for found, expected in zip(bars(c1, c2), bars(*map(np.float64, (c1, c2))), strict=True):
        assert found.dtype == F32
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6 * np.max(np.abs(expected)))


# --- Zeros at the end ---


@each_family
def test_a_sum_that_cancels_is_as_short_as_numpys_and_both_modes_are_adjoint(family):
    c1, c2 = numbers(4), numbers(4, seed=1)
    c2[2:] = c1[2:]
    y, pullback = rrule(family.function("sub"), c1, c2)
    np.testing.assert_allclose(y, family.function("sub")(c1, c2))
    assert y.shape == (2,)
    dots, y_bar = (numbers(4, seed=2), numbers(4, seed=3)), numbers(2, seed=4)
    y_dot = frule(dots, family.function("sub"), c1, c2)[1]
    assert np.vdot(y_dot, y_bar) == pytest.approx(sum(map(np.vdot, pullback(y_bar), dots)))


INTEGRALS = {
    "zero": ([0.0], {}),
    "zero, three times": ([0.0], {"m": 3, "k": [0, 2.0], "lbnd": 0.5}),
    "zero, twice without constants": ([0.0], {"m": 2, "lbnd": 2.0}),
    "a zero scale": ([5.0], {"scl": 0}),
    "zero in each column": (np.zeros((1, 3)), {"m": 2, "k": [np.arange(3.0)]}),
    "zero in one column": (np.array([[0.0, 1.0]]), {"m": 2}),
    "along the other axis": (np.zeros((3, 1)), {"axis": 1, "k": 2.0}),
    "a constant for each column": (numbers(2, 3), {"k": [np.arange(3.0)]}),
    "a constant for each row": (numbers(2, 3).astype(F32), {"k": [np.arange(2.0)], "axis": 1}),
    "not at all": (numbers(1), {"m": 0}),
    "nan": ([np.nan], {}),
}


@pytest.mark.parametrize("name", INTEGRALS)
@each_family
def test_integrals_are_as_long_as_numpys_and_both_modes_are_adjoint(family, name):
    c, options = INTEGRALS[name]
    c, primal = np.asarray(c), family.function("int")
    y, pullback = rrule(primal, c, **options)
    expected = primal(c, **options)
    assert (y.shape, y.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(
        y, expected, rtol=1e-5 if c.dtype == F32 else 1e-13, atol=1e-6 if c.dtype == F32 else 1e-14
    )
    dot, bar = numbers(*c.shape, seed=1).astype(c.dtype), numbers(*y.shape, seed=2).astype(c.dtype)
    y_dot = frule((dot,), primal, c, **options)[1]
    assert np.vdot(y_dot, bar) == pytest.approx(np.vdot(dot, pullback(bar)[0]), rel=1e-5)


@pytest.mark.parametrize(
    ("c", "tol"),
    [([0.5, 0.25], 1.0), ([1.0, np.nan], 0.5), ([0.0, 0.0], 0), ([1.0, 0.5, 0.2], 0.3)],
)
def test_what_is_trimmed_is_numpys(c, tol):
    y, pullback = rrule(polyutils.trimcoef, np.array(c), tol=tol)
    expected = polyutils.trimcoef(c, tol)
    np.testing.assert_array_equal(y, expected)
    kept = 0.0 if np.max(np.abs(np.nan_to_num(c))) <= tol else 1.0
    np.testing.assert_array_equal(
        pullback(np.ones_like(y))[0], [kept * (n < expected.size) for n in range(len(c))]
    )


def test_a_fit_that_is_not_determined_warns_as_numpys():
    with pytest.warns(np.exceptions.RankWarning):
        rrule(chebyshev.chebfit, np.array([1.0, 1.0, 2.0]), np.ones(3), deg=2)


def test_a_fit_in_lanes_has_the_gradient_of_each():
    points = np.array([[-1.0, -0.2, 0.4, 1.0], [0.0, 0.3, 0.9, 1.5]])

    def size(x):
        return np.sum(np.sin(np.polyfit(x, np.cos(x), 1)))

    in_lanes = grad(lambda x: np.sum(vmap(size)(x)))
    np.testing.assert_allclose(in_lanes(points), [*map(grad(size), points)], rtol=1e-12)
    with pytest.raises(NotDifferentiableError, match="points that determine 1 of the 2"):
        in_lanes(np.stack([points[0], np.ones(4)]))


@pytest.mark.parametrize("name", ["der", "int"])
@pytest.mark.parametrize(
    "options", [{"m": -1}, {"m": 1.5}, {"axis": 2}, {"axis": 0.5}, {"k": [np.ones(3)]}], ids=str
)
@each_family
def test_wrong_options_are_numpys_errors(family, name, options):
    primal = family.function(name)
    with pytest.raises((TypeError, ValueError)) as expected:
        primal(numbers(3), **options)
    with pytest.raises(expected.type):
        rrule(primal, numbers(3), **options)


# --- Many examples ---


def test_series_of_many_examples_are_as_long_as_the_longest():
    c1 = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    c2 = np.array([[1.0, 1.0, 1.0], [0.0, 0.0, -3.0]])
    y = batched(polynomial.polyadd, (True, True), c1, c2)
    np.testing.assert_array_equal(y, [[2.0, 3.0, 4.0], [1.0, 2.0, 0.0]])


def test_what_is_zero_in_all_lanes_is_dropped():
    c = np.array([[1.0, 2.0, 3.0], [1.0, 4.0, 3.0]])
    y = batched(polynomial.polysub, (True, False), c, np.array([0.0, 0.0, 3.0]))
    np.testing.assert_array_equal(y, [[1.0, 2.0], [1.0, 4.0]])


def test_each_example_is_trimmed_by_itself():
    c = np.array([[1.0, 0.3, 0.2], [1.0, 2.0, 0.1], [0.4, 0.1, 0.1]])
    kept = np.array([[1.0, 0.0], [1.0, 2.0], [0.0, 0.0]])

    def trimmed(c):
        return call_traced(polyutils.trimcoef, (c,), {"tol": 0.5})

    np.testing.assert_array_equal(vmap(trimmed)(c), kept)
    gradients = vmap(grad(lambda c: np.sum(trimmed(c) ** 2)))(c)
    np.testing.assert_array_equal(gradients[:, :2], 2 * kept)
    np.testing.assert_array_equal(vmap(lambda c: jvp(trimmed, (c,), (c,))[1])(c), kept)


@pytest.mark.parametrize("of_roots", [polynomial.polyfromroots, chebyshev.chebfromroots])
def test_the_product_over_no_roots_is_one_in_each_lane(of_roots):
    y = batched(of_roots, (True,), np.ones((2, 0)))
    np.testing.assert_array_equal(y, [of_roots([])] * 2)


def test_several_polynomials_in_each_lane():
    """Highest degree first, NumPy reads them column by column."""
    rng = np.random.default_rng(0)
    x, p, of_all = rng.normal(size=2), rng.normal(size=(2, 3, 1)), rng.normal(size=(3, 3))
    values = vmap(np.polyval)(p, x)
    np.testing.assert_array_equal(values, [np.polyval(*each) for each in zip(p, x, strict=True)])
    sums = vmap(lambda c: np.polyadd(c, of_all))(p[..., 0])
    np.testing.assert_array_equal(sums, [np.polyadd(each, of_all) for each in p[..., 0]])
