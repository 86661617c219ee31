"""Splitting: every part is a slice of the argument, so the adjoint puts each part's cotangent back
into its slice.
"""

import operator
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np

from chainrules_py import (
    NO_TANGENT,
    Array,
    InplaceableThunk,
    Space,
    Tangent,
    composed,
    is_zero,
    linear_rule,
    unthunk,
)
from chainrules_py.rulesets.entries.scatter import add_at, scatter_add
from chainrules_py.tangents import entries, has_tangent, with_entries
from chainrules_py.values.arrays import library_of, library_of_types

Slices = list[slice]


def rejoined(y_bar: Tangent[Any], a: Space, sections: Slices, axis: int) -> Any:
    """The cotangents of the sections of an array, each in its place.

    Sections may leave gaps and overlap.
    """
    if not has_tangent(a.dtype):
        return NO_TANGENT
    before, bars = (slice(None),) * axis, list(entries(y_bar).values())
    parts = [
        (section, unthunk(bar))
        for section, bar in zip(sections, bars, strict=True)
        if not is_zero(bar)
    ]
    library = library_of_types(type(bar) for _, bar in parts)
    xp = library.namespace

    def compute():
        if _consecutive(sections, a.shape[axis]):
            return xp.concatenate(
                [
                    _filled(t, section, a, axis, xp)
                    for section, t in zip(sections, bars, strict=True)
                ],
                axis=axis,
            )
        spread = (
            scatter_add(bar, index=(*before, section), shape=a.shape, dtype=a.dtype)
            for section, bar in parts
        )
        return reduce(add, spread)

    def add_into(buffer) -> None:
        for section, bar in parts:
            add_at(buffer, (*before, section), bar, xp)

    # The buffer takes all parts or none: a plain one could take the first, and not a traced second.
    def fits(buffer) -> bool:
        return library_of(type(buffer)) is library

    return InplaceableThunk(add_into, compute, lambda: xp.zeros(a.shape, a.dtype), fits=fits)


def _consecutive(sections: Slices, length: int) -> bool:
    """Whether the sections cover the axis once, in order."""
    ends = [section.indices(length)[:2] for section in sections]
    starts = [start for start, _ in ends]
    stops = [stop for _, stop in ends]
    return all(start <= stop for start, stop in ends) and [0, *stops] == [*starts, length]


def _filled(bar, section: slice, a: Space, axis: int, xp) -> Any:
    if not is_zero(bar):
        return unthunk(bar)
    length = len(range(*section.indices(a.shape[axis])))
    return xp.zeros((*a.shape[:axis], length, *a.shape[axis + 1 :]), a.dtype)


def sections_of(indices_or_sections, length: int) -> Slices:
    """The slices of `array_split`: cut at indices, or so many parts of nearly equal length."""
    if np.ndim(indices_or_sections):
        points = [0, *map(int, indices_or_sections), length]
    else:
        count = int(indices_or_sections)
        each, more = divmod(length, count)
        points = [k * each + min(k, more) for k in range(count + 1)]
    return [slice(start, stop) for start, stop in pairwise(points)]


def split_adjoint(y_bar, ary: Space, *, indices_or_sections, axis: int = 0):
    """Joins the cotangents of the parts along any axis."""
    axis = operator.index(axis) % ary.ndim
    return rejoined(y_bar, ary, sections_of(indices_or_sections, ary.shape[axis]), axis)


linear_rule(np.split, split_adjoint)
linear_rule(np.array_split, split_adjoint)


@linear_rule(np.unstack)
def unstack_adjoint(y_bar, x: Space, *, axis: int = 0, xp):
    """Stacks the cotangents of the parts along an axis that these no longer have."""
    axis = operator.index(axis) % x.ndim
    bars = [
        bar if is_zero(bar) else xp.expand_dims(unthunk(bar), axis)
        for bar in entries(y_bar).values()
    ]
    sections = [slice(k, k + 1) for k in range(len(bars))]
    return rejoined(with_entries(list, dict(enumerate(bars))), x, sections, axis)


def split_along(primal, axis: int, rank: int) -> None:
    """Give a body to a function that splits along an axis; vectors along their only one."""

    @composed(primal)
    def split(ary: Array, *, indices_or_sections, xp) -> Any:
        if ary.ndim < rank:
            got = f"numpy.{primal.__name__}: got an array of {ary.ndim} axes"
            raise ValueError(f"{got}; pass one of {rank} or more")
        return xp.split(ary, indices_or_sections, axis=min(axis, ary.ndim - 1))


split_along(np.hsplit, axis=1, rank=1)
split_along(np.vsplit, axis=0, rank=2)
split_along(np.dsplit, axis=2, rank=3)


@composed(np.ndarray.tolist)
def tolist(a: Array, *, xp) -> Any:
    """Lists of lists with a number at each place, which has the precision of Python's."""
    pythons: Any = {"f": float, "c": complex}.get(a.dtype.kind)
    return in_lists(a if pythons is None else xp.astype(a, pythons))


def in_lists(a) -> Any:
    """An array as lists of lists; as a number where it has no axes."""
    return [in_lists(row) for row in a] if a.ndim else a[()]
