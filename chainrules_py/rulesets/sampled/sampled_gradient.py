"""Differences of samples along axes: `numpy.gradient`."""

from typing import Any

import numpy as np

from chainrules_py import Array, composed
from chainrules_py.rulesets.formulas.array_likes import ArrayLike
from chainrules_py.rulesets.formulas.reducing import reduced_axes
from chainrules_py.rulesets.formulas.runs import index_along


@composed(np.gradient)
def gradient(f: Array, *varargs: ArrayLike, axis: Any = None, edge_order: int = 1) -> Any:
    """Differences of second order inside, and of first or second order at the edges."""
    axes = reduced_axes(axis, f.ndim)
    spacings = varargs if len(varargs) > 1 else (varargs or (1.0,)) * len(axes)
    parts = [
        gradient_along(f, spacing, axis, edge_order)
        for spacing, axis in zip(spacings, axes, strict=True)
    ]
    return parts[0] if len(parts) == 1 else tuple(parts)


def gradient_along(f, spacing, axis: int, edge_order: int) -> Any:
    """The slope of a parabola through three neighbours along an axis.

    At the edges it is the slope between two samples or, in second order, that of the nearest
    parabola (B. Fornberg 1988).
    """

    if f.shape[axis] < edge_order + 1:
        raise ValueError(
            f"numpy.gradient: {f.shape[axis]} samples along an axis; pass at least edge_order + 1"
        )

    def part(x, start: int | None, stop: int | None) -> Any:
        return x[index_along(axis, slice(start, stop))]

    is_uniform = np.ndim(spacing) == 0
    h: Any = spacing
    if not is_uniform:
        h = np.reshape(np.diff(spacing), tuple(-1 if k == axis else 1 for k in range(f.ndim)))
    slopes = np.diff(f, axis=axis) / h
    if is_uniform:
        inner = (part(f, 2, None) - part(f, None, -2)) / (2.0 * h)
        shares: Any = (0.5, 0.5)
    else:
        before, behind = part(h, None, -1), part(h, 1, None)
        width = before + behind
        inner = (behind * part(slopes, None, -1) + before * part(slopes, 1, None)) / width
        shares = (
            part(h, None, 1) / part(width, None, 1),
            part(h, -1, None) / part(width, -1, None),
        )

    first, last = part(slopes, None, 1), part(slopes, -1, None)
    if edge_order == 2:
        first = first + (first - part(slopes, 1, 2)) * shares[0]
        last = last + (last - part(slopes, -2, -1)) * shares[1]
    dtype = f.dtype if f.dtype.kind in "fc" else np.float64
    return np.concatenate([first, inner, last], axis=axis).astype(dtype)
