"""Reductions: what an axis was reduced over comes back as a broadcast, so shapes are kept and arrays are not."""

from typing import Any

import numpy as np

from chainrules_py.makers import ArraySpec, linear_rule


def restore_axes(y_bar: Any, x: ArraySpec, axis: Any, keepdims: bool, xp: Any) -> Any:
    """The cotangent of a reduction with the reduced axes back, at length one."""
    if keepdims or x.ndim == 0:
        return y_bar
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    reduced = {a % x.ndim for a in axes}
    return xp.reshape(y_bar, tuple(1 if a in reduced else length for a, length in enumerate(x.shape)))


@linear_rule(np.sum)
def sum_adjoint(y_bar: Any, a: ArraySpec, *, axis: Any = None, keepdims: bool = False, xp: Any) -> Any:
    """Every summand receives the whole cotangent."""
    return xp.broadcast_to(restore_axes(y_bar, a, axis, keepdims, xp), a.shape)


@linear_rule(np.mean)
def mean_adjoint(y_bar: Any, a: ArraySpec, *, axis: Any = None, keepdims: bool = False, xp: Any) -> Any:
    """Every entry receives the cotangent divided by the number of entries averaged."""
    restored = restore_axes(y_bar, a, axis, keepdims, xp)
    count = a.size // max(restored.size, 1) if a.ndim else 1
    return xp.broadcast_to(restored / count, a.shape)
