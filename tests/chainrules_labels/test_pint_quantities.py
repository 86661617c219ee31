"""What is special about pint's quantities; `test_units` has what they share with Astropy's."""

import numpy as np
import pytest

from chainrules_py.errors import BatchingError
from chainrules_tape import grad, jvp, seen_through, vmap
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


BESIDE = {
    "where": lambda x: np.where(x > 1, U.Quantity(x, "m"), U.Quantity(50.0, "cm")).m_as("m").sum(),
    "interp": lambda x: np.interp(x, [0.0, 1, 2], U.Quantity([0.0, 1, 4], "cm")).m_as("m").sum(),
    "outer": lambda x: np.outer(x**2, U.Quantity(np.ones(2), "cm")).m_as("m").sum(),
    "cross": lambda x: np.cross(x, U.Quantity(np.array([1.0, 2, 4]), "cm"))[0].m_as("mm"),
    "percent": lambda x: np.concatenate([x, U.Quantity(x**2, "percent")]).m_as("").sum(),
}
DECIDED_BY_PINT = {
    "dot": lambda x: np.dot(x, U.Quantity(np.array([1.0, 2, 4]), "cm")).m_as("m"),
    "einsum": lambda x: np.einsum("i,i", x, U.Quantity(np.array([1.0, 2, 4]), "cm")).m_as("m"),
}


@pytest.mark.parametrize("name", BESIDE | DECIDED_BY_PINT)
def test_functions_of_a_traced_value_beside_a_quantity(name):
    f = (BESIDE | DECIDED_BY_PINT)[name]
    x, step = np.array([0.7, 1.3, 1.9]), 1e-6
    found = grad(f)(x)
    differences = [(f(x + step * e) - f(x - step * e)) / (2 * step) for e in np.eye(3)]
    np.testing.assert_allclose(found, differences, rtol=1e-7)
    np.testing.assert_allclose(jvp(f, (x,), (x,))[1], np.dot(found, x))
    if name in DECIDED_BY_PINT:  # whether a number is 1 decides what pint does, in each lane
        with pytest.raises(BatchingError):
            vmap(f)(np.stack([x, x + 0.1]))
        return
    points = np.stack([x, x + 0.1])
    np.testing.assert_allclose(vmap(f)(points), [f(x), f(x + 0.1)])
    np.testing.assert_allclose(vmap(grad(f))(points), [found, grad(f)(x + 0.1)])
