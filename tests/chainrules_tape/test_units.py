"""A derivative has the unit of the result over that of its argument, with pint and with Astropy.

The numbers are compared with those of the same functions in metres and the like, and with
differences of plain quantities.
"""

import importlib

import numpy as np
import pytest

from chainrules_py.errors import SeedError
from chainrules_py.tangents import ZERO
from chainrules_tape import (
    checkpoint,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    linearize,
    taylor,
    value_and_grad,
    vjp,
    vmap,
)
from chainrules_tape.refusals.errors import InputError, OutputError

N = np.array([0.3, 0.7])


class Pint:
    """Units of pint."""

    name = "pint"

    def __init__(self):
        pint = pytest.importorskip("pint")
        self.u = pint.UnitRegistry()
        self.mismatch = pint.DimensionalityError

    def number(self, q, unit):
        return q.m_as(unit)


class Astropy:
    """Units of Astropy."""

    name = "astropy"

    def __init__(self):
        pytest.importorskip("astropy")
        self.u = importlib.import_module("astropy.units")
        self.mismatch = self.u.UnitConversionError

    def number(self, q, unit):
        return q.to_value(unit)


@pytest.fixture(params=[Pint, Astropy], ids=lambda cls: cls.name)
def package(request):
    return request.param()


def require(package, q, unit, expected):
    """A quantity is in a unit itself, not only convertible to it, and has these numbers."""
    assert type(q).__name__ == "Quantity"
    unit = 1.0 * unit
    assert q.unit == unit.unit if package.name == "astropy" else q.units == unit.units
    np.testing.assert_allclose(package.number(q / unit, ""), expected, rtol=1e-12)


def energy(u):
    """Of springs, by their lengths."""
    return lambda q: (3.0 * u.N / u.m * q**2).sum()


def test_gradients(package):
    u = package.u
    q = N * u.cm
    value, slope = value_and_grad(energy(u))(q)
    np.testing.assert_allclose(package.number(value, "J"), 3e-4 * np.sum(N**2), rtol=1e-12)
    require(package, slope, 1.0 * u.N * u.cm / u.m, 6.0 * N)
    np.testing.assert_allclose(package.number(slope, "N"), 0.06 * N, rtol=1e-12)
    steps = 1e-6 * np.eye(2) * u.cm
    f = energy(u)
    differences = [package.number((f(q + s) - f(q - s)) / (2e-6 * u.cm), "N") for s in steps]
    np.testing.assert_allclose(package.number(slope, "N"), differences, rtol=1e-6)


def test_numbers_and_quantities_on_either_side(package):
    u = package.u
    require(package, grad(lambda q: package.number(q, "m") ** 2)(2.0 * u.km), u.km**-1, 4e6)
    require(package, grad(lambda x: x**2 * u.m)(2.0), 1.0 * u.m, 4.0)
    require(package, grad(lambda q: q**3)(2.0 * u.m), 1.0 * u.m**2, 12.0)
    in_seconds, in_metres = grad(lambda a, b: a * b, argnums=(0, 1))(2.0 * u.m, 3.0 * u.s)
    require(package, in_seconds, 1.0 * u.s, 3.0)
    require(package, in_metres, 1.0 * u.m, 2.0)
    slope, aux = grad(lambda q: (q * q, q + q), has_aux=True)(2.0 * u.m)
    require(package, slope, 1.0 * u.m, 4.0)
    require(package, aux, 1.0 * u.m, 4.0)
    assert grad(energy(u))((N * u.cm).astype(np.float32)).dtype == np.float32


def test_containers(package):
    u = package.u
    slope = grad(lambda p: p["a"] * p["b"][0] ** 2)({"a": 2.0 * u.m, "b": [3.0]})
    assert slope["a"] == 9.0  # a number without a unit, as a quantity
    require(package, slope["b"][0], 1.0 * u.m, 12.0)
    rows = jacobian(lambda p: {"y": p["a"] * p["b"] ** 2, "n": 2.0 * p["b"]})(
        {"a": 2.0 * u.m, "b": 3.0}
    )
    assert rows["y"]["a"] == 9.0
    require(package, rows["y"]["b"], 1.0 * u.m, 12.0)
    require(package, rows["n"]["a"], u.m**-1, 0.0)
    assert rows["n"]["b"] == 2.0


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_matrices(package, mode):
    u = package.u
    found = jacobian(lambda q: q**2 * u.s, mode=mode)(N * u.cm)
    require(package, found, 1.0 * u.cm * u.s, np.diag(2.0 * N))


def test_second_derivatives(package):
    u = package.u
    q, per_length = N * u.cm, 1.0 * u.N / u.m
    require(package, hessian(lambda q: energy(u)(q) * q[0])(q), per_length * u.cm, cubic())
    require(package, hvp(energy(u), q, np.array([1.0, 2.0]) * u.m), per_length * u.cm, [600, 1200])
    twice = grad(lambda q: (grad(energy(u))(q) * np.array([1.0, 2.0])).sum())(q)
    require(package, twice, per_length, [6.0, 12.0])


def cubic():
    """The second derivatives of 3 (a^2 + b^2) a."""
    a, b = N
    return [[18.0 * a, 6.0 * b], [6.0 * b, 6.0 * a]]


def test_forward_mode_takes_tangents_in_other_units(package):
    u = package.u
    q, unit = N * u.cm, 1.0 * u.N * u.cm**2 / u.m
    along = np.array([1.0, 2.0])
    for x_dot in (along * u.cm, along / 100.0 * u.m):
        value, slope = jvp(energy(u), (q,), (x_dot,))
        require(package, value, unit, 3.0 * np.sum(N**2))
        require(package, slope, unit, 6.0 * N @ along)
    require(package, linearize(energy(u), q)[1](along * u.cm), unit, 6.0 * N @ along)
    require(package, linearize(lambda q: q**2, q)[1](q), 1.0 * u.cm**2, 2.0 * N**2)


