"""The adjoint of a linear function that is known by its answers alone."""

from collections.abc import Callable
from typing import Any

import numpy as np

BLOCK = 256


def by_unit_vectors(function, usual: int = -1) -> Callable[..., Any]:
    """The adjoint of any function that is linear along one axis: products with its answers to unit
    vectors, some at a time.

    That takes as many calls' time as the axis is long. For functions that are not called in inner
    loops.
    """

    def adjoint(y_bar, shape, **options):
        axis = options.pop("axis", usual)
        n, lines = shape[axis], np.moveaxis(y_bar, axis, 0)
        bars = [
            np.tensordot(np.conj(answers(function, n, first, options)), lines, (0, 0))
            for first in range(0, n, BLOCK)
        ]
        return np.moveaxis(np.concatenate(bars), 0, axis)

    return adjoint


def answers(function, n: int, first: int, options: dict[str, Any]) -> Any:
    """The answers to some unit vectors, in columns."""
    units = np.eye(n, min(BLOCK, n - first), -first)
    return function(units, axis=0, **options)
