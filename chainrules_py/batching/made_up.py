"""Made-up numbers in the place of arguments: a function is called with them to find out what it
returns, before the arguments are known.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

Kind = tuple[tuple[int, ...], Any]  # a shape and a dtype


def made_up_arguments(kinds: Sequence[Kind]) -> Iterator[list[Any]]:
    """Arrays of these shapes and dtypes, one guess after the other.

    Generic ones come first, which most programs can compute: between 0 and 1, with a dominant
    diagonal where a matrix is square. Other ones are in their order, as times at which an equation
    is solved have to be.

    >>> next(made_up_arguments([((2, 2), np.float32), ((), int)]))
    [array([[2.3  , 0.727],
           [0.727, 2.154]], dtype=float32), array(1)]
    """
    yield [_generic(shape, dtype, k) for k, (shape, dtype) in enumerate(kinds)]
    for first in (0, 1):
        yield [_ordered(shape, dtype, (first + k) % 2) for k, (shape, dtype) in enumerate(kinds)]
    yield [np.ones(shape, dtype) for shape, dtype in kinds]
    yield [np.zeros(shape, dtype) for shape, dtype in kinds]


def _ordered(shape: tuple[int, ...], dtype, number: int) -> Any:
    """A number, 0 or 1, or an array of numbers between them in their order.

    Two such numbers beside each other and an array are the limits of an interval and points in it.
    """
    if np.dtype(dtype).kind not in "fc" or not shape:
        return np.full(shape, number, dtype)
    points = np.linspace(0.1, 0.9, shape[-1])
    return np.broadcast_to(points, shape).astype(dtype)


def _generic(shape: tuple[int, ...], dtype, k: int) -> Any:
    """Numbers between 0 and 1 without order; ones, if they are not of a floating dtype."""
    if np.dtype(dtype).kind not in "fc":
        return np.ones(shape, dtype)
    size = int(np.prod(shape))
    numbers = ((np.arange(size) * 0.618 + 0.2 * k + 0.3) % 1).reshape(shape)
    if len(shape) > 1 and shape[-1] == shape[-2]:
        n = shape[-1]
        numbers = (numbers + np.swapaxes(numbers, -1, -2)) / 2 + n * np.eye(n)
    return numbers.astype(dtype)
