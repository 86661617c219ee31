"""``ufunc.outer(a, b)``.

The ufunc on every pair, that is, on `a` with as many axes added as `b` has.
"""

from typing import Any

import numpy as np

from chainrules_py import NO_TANGENT, Array, ProjectTo, Scalar, frule, is_zero, rrule, unthunk
from chainrules_py.rulesets.formulas.array_likes import dense
from chainrules_py.table.entry_points import Pullback
from chainrules_py.values.arrays import shape_of


def outer_shape(a, b) -> tuple[int, ...]:
    """The shape of `a` against which `b` is broadcast."""
    return (*shape_of(a), *(1,) * getattr(b, "ndim", 0))


@rrule.register(np.ufunc.outer)
def outer_rrule(
    ufunc: np.ufunc, a: Array | Scalar, b: Array | Scalar, *, xp
) -> tuple[Any, Pullback]:
    """The pullback of the ufunc itself."""
    a_space, b_space = ProjectTo(a), ProjectTo(b)
    y, ufunc_pullback = rrule(ufunc, xp.reshape(dense(a, xp), outer_shape(a, b)), dense(b, xp))

    def outer_pullback(y_bar) -> tuple[Any, ...]:
        a_bar, b_bar = map(unthunk, ufunc_pullback(y_bar))
        a_bar = a_bar if is_zero(a_bar) else xp.reshape(a_bar, a_space.shape)
        return NO_TANGENT, a_space(a_bar), b_space(b_bar)

    return y, outer_pullback


@frule.register(np.ufunc.outer)
def outer_frule(
    dots: tuple[Any, Any, Any], ufunc: np.ufunc, a: Array | Scalar, b: Array | Scalar, *, xp
) -> tuple[Any, Any]:
    """The tangent of the ufunc itself."""
    a_dot, b_dot = (dot if is_zero(dot) else dense(dot, xp) for dot in dots[1:])
    a_dot = a_dot if is_zero(a_dot) else xp.reshape(a_dot, outer_shape(a, b))
    return frule((a_dot, b_dot), ufunc, xp.reshape(dense(a, xp), outer_shape(a, b)), dense(b, xp))
