"""Quantities of pint: errors and constants; derivatives are cells of `product.united`."""

import numpy as np
import pytest

from chainrules_tape import grad

pint = pytest.importorskip("pint")
U = pint.UnitRegistry()
X = np.array([0.3, 0.7, 1.1])


def test_units_that_do_not_match_are_an_error_of_pint():
    with pytest.raises(pint.DimensionalityError):
        grad(lambda x: np.sum(x * U.m + 2.0 * U.s).m)(X)


def test_a_quantity_is_a_constant_argument():
    found = grad(lambda x, area: np.sum(x**2 * area).m)(X, 3.0 * U.m**2)
    np.testing.assert_allclose(found, 6.0 * X, rtol=1e-15)
