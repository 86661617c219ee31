"""Splitting: every part is a slice of the argument, so the adjoint writes each part's cotangent into its slice."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from chainrules_py.arrays import library_of_types
from chainrules_py.makers import ArraySpec, linear_rule
from chainrules_py.rulesets.scatter import add_at, scatter_add
from chainrules_py.tangents import NO_TANGENT, ZERO, InplaceableThunk, Tangent, entries, has_tangent, is_zero, unthunk

Index = tuple[Any, ...]


def joined(y_bar: Tangent[Any], a: ArraySpec, indices: list[Index]) -> Any:
    """The cotangents of the parts, each added at its index."""
    parts = [(index, bar) for index, t in zip(indices, y_bar, strict=True) if not is_zero(bar := unthunk(t))]
    if not parts:
        return ZERO
    if not has_tangent(a.dtype):
        return NO_TANGENT
    xp = library_of_types(type(bar) for _, bar in parts).namespace

    def compute() -> Any:
        return sum_of(scatter_add(bar, index=index, shape=a.shape, dtype=a.dtype) for index, bar in parts)

    def add_into(buffer: Any) -> None:
        for index, bar in parts:
            add_at(buffer, index, bar, xp)

    return InplaceableThunk(compute, add_into, lambda: xp.zeros(a.shape, a.dtype))
