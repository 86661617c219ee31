"""A matrix product that has not been multiplied out."""

from typing import Any

import numpy as np

from chainrules_py.tangents.thunk import Thunk


class MatrixProduct(Thunk):
    """``left @ right`` of plain arrays with the same stack axes, postponed.

    The cotangent of a left factor is one. Where the factor was made by broadcasting, ``(x - mean) @ w``, only sums over its
    rows are asked for, and the rows of `left` can be summed before they are multiplied: one row in place of all.
    """

    __slots__ = ("_factors", "dtype", "shape")

    def __init__(self, left: Any, right: Any) -> None:
        super().__init__(np.matmul, "matmul_pullback")
        self._factors: tuple[Any, Any] | None = (left, right)
        self.shape: tuple[int, ...] = (*left.shape[:-1], right.shape[-1])
        self.dtype: Any = left.dtype

    @property
    def factors(self) -> tuple[Any, Any] | None:
        """Both factors; None once they have been multiplied."""
        return self._factors

    def is_in(self, shape: tuple[int, ...], dtype: Any) -> bool:
        """A product knows its shape and dtype."""
        return self.shape == shape and self.dtype is dtype

    def _evaluate(self) -> Any:
        assert self._factors is not None, "asked while the lock is held"
        return np.matmul(*self._factors)

    def _release(self) -> None:
        super()._release()
        self._factors = None
