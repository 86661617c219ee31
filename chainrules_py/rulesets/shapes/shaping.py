"""Functions that change axes and keep entries; each adjoint brings the argument's shape back."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray
from numpy.lib.array_utils import normalize_axis_index

from chainrules_py import Array, OptionError, Space, composed, linear_rule
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.array_likes import ArrayLike, beside_arrays
from chainrules_py.values.arrays import shape_of
from chainrules_py.values.identity import qualified_name

# --- The same entries in the same order ---


def index_order_of(primal) -> Callable[..., None]:
    """Refuses all orders but C and F for arrays of several axes.

    The others follow the memory of the argument, which its tangent does not share.
    """

    def refuse(a, /, order: str = "C", **options) -> None:
        if order not in ("C", "F") and np.ndim(a) > 1:
            raise OptionError(
                f"the rules of {qualified_name(primal)}",
                f"order={order!r} follows the argument's layout in memory, which its tangent does"
                " not share",
                "pass order='C' or order='F'",
                primal=primal,
                option="order",
                value=order,
            )

    return refuse


def reshaped_in_order(y_bar, shape: tuple[int, ...], order: str, xp) -> Any:
    """Reshape, reading and writing the entries in this order; of one axis, all are that of C."""
    if order not in ("C", "F"):
        order = "C"
    if type(y_bar) is ndarray and order == "C":  # the method takes a third of the time
        return y_bar.reshape(shape)
    if order == "C":  # which is all that some libraries have
        return xp.reshape(y_bar, shape)
    return xp.reshape(y_bar, shape, order=order)


@linear_rule(np.reshape, value_only=("copy",), refuse=index_order_of(np.reshape))
def reshape_adjoint(y_bar, a: Space, *, shape, order: str = "C", copy: bool | None = None, xp):
    """Reshapes the cotangent to the argument's shape."""
    return reshaped_in_order(y_bar, a.shape, order, xp)


@linear_rule(np.ravel, refuse=index_order_of(np.ravel))
def ravel_adjoint(y_bar, a: Space, *, order: str = "C", xp):
    """Reshapes the cotangent to the argument's shape."""
    return reshaped_in_order(y_bar, a.shape, order, xp)


@linear_rule(np.expand_dims)
def expand_dims_adjoint(y_bar, a: Space, *, axis, xp):
    """Removes from the cotangent the axes of length one that were added."""
    return y_bar.reshape(a.shape)


@linear_rule(np.squeeze)
def squeeze_adjoint(y_bar, a: Space, *, axis: Any = None, xp):
    """Puts the axes of length one back into the cotangent."""
    return y_bar.reshape(a.shape)


def at_least(primal, deepened) -> None:
    """Give a body to a function that adds axes of length one to each of its arguments.

    `deepened` is the new shape of one.
    """

    @composed(primal)
    def with_more_axes(*arys: ArrayLike, xp):
        made = tuple([xp.reshape(x, deepened(shape_of(x))) for x in beside_arrays(arys, xp)])
        return made[0] if len(made) == 1 else made


at_least(np.atleast_1d, lambda shape: shape or (1,))
at_least(np.atleast_2d, lambda shape: (1,) * (2 - len(shape)) + shape)
at_least(np.atleast_3d, lambda shape: shape if len(shape) > 2 else (*(1, 1, *shape)[-2:], 1))


# --- Axes in another order ---


@linear_rule(np.transpose)
def transpose_adjoint(y_bar, a: Space, *, axes: Any = None, xp):
    """Permutes the axes of the cotangent back."""
    if axes is None:
        return xp.transpose(y_bar)
    # a tuple, a list, a range or an array: `np.argsort(order)`, say
    axes = axes if np.ndim(axes) else (axes,)
    return xp.transpose(y_bar, inverse_permutation([int(axis) % a.ndim for axis in axes]))


def inverse_permutation(axes: list[int]) -> tuple[int, ...]:
    """The permutation that brings every axis back."""
    return tuple(sorted(range(len(axes)), key=axes.__getitem__))


@linear_rule(np.matrix_transpose)
def matrix_transpose_adjoint(y_bar, x: Space, *, xp):
    """Transposing is its own inverse, and so its own adjoint."""
    return xp.matrix_transpose(y_bar)


@linear_rule(np.swapaxes)
def swapaxes_adjoint(y_bar, a: Space, *, axis1: int, axis2: int, xp):
    """Swapping two axes is its own inverse, and so its own adjoint."""
    return xp.swapaxes(y_bar, axis1, axis2)


@linear_rule(np.moveaxis)
def moveaxis_adjoint(y_bar, a: Space, *, source, destination, xp):
    """Moves the axes of the cotangent back."""
    return xp.moveaxis(y_bar, destination, source)


@composed(np.rollaxis)
def rollaxis(a: Array, *, axis: int, start: int = 0, xp):
    """`start` counts places before the axis is taken out."""
    axis = normalize_axis_index(axis, a.ndim)
    start = normalize_axis_index(start, a.ndim + (start >= 0))
    return xp.moveaxis(a, axis, start - (axis < start))


# --- Entries repeated along new axes ---


@linear_rule(np.broadcast_to, value_only=("subok",))
def broadcast_to_adjoint(y_bar, array: Space, *, shape, subok: bool = False, xp):
    """The sum over the axes that broadcasting added."""
    return unbroadcast(y_bar, array.shape, xp)


@composed(np.broadcast_arrays)
def broadcast_arrays(*args: ArrayLike, xp) -> tuple[Any, ...]:
    """All of them in the shape that they have together."""
    shape = np.broadcast_shapes(*map(shape_of, args))
    return tuple([xp.broadcast_to(x, shape) for x in beside_arrays(args, xp)])


# a list before NumPy 2.5
NOT_COPIED: Any = type(np.meshgrid(0.0, sparse=True, copy=False))


@composed(np.meshgrid)
def meshgrid(
    *xi: ArrayLike, copy: bool = True, sparse: bool = False, indexing: str = "xy", xp
) -> Any:
    """Each vector lies along an axis of its own, and is repeated along the others."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"numpy.meshgrid: got indexing={indexing!r}; write 'xy' or 'ij'")
    axes = list(range(len(xi)))
    if indexing == "xy":
        axes[:2] = axes[:2][::-1]
    grids = [
        xp.reshape(x, [-1 if axis == own else 1 for axis in axes])
        for x, own in zip(xi, range(len(xi)), strict=True)
    ]
    if not sparse:
        shape = np.broadcast_shapes(*[grid.shape for grid in grids])
        grids = [xp.broadcast_to(grid, shape) for grid in grids]
    if copy:
        return tuple([xp.array(grid, order="C", copy=True) for grid in grids])
    return NOT_COPIED(grids) if sparse else tuple(grids)


@composed(np.ix_)
def ix_(*args: ArrayLike, xp) -> tuple[Any, ...]:
    """An open mesh: each sequence along an axis of its own, and of a mask the positions that it has."""
    if any(len(shape_of(x)) != 1 for x in args):
        np.ix_(*[np.zeros(shape_of(x)) for x in args])  # for its error
    parts = [xp.nonzero(x)[0] if x.dtype == bool else x for x in args]
    last = len(args) - 1
    return tuple([xp.reshape(x, (1,) * k + (-1,) + (1,) * (last - k)) for k, x in enumerate(parts)])
