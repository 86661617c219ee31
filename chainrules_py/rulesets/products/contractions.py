"""Contractions over chosen axes.

`tensordot`, and `dot`, which is the contraction of certain axes; `inner` is `dot` of another array.

The cotangent has the free axes of `a`, then those of `b`. Contracting it with one factor over that
factor's free axes leaves the free axes of the other and the contracted ones; what remains is to put
them into the other's order.
"""

from typing import Any

import numpy as np

from chainrules_py import Array, Scalar, Space, composed, linear_rule
from chainrules_py.projection.structured import adjoint
from chainrules_py.rulesets.products.products import conj
from chainrules_py.values.arrays import shape_of

Axes = tuple[list[int], list[int]]


def contract_with_b(y_bar, a: Space, b, axes: Axes, xp) -> Any:
    """a_bar: y_bar and conj(b), contracted over the free axes of `b`."""
    free_a, free_b = free_axes(a.ndim, axes[0]), free_axes(np.ndim(b), axes[1])
    a_bar = xp.tensordot(y_bar, conj(b, xp), (tuple(range(len(free_a), y_bar.ndim)), tuple(free_b)))
    contracted = [axes[0][k] for k in order_of(axes[1])]  # what is left of b comes in b's order
    return axes_in_order(a_bar, [*free_a, *contracted], xp)


def contract_with_a(y_bar, a, b: Space, axes: Axes, xp) -> Any:
    """b_bar: conj(a) and y_bar, contracted over the free axes of `a`."""
    free_a, free_b = free_axes(np.ndim(a), axes[0]), free_axes(b.ndim, axes[1])
    b_bar = xp.tensordot(conj(a, xp), y_bar, (tuple(free_a), tuple(range(len(free_a)))))
    contracted = [axes[1][k] for k in order_of(axes[0])]
    return axes_in_order(b_bar, [*contracted, *free_b], xp)


def order_of(axes: list[int]) -> list[int]:
    """The positions that put axes in order."""
    return sorted(range(len(axes)), key=axes.__getitem__)


def axes_in_order(x, axes: list[int], xp) -> Any:
    """An array whose axes are these, with its axes in order."""
    order = order_of(axes)
    return x if order == sorted(order) else xp.transpose(x, tuple(order))


def free_axes(ndim: int, contracted: list[int]) -> list[int]:
    """The axes that are left."""
    return [axis for axis in range(ndim) if axis not in contracted]


def tensordot_axes(axes, a, b) -> Axes:
    """The contracted axes of both, counted from the front."""
    ndim_a, ndim_b = np.ndim(a), np.ndim(b)  # one of them may be a number
    if np.ndim(axes) == 0:
        return list(range(ndim_a - axes, ndim_a)), list(range(axes))
    of_a, of_b = ([one] if np.ndim(one) == 0 else list(one) for one in axes)
    return [axis % ndim_a for axis in of_a], [axis % ndim_b for axis in of_b]


def tensordot_adjoint_a(y_bar, a: Space, b, *, axes: Any = 2, xp):
    """The cotangent contracted with the other factor."""
    return contract_with_b(y_bar, a, b, tensordot_axes(axes, a, b), xp)


def tensordot_adjoint_b(y_bar, a, b: Space, *, axes: Any = 2, xp):
    """The cotangent contracted with the other factor."""
    return contract_with_a(y_bar, a, b, tensordot_axes(axes, a, b), xp)


linear_rule(np.tensordot, tensordot_adjoint_a, tensordot_adjoint_b)


def dot_axes(a, b) -> Axes:
    """The last axis of `a` with the last but one of `b`; with the only one of a vector."""
    return [a.ndim - 1], [max(b.ndim - 2, 0)]


def product_adjoint_a(y_bar, a: Space, b, xp) -> Any:
    """The adjoint of a product with a number, which is what `dot` computes there."""
    return y_bar * conj(b, xp) if a.ndim else xp.sum(y_bar * conj(b, xp))


def dot_adjoint_a(y_bar, a: Space, b, *, xp):
    """a_bar = y_bar b^H for a matrix or a vector b; a contraction in general."""
    if np.ndim(b) == 0 or a.ndim == 0:
        return product_adjoint_a(y_bar, a, b, xp)
    if b.ndim == 1:
        return xp.expand_dims(y_bar, -1) * conj(b, xp)
    if b.ndim == 2:
        return xp.matmul(y_bar, adjoint(b, xp))
    return contract_with_b(y_bar, a, b, dot_axes(a, b), xp)


def dot_adjoint_b(y_bar, a, b: Space, *, xp):
    """b_bar = a^H y_bar for matrices and vectors; a contraction in general."""
    if np.ndim(a) == 0 or b.ndim == 0:
        return product_adjoint_a(y_bar, b, a, xp)
    if a.ndim == 1 and b.ndim < 3:
        return (xp.expand_dims(conj(a, xp), -1) if b.ndim == 2 else conj(a, xp)) * y_bar
    if a.ndim == 2 and b.ndim < 3:
        return xp.matmul(adjoint(a, xp), y_bar)
    return contract_with_a(y_bar, a, b, dot_axes(a, b), xp)


linear_rule(np.dot, dot_adjoint_a, dot_adjoint_b)


@composed(np.inner)
def inner(a: Array | Scalar, b: Array | Scalar, *, xp) -> Any:
    """The last axes of both: `dot`, with the last two axes of `b` swapped; of a number, a multiple."""
    is_swapped = shape_of(a) and len(shape_of(b)) > 1
    return xp.dot(a, xp.swapaxes(b, -1, -2) if is_swapped else b)
