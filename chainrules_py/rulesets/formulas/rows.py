"""Functions of rows along any axis, or of the flattened array."""

from typing import Any

from chainrules_py.makers import LinearMap


def rows_along(a, axis: int | None, xp) -> Any:
    """The entries along an axis as rows; without an axis all of them as one row."""
    return xp.reshape(a, -1) if axis is None else xp.moveaxis(a, axis, -1)


def map_along_axis(axis: int | None, shape: tuple[int, ...], rows_map: LinearMap, xp) -> LinearMap:
    """A map of rows as one of arrays of this shape, along an axis; without one, to a single row."""

    def push(dot) -> Any:
        rows = rows_map.push(rows_along(dot, axis, xp))
        return rows if axis is None else xp.moveaxis(rows, -1, axis)

    def pull(y_bar) -> Any:
        rows = rows_map.pull(rows_along(y_bar, axis, xp))
        return xp.reshape(rows, shape) if axis is None else xp.moveaxis(rows, -1, axis)

    return LinearMap(push, pull)
