"""Sums of B-splines on any knots."""

from typing import Any

import numpy as np
from scipy import interpolate

from chainrules_py.makers import LinearMap, linearised_rule, primitive
from chainrules_py.values.arrays import Array, Scalar


@primitive
def b_spline_values(x, c, t, k: int, nu: int, extrapolate) -> Any:
    """The derivative `nu` at points x of the sum of B-splines with constant coefficients c.

    They have the degree `k` and the knots `t`; the sum is over the first axis of `c`.
    """
    if nu <= k:
        return interpolate.BSpline(t, c, k, extrapolate)(x, nu)
    return np.zeros((*np.shape(x), *c.shape[1:]), c.dtype)


@linearised_rule(b_spline_values)
def b_spline_values_linearised(
    x: Array | Scalar, *, c, t, k: int, nu: int, extrapolate, out, xp
) -> LinearMap:
    """The next derivative of the sum."""
    each = tuple(range(1 - c.ndim, 0))

    def slope() -> Any:
        return b_spline_values(x, c=c, t=t, k=k, nu=nu + 1, extrapolate=extrapolate)

    return LinearMap(
        lambda dot: slope() * xp.expand_dims(dot, each),
        lambda y_bar: xp.sum(xp.real(xp.conj(slope()) * y_bar), axis=each),
    )
