"""The Cholesky factor A = L L^H (Murray 2016, arXiv:1602.07527).

L_dot = L F(L^-1 A_dot L^-H), where F takes the lower triangle and halves its diagonal. The argument
is a Hermitian matrix, although LAPACK reads one triangle of it: tangents are made Hermitian, and so
is the cotangent.
"""

from typing import Any

import numpy as np

from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.rulesets.formulas.matrices import (
    adjoint,
    between_inverses,
    hermitian_part,
    on_hermitian,
)
from chainrules_py.values.arrays import Array


@linearised_rule(np.linalg.cholesky)
def cholesky_linearised(a: Array, *, upper: bool = False, xp) -> Linearised:
    y = xp.linalg.cholesky(a, **({"upper": True} if upper else {}))
    return y, cholesky_map(y, upper, xp)


def cholesky_map(y, upper: bool, xp) -> LinearMap:
    """The derivative of the factor `y`."""
    lower = adjoint(y, xp) if upper else y

    def cholesky_pushforward(a_dot):
        turned = between_inverses(lower, a_dot, xp)
        l_dot = lower @ _halved_lower(turned, xp)
        return adjoint(l_dot, xp) if upper else l_dot

    def cholesky_pullback(y_bar):
        l_bar = adjoint(y_bar, xp) if upper else y_bar
        turned_bar = hermitian_part(_halved_lower(adjoint(lower, xp) @ l_bar, xp), xp)
        return between_inverses(lower, turned_bar, xp, of_adjoint=True)

    return on_hermitian(LinearMap(cholesky_pushforward, cholesky_pullback), xp)


def _halved_lower(a, xp) -> Any:
    return (xp.tril(a) + xp.tril(a, -1)) / 2
