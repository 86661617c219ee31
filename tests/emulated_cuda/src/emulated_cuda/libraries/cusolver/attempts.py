"""Iterations that may not converge."""

from collections.abc import Callable
from typing import Any

import numpy as np

from emulated_cuda.libraries.memory import Array

NOT_CONVERGED = 1


def attempt(iterate: Callable[[], tuple[Array, ...]], shapes: Any) -> tuple[tuple[Array, ...], int]:
    """What an iteration gives, and `info`; nan of the same shapes where it does not converge, as
    with nan in the matrix.
    """
    try:
        return iterate(), 0
    except np.linalg.LinAlgError:
        return tuple(np.full(shape, np.nan) for shape in shapes), NOT_CONVERGED
