"""Astropy's quantities beside traced values, and made of them.

Each program is written in units; its numbers are compared with differences of the same program on
plain arrays, which Astropy computes without us.
"""

import numpy as np
import pytest

from chainrules_tape import grad, jacobian, jvp, numpy as tnp, vmap
from chainrules_tape.refusals.errors import InputError, LostGradientError

u = pytest.importorskip("astropy.units")
X = np.array([0.3, 0.7])
Q = np.array([2.0, 3.0]) * u.m

PROGRAMS = {
    "quantity * x": lambda x: np.sum((Q * x).value),
    "quantity - x": lambda x: np.sum(((Q / u.cm - x) ** 2).value),
    "ufunc": lambda x: np.sum(np.multiply(x, Q) ** 2).to_value(u.cm**2),
    "number": lambda x: (Q * x[0]).sum().value + (x[1] * Q).sum().value,
    "x * unit": lambda x: np.sum((x * u.km) ** 2).to_value(u.m**2),
    "unit / x": lambda x: np.sum(u.km / x).to_value(u.m),
    "where": lambda x: np.sum(np.where(x > 0.5, (x * u.km) ** 2, Q**2)).to_value(u.m**2),
}


def differences(f, x):
    steps = 1e-6 * np.eye(len(x))
    return [(f(x + step) - f(x - step)) / 2e-6 for step in steps]


@pytest.mark.parametrize("f", PROGRAMS.values(), ids=PROGRAMS)
def test_gradients(f):
    expected = differences(f, X)
    np.testing.assert_allclose(grad(f)(X), expected, rtol=1e-6)
    np.testing.assert_allclose(jvp(f, (X,), (X,))[1], expected @ X, rtol=1e-6)
    np.testing.assert_allclose(jacobian(grad(f))(X), differences(grad(f), X), rtol=1e-6, atol=1e-5)
    np.testing.assert_allclose(vmap(lambda x: Q * x)(X[None]).value, [Q.value * X])


def test_functions_take_quantities_as_arrays_of_the_tape_do():
    assert grad(lambda q: tnp.sum(tnp.exp(q / u.m)))(X * u.m).unit == 1 / u.m
    slope = grad(lambda q: tnp.array(q, subok=True).sum())(X * u.m)
    assert slope.unit == u.one
    slope = grad(lambda q: tnp.array(q).sum())(X * u.km)  # the number in the own unit
    assert slope.unit == 1 / u.km
    np.testing.assert_array_equal(slope.value, [1.0, 1.0])


def test_numbers_beside_quantities_have_no_unit():
    with pytest.raises(u.UnitConversionError):
        grad(lambda x: np.sum(x + Q).value)(X)


def test_subclasses_are_quantities():
    coordinates = pytest.importorskip("astropy.coordinates")
    slope = grad(np.sin)(coordinates.Angle(30.0, "deg"))
    assert slope.unit == 1 / u.deg
    np.testing.assert_allclose(slope.value, np.cos(np.pi / 6) * np.pi / 180)


def test_logarithmic_units_are_refused():
    with pytest.raises(InputError, match="physical"):
        grad(lambda m: m.physical)(u.Magnitude(3.0))


def test_an_array_of_numpys_of_a_quantity_says_what_to_write():
    with pytest.raises(LostGradientError, match=r"chainrules_tape.numpy.array\(q\)"):
        grad(lambda x: np.array(x * u.m, subok=True).sum().value)(X)
