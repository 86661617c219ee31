"""Programs on quantities of pint have the gradients of the same programs on numbers."""

import numpy as np
import pytest

from chainrules_tape import grad, hessian, jvp, value_and_grad, vmap

pint = pytest.importorskip("pint")
U = pint.UnitRegistry()
X = np.array([0.3, 0.7, 1.1])
CONSTANT = np.array([1.0, 2.0, 3.0]) * U.m

# each in numbers, and with units; a kilometre an hour is 1 / 3.6 of a metre a second
PROGRAMS = {
    "square": (lambda x: np.sum((x * U.m) ** 2).m_as("cm**2"), lambda x: 1e4 * np.sum(x**2)),
    "Quantity": (lambda x: (U.Quantity(x, "m") ** 3).sum().m, lambda x: np.sum(x**3)),
    "function": (lambda x: np.sum(np.exp(x * U.cm / (2 * U.m))).m, lambda x: np.exp(x / 200).sum()),
    "degrees": (lambda x: np.sum(np.sin(x * U.deg)).m, lambda x: np.sin(np.radians(x)).sum()),
    "sum": (lambda x: np.sum((x * U.cm) ** 2 + 1.0 * U.mm**2).m, lambda x: np.sum(x**2 + 0.01)),
    "root": (lambda x: np.sum(np.sqrt(x * U.m**2)).m_as("mm"), lambda x: 1e3 * np.sqrt(x).sum()),
    "constant": (lambda x: np.sum(CONSTANT * x**2).m, lambda x: np.sum([1, 2, 3] * x**2)),
    "beside": (lambda x: np.sum(x**2 * CONSTANT).m, lambda x: np.sum([1, 2, 3] * x**2)),
    "dot": (lambda x: np.dot(x * U.m, CONSTANT).m, lambda x: np.dot(x, [1, 2, 3])),
    "index": (lambda x: (x * U.m)[1].m_as("cm") ** 2, lambda x: 1e4 * x[1] ** 2),
    "speed": (lambda x: (x[0] * U.m / (x[1] * U.s)).m_as("km/h"), lambda x: 3.6 * x[0] / x[1]),
    "where": (
        lambda x: np.sum(np.where(x * U.m > 50 * U.cm, x * U.m, 0 * U.m)).m,
        lambda x: np.sum(np.where(x > 0.5, x, 0.0)),
    ),
    "offset": (
        lambda x: np.sum(U.Quantity(x, "degC").to("kelvin").m ** 2),
        lambda x: np.sum((x + 273.15) ** 2),
    ),
}


@pytest.mark.parametrize(("with_units", "in_numbers"), PROGRAMS.values(), ids=PROGRAMS)
def test_programs(with_units, in_numbers):
    value, slope = value_and_grad(with_units)(X)
    np.testing.assert_allclose(value, in_numbers(X), rtol=1e-12)
    step = 1e-6 * np.eye(3)
    differences = [(in_numbers(X + one) - in_numbers(X - one)) / 2e-6 for one in step]
    np.testing.assert_allclose(slope, differences, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(jvp(with_units, (X,), (X,))[1], slope @ X, rtol=1e-12, atol=1e-12)


def test_the_second_order_and_lanes():
    with_units, in_numbers = PROGRAMS["function"]
    np.testing.assert_allclose(hessian(with_units)(X), hessian(in_numbers)(X), rtol=1e-12)
    np.testing.assert_allclose(vmap(with_units)(X[None]), [in_numbers(X)], rtol=1e-12)


def test_units_that_do_not_match_are_an_error_of_pint():
    with pytest.raises(pint.DimensionalityError):
        grad(lambda x: np.sum(x * U.m + 2.0 * U.s).m)(X)


def test_a_quantity_is_a_constant_argument():
    found = grad(lambda x, area: np.sum(x**2 * area).m)(X, 3.0 * U.m**2)
    np.testing.assert_allclose(found, 6.0 * X, rtol=1e-15)
