"""Divided differences of a function at nodes of which some may be equal, or nearly so (Opitz 1964;
Higham 2008, appendix B.16).

    h[x0] = h(x0)       h[x0, ..., xk] = (h[x1, ..., xk] - h[x0, ..., xk-1]) / (xk - x0)

The quotient loses digits where xk - x0 is small. There the same number is a mean of the k-th
derivative over the simplex that the nodes span (Hermite & Genocchi), which a product of Gauss rules
gives to the last digits as soon as the nodes are closer than the function's own length. Nobody
knows that length, but what rounding does to the quotient is known, and the difference of two Gauss
rules tells how good the mean is: the better one is taken. A function that jumps between the nodes
looks constant to both rules; it is told by a mean that is further from the quotient than rounding,
and cancellation inside of h, can explain.
"""

from functools import reduce
from operator import mul
from typing import Any

import numpy as np

from chainrules_py.rulesets.formulas.jets import Function, derivative
from chainrules_py.rulesets.formulas.matrices import reciprocal_or_zero

POINTS = (6, 5)  # of the two Gauss rules along each axis
ROUNDING = 8  # how many units in the last place a value of the function may be off


def divided_differences(h: Function, x, order: int, xp) -> Any:
    """h[x_i, x_j, ...] for all `order` + 1 indices, on as many last axes.

    `x` ascends along its last axis.
    """
    ascending = xp.sort(xp.indices((x.shape[-1],) * (order + 1)), axis=0)
    nodes, values = (
        xp.moveaxis(v[..., ascending], -order - 2, -1) for v in (x, derivative(h, x, 0, xp))
    )
    doubts = _rounding(x, xp) * xp.abs(values)
    for k in range(1, order + 1):
        values, doubts = _one_order_more(h, nodes, values, doubts, k, xp)
    return values[..., 0]


def _rounding(x, xp) -> float:
    return ROUNDING * float(xp.finfo(x.dtype).eps)


def _one_order_more(h: Function, nodes, values, doubts, k: int, xp) -> tuple[Any, Any]:
    """The differences of k + 1 nodes next to each other, of those of k, and what rounding may have
    done to them.
    """
    neighbours = xp.stack([nodes[..., i : nodes.shape[-1] - k + i] for i in range(k + 1)], axis=-1)
    spread = neighbours[..., -1] - neighbours[..., 0]
    inverse = reciprocal_or_zero(spread, spread == 0, xp)
    quotient = (values[..., 1:] - values[..., :-1]) * inverse
    doubt = (doubts[..., 1:] + doubts[..., :-1]) * inverse
    epsilon = _rounding(nodes, xp)
    # between distant nodes there may be anything, a pole for instance
    with np.errstate(all="ignore"):
        mean, rough = (simplex_mean(h, neighbours, count, xp) for count in POINTS)
        explained = xp.abs(mean - quotient) <= doubt / epsilon**0.5
        close = (spread == 0) | ((xp.abs(mean - rough) <= doubt) & explained)
    return xp.where(close, mean, quotient), xp.where(close, epsilon * xp.abs(mean), doubt)


def simplex_mean(h: Function, nodes, count: int, xp) -> Any:
    """The integral of h^(k) over the simplex of k + 1 nodes, of volume 1 / k!, by a Gauss rule with
    `count` points an axis.
    """
    order = nodes.shape[-1] - 1
    points, weights = cubature(order, count, nodes.dtype, xp)
    at = nodes[..., :1] + (nodes[..., 1:] - nodes[..., :-1]) @ points
    return derivative(h, at, order, xp) @ weights


def cubature(dimension: int, count: int, dtype, xp) -> tuple[Any, Any]:
    """Nodes and weights of a cubature over decreasing points ``1 >= u_1 >= ... >= u_k >= 0``.

    One point is in each column; the region is a cube folded up, by u_i = v_1 ... v_i.
    """
    nodes, weights = gauss_rule(count, dtype, xp)
    v, w = (
        [xp.reshape(g, -1) for g in xp.meshgrid(*[axis] * dimension, indexing="ij")]
        for axis in (nodes, weights)
    )
    points = xp.cumprod(xp.stack(v), axis=0)
    return points, reduce(mul, w) * reduce(mul, points[:-1], 1)


def gauss_rule(count: int, dtype, xp) -> tuple[Any, Any]:
    """Nodes and weights on [0, 1], of Legendre's recurrence (Golub & Welsch 1969).

    They are made where the arrays are.
    """
    k = xp.arange(1, count, dtype=dtype)
    off_diagonal = xp.diag(k / xp.sqrt(4 * k * k - 1), 1)
    nodes, vectors = xp.linalg.eigh(off_diagonal + off_diagonal.T)
    return (1 + nodes) / 2, vectors[0] ** 2
