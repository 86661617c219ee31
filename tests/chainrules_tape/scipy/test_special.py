"""Functions of `scipy.special` that are written in Python, on traced values."""

import numpy as np
import pytest
from scipy import special

from chainrules_py.errors import NotImplementedTangentError
from chainrules_tape import LostGradientError, grad
from chainrules_tape.scipy import special as traced

X = np.array([0.3, -1.2, 2.0])


def test_python_functions_find_their_rules():
    assert np.isclose(
        grad(lambda x: traced.multigammaln(x, 3))(4.0),
        sum(special.psi(4.0 - 0.5 * j) for j in range(3)),
    )
    assert np.isclose(grad(grad(lambda x: traced.polygamma(1, x)))(2.5), special.polygamma(3, 2.5))
    assert np.isclose(
        grad(lambda z: traced.spherical_jn(2, z))(0.7), special.spherical_jn(2, 0.7, True)
    )
    assert np.isclose(
        grad(lambda x: np.real(traced.lambertw(x)))(1.0),
        np.real(1 / (1 + special.lambertw(1.0)) / np.exp(special.lambertw(1.0))),
    )


def test_plain_values_get_scipys_answer():
    assert traced.logsumexp(X) == special.logsumexp(X)
    assert np.array_equal(traced.erf(X), special.erf(X))
    assert "jv" in dir(traced)


def test_scipys_own_name_of_a_python_function_is_refused_with_the_import_to_write():
    with pytest.raises(LostGradientError, match=r"from chainrules_tape\.scipy import special"):
        grad(special.logsumexp)(X)


@pytest.mark.parametrize("zeta", [special.zeta, traced.zeta])
def test_the_exponent_of_riemanns_zeta_function_is_refused_by_name(zeta):
    with pytest.raises(NotImplementedTangentError, match="Riemann"):
        grad(zeta)(2.5)
