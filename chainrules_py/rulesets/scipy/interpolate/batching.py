"""Splines through many examples at once: coefficients are columns, and points are any array."""

from functools import partial
from typing import Any

from chainrules_py import batched
from chainrules_py.batching.lanes import Lanes
from chainrules_py.batching.loop import looped
from chainrules_py.batching.parts import as_laned
from chainrules_py.rulesets.scipy.interpolate.b_splines import (
    b_spline_scatter,
    b_spline_values,
    interpolating_coefficients,
)
from chainrules_py.rulesets.scipy.interpolate.tridiagonal import solve_tridiagonal
from chainrules_py.rulesets.scipy.lanes_last import (
    WITH_COLUMNS,
    is_lane_alone,
    takes_columns,
    with_lanes_last,
)
from chainrules_py.values.arrays import Array, Scalar, library_of_types


@batched.register(b_spline_values)
def b_spline_values_batched(lanes: Lanes, c: Array, x: Array | Scalar, **options):
    """Sums of which the coefficients differ, or the points; a loop where both do."""
    if is_lane_alone(lanes, (c, x), 0):
        return with_lanes_last(lambda columns: b_spline_values(columns, x, **options), c)
    if lanes == (False, True) and x.shape[0]:
        return b_spline_values(c, x, **options)  # any array of points
    return looped(b_spline_values, lanes, (c, x), options)


@batched.register(b_spline_scatter)
def b_spline_scatter_batched(lanes: Lanes, y_bar: Array, x: Array | Scalar, *, shape, **options):
    """The adjoint at points that are the same for all."""
    if not lanes[0] or lanes[1] or not y_bar.shape[0]:
        return looped(b_spline_scatter, lanes, (y_bar, x), {"shape": shape, **options})
    wide = (*shape, y_bar.shape[0])
    return with_lanes_last(
        lambda columns: b_spline_scatter(columns, x, shape=wide, **options), y_bar
    )


def has_values_at_ends(options: dict[str, Any]) -> bool:
    """Whether the derivatives at the ends are given as numbers, which have a shape of their own."""
    return not isinstance(options.get("bc_type"), str | None)


takes_columns(interpolating_coefficients, call_with=with_lanes_last, refused=has_values_at_ends)
WITH_COLUMNS.add(interpolating_coefficients)


@batched.register(solve_tridiagonal)
def solve_tridiagonal_batched(lanes: Lanes, bands: Array, rhs: Array):
    """Right-hand sides of one matrix are columns; other matrices are blocks of a longer one."""
    if is_lane_alone(lanes, (bands, rhs), 1):
        return with_lanes_last(partial(solve_tridiagonal, bands), rhs)
    if not bands.shape[0]:
        return looped(solve_tridiagonal, lanes, (bands, rhs), {})
    xp = library_of_types((type(bands), type(rhs))).namespace
    count, size = bands.shape[0], bands.shape[2]
    between = xp.zeros((count, 1), bands.dtype)  # what solvers do not read couples the blocks
    upper = xp.concatenate([between, bands[:, 0, 1:]], axis=1)
    lower = xp.concatenate([bands[:, 2, :-1], between], axis=1)
    rows = [row.reshape((count * size,)) for row in (upper, bands[:, 1], lower)]
    sides = as_laned(lanes[1], rhs, count)
    longer = sides.reshape((count * size, *sides.shape[2:]))
    return solve_tridiagonal(xp.stack(rows), longer).reshape(sides.shape)
