"""The recurrences of the families, and the matrices made of them, against NumPy's functions."""

import numpy as np
import pytest

from chainrules_py.rulesets.polynomial.families import (
    FAMILIES,
    basis,
    derivatives,
    integrals,
    times_x,
)

each_family = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.prefix)
COUNTS = [1, 2, 3, 6]


@each_family
def test_the_recurrence_is_the_family(family):
    x = np.linspace(-1.5, 1.5, 7)
    for n, values in enumerate(basis(x, 6, family, np)):
        np.testing.assert_allclose(
            values, family.function("val")(x, np.eye(6)[n]), rtol=1e-12, atol=1e-12
        )


@pytest.mark.parametrize("count", COUNTS)
@each_family
def test_the_matrix_of_derivatives_is_numpys(family, count):
    expected = family.function("der")(np.eye(count)) if count > 1 else np.zeros((0, 1))
    np.testing.assert_array_equal(derivatives(count, family, float, np), expected)


@pytest.mark.parametrize("count", COUNTS)
@each_family
def test_the_matrix_of_integrals_is_numpys(family, count):
    expected = family.function("int")(np.eye(count))[1:]
    np.testing.assert_allclose(integrals(count, family, float, np), expected, rtol=1e-15)


@pytest.mark.parametrize("count", COUNTS)
@each_family
def test_multiplication_by_x_is_numpys(family, count):
    series = np.append(np.random.default_rng(0).normal(size=count), 0.0)
    np.testing.assert_allclose(
        times_x(series, family, np), family.function("mulx")(series), rtol=1e-14
    )
