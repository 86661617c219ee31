"""Differences and integrals of samples: diff, ediff1d, gradient, trapezoid, unwrap."""

import operator
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from chainrules_py import axes_rule, batched, composed
from chainrules_py.batching.along_axes import Mixes, from_the_end
from chainrules_py.batching.lanes import Lanes
from chainrules_py.batching.words import in_a_loop
from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.makers.linear_maps import TO_ZERO
from chainrules_py.projection import ProjectTo, unbroadcast
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.rulesets.formulas.array_likes import IDENTITY, ArrayLike, dense
from chainrules_py.rulesets.formulas.runs import index_along
from chainrules_py.values.arrays import Array, Scalar, shape_of

Maps = tuple[Any, ...]
# NumPy's private mark of what was not given
ABSENT = signature(np.diff).parameters["prepend"].default
if TYPE_CHECKING:
    End = Any
else:  # no list, which the caller makes an array of: its length counts
    End = Array | Scalar | type(ABSENT)


def padded_axis(y_bar, axis: int, before: int, after: int) -> Any:
    """Zeros on both sides along an axis."""
    if not before and not after:
        return y_bar
    length = y_bar.shape[axis]
    shape = shape_of_part(before + length + after, y_bar, axis)
    return scatter_add(y_bar, index_along(axis, slice(before, before + length)), shape, y_bar.dtype)


def diff_adjoint(y_bar, n: int, axis: int, xp) -> Any:
    """Each difference gives its cotangent to the later entry and takes it from the earlier one."""
    for _ in range(n):
        y_bar = -xp.diff(padded_axis(y_bar, axis, 1, 1), axis=axis)
    return y_bar


def shape_of_part(length: int, spec, axis: int) -> tuple[int, ...]:
    """The shape that a prepended or appended value takes next to an array."""
    return tuple(length if k == axis else n for k, n in enumerate(spec.shape))


@linearised_rule(np.diff)
def diff_linearised(
    a: Array, n: Any = 1, axis: Any = -1, prepend: End = ABSENT, append: End = ABSENT, *, xp
) -> Maps:
    """Linear in the array and in what is put in front and behind.

    A number there stands for a whole slice.
    """
    y = xp.diff(
        a,
        n=n,
        axis=axis,
        **{k: v for k, v in (("prepend", prepend), ("append", append)) if v is not ABSENT},
    )
    if operator.index(n) == 0:  # NumPy hands the array back, whatever is put in front and behind
        return y, IDENTITY, None, None, TO_ZERO, TO_ZERO
    spec, along = ProjectTo(a), operator.index(axis) % a.ndim
    before, after = _length(prepend, along), _length(append, along)
    total = before + spec.shape[along] + after
    steps = min(operator.index(n), total)

    def inserted(start: int, length: int, end) -> LinearMap:
        shape = shape_of(end)

        def end_pushforward(dot):
            wide = xp.broadcast_to(dot, shape_of_part(length, spec, along))
            return xp.diff(padded_axis(wide, along, start, total - start - length), n=n, axis=along)

        def end_pullback(y_bar):
            z_bar = diff_adjoint(y_bar, steps, along, xp)
            return unbroadcast(z_bar[index_along(along, slice(start, start + length))], shape, xp)

        return LinearMap(end_pushforward, end_pullback)

    return (
        y,
        inserted(before, spec.shape[along], a),
        None,
        None,
        None if prepend is ABSENT else inserted(0, before, prepend),
        None if append is ABSENT else inserted(before + spec.shape[along], after, append),
    )


def _length(end, axis: int) -> int:
    if end is ABSENT:
        return 0
    shape = shape_of(end)
    return shape[axis] if shape else 1


# 1,000 lanes of 64 entries: 0.1 ms and 1.1, in a loop 4.6 and 15
axes_rule(np.unwrap, kind="mixes", default=-1)


@batched.register(np.diff, axes=Mixes(default=-1))
def diff_batched(lanes: Lanes, a: Array, *, n: int = 1, axis: int = -1, xp, **ends: Any) -> Any:
    """Differences along an axis of each lane; a loop where something is put in front or behind."""
    if ends or a.ndim == 1:
        return in_a_loop(np.diff, lanes)(a, n=n, axis=axis, **ends)
    return xp.diff(a, n=n, axis=from_the_end(axis, a.ndim - 1))


@composed(np.ediff1d)
def ediff1d(
    ary: Array | Scalar,
    to_end: ArrayLike | None = None,
    to_begin: ArrayLike | None = None,
    *,
    xp,
):
    """Differences of the flattened array between two arrays that are put in front and behind."""
    flat = xp.reshape(dense(ary, xp), -1)
    ends = [None if x is None else xp.reshape(dense(x, xp), -1) for x in (to_begin, to_end)]
    if any(end is not None and not np.can_cast(end.dtype, flat.dtype, "same_kind") for end in ends):
        raise TypeError("dtype of `to_begin` and `to_end` must be compatible with that of `ary`")
    parts = [ends[0], xp.diff(flat), ends[1]]
    return xp.concatenate([part.astype(flat.dtype) for part in parts if part is not None])


@linearised_rule(np.unwrap)
def unwrap_linearised(
    p: Array, *, discont: Any = None, axis: int = -1, period: float = 6.283185307179586, xp
) -> Maps:
    """The identity: whole periods are added, which are constants."""
    return xp.unwrap(p, discont=discont, axis=axis, period=period), IDENTITY


@composed(np.trapezoid)
def trapezoid(y: Array, x: ArrayLike | None = None, dx: ArrayLike = 1.0, *, axis: int = -1):
    """sum(d * m) of the steps d and the mean heights m of the samples on their sides."""
    return np.sum(areas_of_trapezoids(y, x, dx, axis, np), axis=axis)


def areas_of_trapezoids(y, x, dx, axis: int, xp) -> Any:
    """The areas between samples along an axis; the points may be one row for all of them."""
    along = axis % y.ndim
    steps: Any = dx
    if x is not None and x.ndim == 1:
        steps = xp.reshape(xp.diff(x), tuple(-1 if k == along else 1 for k in range(y.ndim)))
    elif x is not None:
        steps = xp.diff(x, axis=axis)
    later, earlier = (index_along(along, part) for part in (slice(1, None), slice(None, -1)))
    return steps * (y[later] + y[earlier]) / 2.0
