"""What is refused of the functions of `scipy.special`."""

import pytest
from scipy import special

from chainrules_py.errors import NotImplementedTangentError
from chainrules_tape import grad
from chainrules_tape.scipy import special as traced


@pytest.mark.parametrize("zeta", [special.zeta, traced.zeta])
def test_the_exponent_of_riemanns_zeta_function_is_refused_by_name(zeta):
    with pytest.raises(NotImplementedTangentError, match="Riemann"):
        grad(zeta)(2.5)
