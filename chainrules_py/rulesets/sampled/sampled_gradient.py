"""Differences of samples along axes: `numpy.gradient`."""

from typing import Any

import numpy as np

from chainrules_py import Array, composed
from chainrules_py.rulesets.formulas.array_likes import ArrayLike
from chainrules_py.rulesets.formulas.reducing import reduced_axes


@composed(np.gradient)
def gradient(f: Array, *varargs: ArrayLike, axis: Any = None, edge_order: int = 1) -> Any:
    """Differences of second order inside, and of first or second order at the edges."""
    axes = reduced_axes(axis, f.ndim)
    spacings = varargs if len(varargs) > 1 else (varargs or (1.0,)) * len(axes)
    parts = [
        gradient_along(np.moveaxis(f, k, -1), spacing, k, edge_order)
        for spacing, k in zip(spacings, axes, strict=True)
    ]
    return parts[0] if len(parts) == 1 else tuple(parts)


def gradient_along(f: Any, spacing: Any, axis: int, edge_order: int) -> Any:
    """The slope of a parabola through three neighbours along the last axis, which becomes `axis`.

    At the edges it is the slope between two samples or, in second order, that of the nearest
    parabola (B. Fornberg 1988).
    """
    is_uniform = np.ndim(spacing) == 0
    h: Any = spacing if is_uniform else np.diff(spacing)
    slopes = np.diff(f, axis=-1) / h
    if is_uniform:
        inner = (f[..., 2:] - f[..., :-2]) / (2.0 * h)
        shares: Any = (0.5, 0.5)
    else:
        width = h[1:] + h[:-1]
        inner = (h[1:] * slopes[..., :-1] + h[:-1] * slopes[..., 1:]) / width
        shares = (h[:1] / width[:1], h[-1:] / width[-1:])

    first, last = slopes[..., :1], slopes[..., -1:]
    if edge_order == 2:
        first = first + (first - slopes[..., 1:2]) * shares[0]
        last = last + (last - slopes[..., -2:-1]) * shares[1]
    y = np.concatenate([first, inner, last], axis=-1)
    dtype = f.dtype if f.dtype.kind in "fc" else np.float64
    return np.moveaxis(y.astype(dtype), -1, axis)
