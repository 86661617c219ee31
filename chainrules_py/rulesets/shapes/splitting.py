"""Splitting: every part is a slice of the argument."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from chainrules_py import Array, composed
from chainrules_py.rulesets.formulas.runs import index_along

Slices = list[slice]


def sections_of(indices_or_sections, length: int) -> Slices:
    """The slices of `array_split`: cut at indices, or so many parts of nearly equal length."""
    if np.ndim(indices_or_sections):
        points = [0, *map(int, indices_or_sections), length]
    else:
        count = int(indices_or_sections)
        each, more = divmod(length, count)
        points = [k * each + min(k, more) for k in range(count + 1)]
    return [slice(start, stop) for start, stop in pairwise(points)]


def split_into(primal) -> None:
    """Give a body to `split` or `array_split`, of which one wants parts of equal length."""

    @composed(primal)
    def parts(ary: Array, *, indices_or_sections, axis: int = 0) -> list[Any]:
        axis = normalize_axis_index(axis, ary.ndim)
        primal(np.broadcast_to(0, ary.shape[axis]), indices_or_sections)  # for its errors
        sections = sections_of(indices_or_sections, ary.shape[axis])
        return [ary[index_along(axis, section)] for section in sections]


split_into(np.split)
split_into(np.array_split)


@composed(np.unstack)
def unstack(x: Array, *, axis: int = 0) -> tuple[Any, ...]:
    """The slices along an axis, which they no longer have."""
    axis = normalize_axis_index(axis, x.ndim)
    return tuple([x[index_along(axis, k)] for k in range(x.shape[axis])])


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
