"""Differences and integrals of samples: diff, ediff1d, gradient, trapezoid, unwrap."""

import operator
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from chainrules_py import axes_rule, composed
from chainrules_py.makers import linearised_rule
from chainrules_py.makers.lists import placing
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


@composed(np.diff)
def diff(
    a: Array, n: Any = 1, axis: Any = -1, prepend: End = ABSENT, append: End = ABSENT, *, xp
) -> Any:
    """Later entries less earlier ones, with what is put in front and behind.

    A number there stands for a whole slice.
    """
    n = operator.index(n)
    if n < 0 or not a.ndim:
        np.diff(np.zeros(a.shape), n)  # for its error
    axis = normalize_axis_index(operator.index(axis), a.ndim)
    if n and (prepend is not ABSENT or append is not ABSENT):
        one = (*a.shape[:axis], 1, *a.shape[axis + 1 :])
        beside = placing((a,), xp)
        ends = [
            x if x is ABSENT or shape_of(x) else xp.broadcast_to(beside(x), one)
            for x in (prepend, append)
        ]
        parts = [part for part in (ends[0], a, ends[1]) if part is not ABSENT]
        a = xp.concatenate(parts, axis=axis)
    later, earlier = (index_along(axis, part) for part in (slice(1, None), slice(None, -1)))
    minus = xp.not_equal if a.dtype == bool else xp.subtract
    for _ in range(n):
        a = minus(a[later], a[earlier])
    return a


# 1,000 lanes of 64 entries: 0.1 ms and 1.1, in a loop 4.6 and 15
axes_rule(np.unwrap, kind="mixes", default=-1)


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