def test_tangents_without_the_unit_are_refused(package):
    u = package.u
    for x_dot in (N * u.s, N):
        with pytest.raises(SeedError, match=r"cm|centimeter"):
            jvp(energy(u), (N * u.cm,), (x_dot,))
    with pytest.raises(SeedError):
        jvp(np.sum, (N,), (N * u.cm,))


def test_pullbacks(package):
    u = package.u
    pull = vjp(lambda q: q**2, N * u.cm)[1]
    require(package, pull(np.ones(2))[0], 1.0 * u.cm, 2.0 * N)
    require(package, pull(np.ones(2) * u.J)[0], 1.0 * u.cm * u.J, 2.0 * N)
    pull = vjp(lambda q: package.number(q, "m"), N * u.cm)[1]
    require(package, pull(np.ones(2) * u.J)[0], 1.0 * u.J / u.cm, [0.01, 0.01])


def two_results(p):
    """Results of two units in a container, of a container."""
    return {"energy": p["m"] * p["v"] ** 2 / 2, "momentum": [p["m"] * p["v"]], "n": p["v"] / p["v"]}


def test_pullbacks_of_containers(package):
    u = package.u
    m, v = 3.0, np.array([1.0, 2.0])
    y, pull = vjp(two_results, {"m": m * u.kg, "v": v * u.m / u.s})
    require(package, y["momentum"][0], u.kg * u.m / u.s, m * v)
    # each cotangent in one over the unit of its result, so that the derivatives are of numbers
    energy, momentum = 1.0 / (u.kg * u.m**2 / u.s**2), 1.0 / (u.kg * u.m / u.s)
    (bar,) = pull({"energy": N * energy, "momentum": [2.0 * N * momentum], "n": N})
    require(package, bar["m"], 1.0 / u.kg, N @ (v**2 / 2 + 2.0 * v))
    require(package, bar["v"], 1.0 * u.s / u.m, m * N * (v + 2.0))
    # one of them in another unit of the same dimension
    (bar,) = pull({"energy": N * energy, "momentum": [N * 1000.0 / (u.g * u.m / u.s)], "n": 0 * N})
    require(package, bar["v"], 1.0 * u.s / u.m, m * N * (v + 1e6))
    (bar,) = pull({"energy": N * energy * u.m, "momentum": [N * momentum * u.cm], "n": 0 * N})
    np.testing.assert_allclose(package.number(bar["m"], "m/kg"), N @ (v**2 / 2 + 0.01 * v))


def test_cotangents_without_units_are_taken_where_the_results_have_one(package):
    u = package.u
    pull = vjp(lambda a, b: (a * b, a**2), 2.0 * u.m, 3.0 * u.m)[1]
    a_bar, b_bar = pull((1.0, 2.0))
    require(package, a_bar, 1.0 * u.m, 11.0)
    require(package, b_bar, 1.0 * u.m, 2.0)
    pull = vjp(lambda a, b: (a * b, a), 2.0 * u.m, 3.0 * u.s)[1]
    for seed in ((1.0, 0.0), (1.0, ZERO)):  # zeros go with any unit
        a_bar, b_bar = pull(seed)
        require(package, a_bar, 1.0 * u.s, 3.0)
        require(package, b_bar, 1.0 * u.m, 2.0)
    require(package, pull((0.0, 1.0))[0], 1.0 * u.m / u.m, 1.0)
    with pytest.raises(package.mismatch):
        pull((1.0, 1.0))
    with pytest.raises(package.mismatch):
        pull((1.0 / (u.m * u.s), 1.0))
    number, pull = vjp(lambda x: {"a": x[0], "b": [x[1] ** 2]}, N)
    require(package, pull({"a": 2.0 * u.m, "b": [3.0 * u.m]})[0], 1.0 * u.m, [2.0, 6.0 * N[1]])


def test_other_transforms_keep_units(package):
    u = package.u
    q = N * u.cm
    require(package, vmap(lambda q: q**2)(q), 1.0 * u.cm**2, N**2)
    require(package, grad(checkpoint(energy(u)))(q), 1.0 * u.N * u.cm / u.m, 6.0 * N)
    unit = 1.0 * u.N * u.cm**2 / u.m
    for coefficient, expected in zip(taylor(energy(u), q, 2, q), (3.0, 6.0, 3.0), strict=True):
        require(package, coefficient, unit, expected * np.sum(N**2))


def test_units_that_do_not_match_are_an_error_of_the_package(package):
    u = package.u
    with pytest.raises(package.mismatch):
        grad(lambda q: (q + 1.0 * u.s).sum())(N * u.cm)
    with pytest.raises(package.mismatch):
        grad(lambda q: package.number(q, "s").sum())(N * u.cm)


def test_sparse_matrices_have_no_units(package):
    u = package.u
    with pytest.raises(InputError, match="quantity"):
        jacobian(lambda q: q**2, sparse=True)(N * u.cm)
    with pytest.raises(InputError, match="quantity"):
        hessian(energy(u), sparse=True)(N * u.cm)
    for f in (lambda x: x**2 * u.cm, lambda x: np.sum(x**2) * u.cm):  # by columns, and by rows
        with pytest.raises(OutputError, match="quantity"):
            jacobian(f, sparse=True)(N)


def test_quantities_of_two_packages_are_refused():
    pint, astropy = Pint(), Astropy()
    with pytest.raises(InputError, match="pint"):
        grad(lambda q: package_free(q) * pint.u.m)(2.0 * astropy.u.m)


def package_free(q):
    return q.to_value("m")
