"""Sorting and partial sorting.

Sorting permutes; where values are equal the permutation is a matter of chance, so equal values
share: each receives the mean over its group. The map is then a doubly stochastic matrix, its
adjoint shares in the same way, and nothing depends on the sorting algorithm. Partitioning is a
permutation of the sorted array.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py import (
    Array,
    LinearMap,
    Scalar,
    ignore_derivatives,
    linearised_rule,
)
from chainrules_py.makers import Linearised
from chainrules_py.rulesets.formulas.matrices import values_in_all_lanes
from chainrules_py.rulesets.formulas.reducing import given
from chainrules_py.rulesets.formulas.rows import map_along_axis, rows_along
from chainrules_py.values.arrays import shape_of
from chainrules_py.values.identity import takes


def starts_group(rows, xp, equal_nan: bool = False) -> Any:
    """Whether each entry of sorted rows differs from the one before it; the first of a row does."""
    before, after = rows[..., :-1], rows[..., 1:]
    changes = after != before
    if equal_nan:
        changes = changes & ~(xp.isnan(after) & xp.isnan(before))
    return xp.concatenate([xp.ones_like(rows[..., :1], dtype=bool), changes], axis=-1)


class Groups:
    """Runs of equal entries in sorted rows."""

    def __init__(self, starts, xp) -> None:
        self.xp = xp
        length = starts.shape[-1]
        self.number = xp.cumsum(starts, axis=-1) - 1
        # First the positions of the starts; what argsort puts behind them is set past the end.
        firsts = xp.argsort(~starts, axis=-1, stable=True)
        total = xp.sum(starts, axis=-1, keepdims=True)
        bounds = xp.where(xp.arange(length) < total, firsts, length)
        padded = xp.concatenate([bounds, xp.full_like(bounds[..., :1], length)], axis=-1)
        self.first = xp.take_along_axis(padded, self.number, axis=-1)
        self.end = xp.take_along_axis(padded, self.number + 1, axis=-1)

    def mean(self, rows) -> Any:
        """Each entry replaced by the mean over its group.

        An entry that is alone in its group stays as it is, to the last digit.
        """
        xp, size = self.xp, self.end - self.first
        alone = size == 1
        running = xp.cumsum(xp.where(alone, 0, rows), axis=-1)
        before = xp.concatenate([xp.zeros_like(running[..., :1]), running], axis=-1)
        total = xp.take_along_axis(before, self.end, axis=-1) - xp.take_along_axis(
            before, self.first, axis=-1
        )
        return xp.where(alone, rows, total / size)


def mean_over_groups(starts, xp) -> Callable[[Any], Any]:
    """The mean over each group of equal entries: nothing to do where all are known to differ."""
    values = values_in_all_lanes(starts)
    if type(values) is np.ndarray and values.all():
        return lambda rows: rows
    return Groups(starts, xp).mean


def sorting_rows(rows, xp, descending: bool | None = False) -> LinearMap:
    """The derivative of sorting rows: to sorted order, with the mean over each group."""
    constant = ignore_derivatives(rows)
    # a nan is at the end in either order
    order = xp.argsort(-constant if descending else constant, axis=-1)
    in_order = xp.take_along_axis(constant, order, axis=-1)
    mean = mean_over_groups(starts_group(in_order, xp), xp)

    def sort_pushforward(rows_dot):
        return mean(xp.take_along_axis(rows_dot, order, axis=-1))

    def sort_pullback(sorted_bar):
        rank = xp.argsort(order, axis=-1)
        return xp.take_along_axis(mean(sorted_bar), rank, axis=-1)

    return LinearMap(sort_pushforward, sort_pullback)


def sort_linearised(
    a: Array | Scalar,
    *,
    axis: int | None = -1,
    kind: Any = None,
    stable: bool | None = None,
    descending: bool | None = None,
    xp,
) -> Linearised:
    y = xp.sort(a, axis=axis, **given(kind=kind, stable=stable, descending=descending))
    rows_map = sorting_rows(rows_along(a, axis, xp), xp, descending=descending)
    return y, map_along_axis(axis, shape_of(a), rows_map, xp)


def sort_ascending_linearised(
    a: Array | Scalar,
    *,
    axis: int | None = -1,
    kind: Any = None,
    stable: bool | None = None,
    xp,
) -> Linearised:
    return sort_linearised(a, axis=axis, kind=kind, stable=stable, xp=xp)


# since NumPy 2.5
linearised_rule(np.sort)(
    sort_linearised if takes(np.sort, "descending") else sort_ascending_linearised
)


@linearised_rule(np.sort_complex)
def sort_complex_linearised(a: Array | Scalar, *, xp) -> Linearised:
    """Sorted along the last axis; the result is complex."""
    rows_map = sorting_rows(a, xp)
    return xp.sort_complex(a), rows_map


@linearised_rule(np.partition)
def partition_linearised(a: Array | Scalar, *, kth, axis: int | None = -1, xp) -> Linearised:
    """Sorting, and then the permutation that takes the sorted array to the partitioned one."""
    y = xp.partition(a, kth, axis=axis)
    order = xp.argsort(rows_along(ignore_derivatives(y), axis, xp), axis=-1)
    rank = xp.argsort(order, axis=-1)
    sorting = sorting_rows(rows_along(a, axis, xp), xp)

    def partition_pushforward(rows_dot):
        return xp.take_along_axis(sorting.push(rows_dot), rank, axis=-1)

    def partition_pullback(rows_bar):
        return sorting.pull(xp.take_along_axis(rows_bar, order, axis=-1))

    return y, map_along_axis(
        axis, shape_of(a), LinearMap(partition_pushforward, partition_pullback), xp
    )
