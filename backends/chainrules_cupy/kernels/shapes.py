"""Shapes of operands: what they broadcast to, and what broadcasting added; both are asked at each
launch.
"""

from functools import lru_cache

import numpy as np

Shape = tuple[int, ...]


@lru_cache(maxsize=1024)
def broadcast_shape(shapes: tuple[Shape, ...]) -> Shape:
    """The shape to which the shapes of operands broadcast."""
    return np.broadcast_shapes(*shapes)


@lru_cache(maxsize=1024)
def summed_axes(wide: Shape, shape: Shape) -> tuple[int, ...]:
    """The axes that broadcasting from `shape` to `wide` added or stretched; none where `shape` is
    the wider one.

    >>> summed_axes((4, 2, 3), (2, 1)), summed_axes((3,), (2, 3))
    ((0, 2), ())
    """
    new = len(wide) - len(shape)
    if new < 0 or np.broadcast_shapes(wide, shape) != wide:
        return ()
    return (
        *range(new),
        *(axis for axis in range(new, len(wide)) if shape[axis - new] != wide[axis]),
    )
