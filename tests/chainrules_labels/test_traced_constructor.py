"""Quantities that are made of traced values, in programs of Astropy's and in its own models.

Derivatives of other programs are cells of `product.united`.
"""

import numpy as np
import pytest

from chainrules_tape import grad, jvp, seen_through, vmap
from chainrules_tape.refusals.errors import LostGradientError
from processes import printed
from slopes import quotients

u = pytest.importorskip("astropy.units")
X = np.array([0.3, 0.7])


def test_a_dtype_is_that_of_astropy():
    def f(x):
        y = u.Quantity(x, u.m, dtype=np.float32)
        assert y.dtype == np.float32
        return (y**2).sum().value

    np.testing.assert_allclose(grad(f)(X), 2 * X, rtol=1e-6)


def test_units_that_do_not_match_are_the_error_of_astropy():
    with pytest.raises(u.UnitConversionError):
        grad(lambda x: u.Quantity(x * u.m, u.s).sum().value)(X)


# Other classes of quantities


def angles():
    return pytest.importorskip("astropy.coordinates")


def test_a_longitude_is_wrapped_in_each_lane():
    longitude = angles().Longitude
    x = np.array([[0.1, 5.0], [7.0, -20.0]])
    found = vmap(lambda x: longitude(x, u.rad).value ** 2)(x)
    np.testing.assert_allclose(found, longitude(x, u.rad).value ** 2, rtol=1e-13)


def test_what_astropy_says_of_an_angle_is_said_of_a_traced_one():
    c = angles()
    with pytest.raises(ValueError, match="Latitude"):
        grad(lambda x: c.Latitude(100 * x, u.rad).sum().value)(X)
    with pytest.raises(TypeError, match="Latitude"):
        grad(lambda x: c.Longitude(c.Latitude(x, u.rad)).sum().value)(X)
    with pytest.raises(u.UnitTypeError):
        grad(lambda x: c.Angle(x, u.m).sum().value)(X)
    with pytest.raises(u.UnitTypeError):
        grad(lambda x: (x * u.m).view(c.Angle).sum().value)(X)
    kinds = []

    def noting(x):
        angle = c.Longitude(x, u.rad)
        results = (angle, angle[0], angle + angle, 2 * angle, np.sin(angle), angle * u.m)
        kinds.append([y.__class__ for y in results])
        return angle[0].value

    noting(X)
    grad(noting)(X)
    assert kinds[0] == kinds[1]


def test_angles_are_arguments():
    c = angles()

    def height(angle):
        assert isinstance(angle, c.Angle)
        return (np.sin(angle) * 3 * u.m).sum() + np.cos(angle.wrap_at("180d"))[0] * u.m

    x = c.Angle([200.0, 20.0], u.deg)
    slope = grad(height)(x)
    assert slope.unit == u.m / u.deg
    steps = c.Angle(1e-4 * np.eye(2), u.deg)
    expected = [((height(x + s) - height(x - s)) / (2e-4 * u.deg)).value for s in steps]
    np.testing.assert_allclose(slope.value, expected, rtol=1e-6)


def test_plain_values_are_left_to_astropy():
    grad(lambda x: u.Quantity(x, u.m).sum().value)(X)
    assert type(u.Quantity(X, u.m)) is u.Quantity
    assert u.Quantity("3 m") == 3 * u.m
    assert u.Quantity([1 * u.m, 1 * u.km]).value.tolist() == [1.0, 1000.0]
    assert "value : number" in u.Quantity.__doc__


def test_astropy_may_be_imported_before_us_or_after():
    program = """
import {}
import {}
import numpy as np
from astropy import units as u
from chainrules_tape import grad
print(grad(lambda x: u.Quantity(x, u.km).sum().to_value(u.m))(np.ones(2)))
"""
    for order in (("astropy.units", "chainrules_tape"), ("chainrules_tape", "astropy.units")):
        assert printed(program.format(*order)).split() == ["[1000.", "1000.]"]


# Astropy's own models and cosmologies, within the scope


def line(x):
    from astropy.modeling import models

    return models.Gaussian1D(amplitude=x[0] * u.Jy, mean=x[1] * u.m, stddev=3 * u.m)


def cosmology(x):
    from astropy.cosmology import FlatLambdaCDM

    return FlatLambdaCDM(H0=100 * x[1] * u.km / u.s / u.Mpc, Om0=x[0])


def planck():
    from astropy.cosmology import Planck18

    return Planck18


def black_body(x):
    from astropy.modeling import models

    body = models.BlackBody(temperature=1e4 * x[0] * u.K)
    return body(np.array([1.0, 2.0]) * 1e14 * u.Hz * x[1]).sum().value * 1e5


MODELS = {
    "parameters of a model": lambda x: line(x)(np.array([1.0, 2.0]) * u.m).sum().value,
    "black body": black_body,
    "Hubble parameter": lambda x: cosmology(x).H(0.5).value,
    "distance": lambda x: cosmology(x).luminosity_distance(0.5).to_value(u.Gpc),
    "distance modulus": lambda x: planck().distmod(x[0]).value + planck().distmod(x).sum().value,
}


@pytest.mark.parametrize("f", MODELS.values(), ids=MODELS)
def test_models_and_cosmologies_are_seen_through(f):
    expected = quotients(f, X)
    with seen_through("astropy"):
        slope = grad(f)(X)
        change = jvp(f, (X,), (X,))[1]
    np.testing.assert_allclose(slope, expected, rtol=1e-5, atol=1e-12)
    np.testing.assert_allclose(change, expected @ X, rtol=1e-5)


def test_a_gradient_by_a_temperature_has_a_unit():
    from astropy.modeling import models

    with seen_through("astropy"):
        slope = grad(lambda t: models.BlackBody(temperature=t)(1e14 * u.Hz))(5000 * u.K)
    assert slope.unit.is_equivalent(u.erg / (u.Hz * u.K * u.s * u.sr * u.cm**2))


def test_arrays_of_objects_take_quantities_and_arrays_of_numbers_refuse_them():
    def stored(x):
        parts = np.empty(2, dtype=object)
        parts[:] = [x[:1] * u.m, x[1:] * u.km]
        return (parts[0] * parts[1])[0].to_value(u.m**2)

    np.testing.assert_allclose(grad(stored)(X), 1e3 * X[::-1])

    def lost(x):
        parts = np.empty(2)
        parts[:] = [x[0] * u.m, x[1] * u.m]
        return parts.sum()

    with pytest.raises((LostGradientError, ValueError)):
        grad(lost)(X)
