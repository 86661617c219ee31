"""What all reductions have in common: which axes they reduce, how these come back, and weighted sums over them."""

from collections.abc import Callable
from typing import Any

from chainrules_py.makers import ArraySpec
from chainrules_py.makers.linearised import LinearMap


def given(**options: Any) -> dict[str, Any]:
    """The options that were given: a primal's own defaults differ from library to library."""
    return {name: value for name, value in options.items() if value is not None}


def reduced_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes that a reduction runs over, counted from the front."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(a % ndim if ndim else a for a in (axis if isinstance(axis, tuple | list) else (axis,)))


def restore_axes(y_bar: Any, x: ArraySpec, axis: Any, keepdims: bool, xp: Any) -> Any:
    """A value of a reduction's output with the reduced axes back, at length one."""
    if keepdims or x.ndim == 0:
        return y_bar
    reduced = reduced_axes(axis, x.ndim)
    return xp.reshape(y_bar, tuple(1 if a in reduced else length for a, length in enumerate(x.shape)))


def count_of(x: ArraySpec, axis: Any, where: Any, xp: Any) -> Any:
    """How many entries are reduced into one: a number, or with a mask an array with the reduced axes at length one."""
    if where is not None:
        return xp.sum(xp.broadcast_to(where, x.shape), axis=axis, keepdims=True)
    count = 1
    for a in reduced_axes(axis, x.ndim) if x.ndim else ():
        count *= x.shape[a]
    return count


def masked(value: Any, where: Any, xp: Any) -> Any:
    """The value where the mask says so, zero elsewhere."""
    return value if where is None else xp.where(where, value, 0)


def weighted_sum(weights: Callable[[], Any], x: ArraySpec, axis: Any, keepdims: bool, xp: Any) -> LinearMap:
    """y_dot = sum(weights * x_dot), x_bar = conj(weights) * y_bar; the weights are computed when they are wanted."""

    def reduction_pushforward(x_dot: Any) -> Any:
        return xp.sum(weights() * x_dot, axis=axis, keepdims=keepdims)

    def reduction_pullback(y_bar: Any) -> Any:
        return xp.conj(weights()) * restore_axes(y_bar, x, axis, keepdims, xp)

    return LinearMap(reduction_pushforward, reduction_pullback)
