"""Condition numbers, from the derivatives of the two norms that they are a product of."""

from typing import Any

import numpy as np

from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.rulesets.formulas.matrices import reciprocal_or_zero, resolution
from chainrules_py.rulesets.linalg.degeneracy import of_values_alone
from chainrules_py.rulesets.linalg.inverses import inverse_map
from chainrules_py.rulesets.linalg.norms import extreme_share, gradient_map, matrix_gradient
from chainrules_py.values.arrays import Array


@linearised_rule(np.linalg.cond)
def cond_linearised(x: Array, *, p: Any = None, xp) -> Linearised:
    y = xp.linalg.cond(x, p=p)

    def gradient():
        return _spectral_gradient(x, p, xp) if p in (None, 2, -2) else _product_gradient(x, p, xp)

    condition = gradient_map(x, (x.ndim - 2, x.ndim - 1), gradient, False, xp)
    if y.dtype.kind != "c":
        return y, condition
    # NumPy 2.2 gives the real number as a complex one: nothing depends on its imaginary part.
    return y, LinearMap(condition.push, lambda y_bar: condition.pull(xp.real(y_bar)))


def _spectral_gradient(x, p, xp) -> Any:
    """Gradient of s_1 / s_k: U diag(share of s_1 / s_k - share of s_k s_1 / s_k^2) V^H.

    It is 0 for singular matrices.

    For those the condition number is inf. Values that share are their mean, for the derivative of
    this, too.
    """
    u, _, vh = xp.linalg.svd(x, full_matrices=False)
    s = xp.linalg.svdvals(x)  # their cotangents by themselves, and so those of the vectors
    largest, smallest = (extreme_share(s, p != -2, xp), extreme_share(s, p == -2, xp))
    top, bottom = (xp.sum(share * s, axis=-1, keepdims=True) for share in (largest, smallest))
    inverse = reciprocal_or_zero(bottom, bottom <= resolution(s, xp), xp)
    share = inverse * (largest - top * inverse * smallest)
    u, vh = of_values_alone(u, vh, s, ignore_derivatives(share))
    return (u * xp.expand_dims(share, -2)) @ vh


def _product_gradient(x, p, xp) -> Any:
    """The gradient of |X| |X^-1|: that of each norm times the other, the second one brought back
    through the inverse.
    """
    axes, inverse = (x.ndim - 2, x.ndim - 1), xp.linalg.inv(x)
    norm, inverse_norm = (xp.linalg.norm(a, ord=p, axis=axes, keepdims=True) for a in (x, inverse))
    through = inverse_map(inverse, xp).pull(matrix_gradient(inverse, axes, p, xp))
    return inverse_norm * matrix_gradient(x, axes, p, xp) + norm * through
