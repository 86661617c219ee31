"""What BLAS asks of a matrix before it multiplies: op(A), alpha, beta."""

from typing import Any

import numpy as np

from emulated_cuda.libraries.memory import Array

TRANSPOSED, ADJOINT = 1, 2
UPPER = 1
RIGHT = 1
UNIT = 1


def op(a: Array, trans: int) -> Array:
    """A matrix (or each of a batch), its transpose or its adjoint."""
    if trans == TRANSPOSED:
        return a.swapaxes(-1, -2)
    return a.swapaxes(-1, -2).conj() if trans == ADJOINT else a


def stored_shape(trans: int, rows: int, columns: int) -> tuple[int, int]:
    """The shape of A where op(A) has so many rows and columns."""
    return (columns, rows) if trans else (rows, columns)


def blend(c: Array, product: Array, alpha: Any, beta: Any) -> None:
    """C = alpha product + beta C, where what is multiplied by zero is not looked at: C may be
    uninitialised.
    """
    value = alpha * product if alpha != 0 else np.zeros_like(product)
    c[...] = value + beta * c if beta != 0 else value
