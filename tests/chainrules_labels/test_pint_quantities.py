"""What is special about pint's quantities; `test_units` has what they share with Astropy's."""

import numpy as np
import pytest

from chainrules_tape import grad, jvp, seen_through
from chainrules_tape.refusals.errors import InputError

pint = pytest.importorskip("pint")
U = pint.UnitRegistry()


def test_units_whose_zero_is_not_zero_are_refused():
    """A step of 1 degree Celsius is no temperature of 1 degree Celsius."""
    boiling = U.Quantity(100.0, "degC")
    for call in (
        lambda: grad(lambda t: t.to("kelvin"))(boiling),
        lambda: jvp(lambda x: U.Quantity(x, "degC"), (20.0,), (1.0,)),
    ):
        with pytest.raises(InputError, match="kelvin"):
            call()
    slope = grad(lambda t: t**2)(boiling.to("kelvin"))
    assert slope.units == U.kelvin
    np.testing.assert_allclose(slope.m, 2.0 * 373.15)
    assert (
        grad(lambda t: (t.to("degC") - U.Quantity(20.0, "degC")).to("kelvin"))(boiling.to("kelvin"))
        == 1.0 * U.dimensionless
    )


def test_arrays_like_plain_degrees_are_made_where_nothing_is_differentiated():
    def filled(numbers):
        return np.full_like(U.Quantity(numbers, "degC"), U.Quantity(0.0, "degC"))

    with seen_through(__name__):
        found = filled(np.ones(2))
    np.testing.assert_array_equal(found.m, np.zeros(2))


def test_gradients_are_of_the_registry_of_the_argument():
    other = pint.UnitRegistry()
    assert grad(lambda q: q**2)(2.0 * other.m) + 1.0 * other.cm == 4.01 * other.m
