"""Astropy's quantities beside traced values, and made of them: units, and what is refused. Derivatives are
cells of `product.united`.
"""

import numpy as np
import pytest

from chainrules_tape import grad, numpy as tnp
from chainrules_tape.refusals.errors import InputError, LostGradientError

u = pytest.importorskip("astropy.units")
X = np.array([0.3, 0.7])
Q = np.array([2.0, 3.0]) * u.m


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
