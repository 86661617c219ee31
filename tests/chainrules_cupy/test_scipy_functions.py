"""What CuPy's functions of SciPy are called by."""

import numpy as np
from scipy import special

from chainrules_cupy.scipy_functions import with_low_orders


def test_derivatives_of_spherical_bessel_functions_are_made_of_the_neighbouring_orders():
    def without_derivatives(n, z):
        return special.spherical_yn(n, z)

    function = with_low_orders(without_derivatives)
    n, z = np.arange(4)[:, None], np.array([0.3, 0.6, 2.2])
    assert np.array_equal(function(n, z), special.spherical_yn(n, z))
    np.testing.assert_allclose(function(n, z, True), special.spherical_yn(n, z, True), rtol=1e-13)
    assert np.isclose(function(0, 0.6, derivative=True), special.spherical_yn(0, 0.6, True))
