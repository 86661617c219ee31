"""Products that have not been multiplied out."""

from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.strong_zeros.strong_contraction import finite_contraction, strict_contraction
from chainrules_py.tangents.thunk import Thunk, unthunk


class Product(Thunk):
    """A cotangent that is a product, postponed because a sum over it may cost less.

    Only pullbacks that hand cotangents on, or sum them, are given one; everybody else gets what it
    stands for.
    """

    __slots__ = ("dtype", "shape")
    shape: tuple[int, ...]
    dtype: Any

    def is_in(self, shape: tuple[int, ...], dtype) -> bool:
        """A product knows its shape and dtype."""
        return self.shape == shape and self.dtype is dtype

    def summed_to(self, shape: tuple[int, ...], unbroadcast: Function) -> Any:
        """Sum over the axes that broadcasting from `shape` added."""
        raise NotImplementedError


class MatrixProduct(Product):
    """``left @ right`` of plain arrays with the same stack axes, postponed.

    The cotangent of a left factor is one. Where the factor was made by broadcasting, ``(x - mean) @
    w``, only sums over its rows are asked for, and the rows of `left` can be summed before they are
    multiplied: one row in place of all.
    """

    __slots__ = ("_factors",)

    def __init__(self, left, right) -> None:
        super().__init__(np.matmul, "matmul_pullback")
        self._factors: tuple[Any, Any] | None = (left, right)
        self.shape = (*left.shape[:-1], right.shape[-1])
        self.dtype = left.dtype

    def summed_to(self, shape: tuple[int, ...], unbroadcast: Function) -> Any:
        """Sum over axes; rows of the left factor are summed before the product."""
        factors = self._factors
        if factors is None or (len(shape) > 1 and shape[-2] != 1):
            return unbroadcast(unthunk(self), shape, np)
        left, right = factors
        row = unbroadcast(left, (*left.shape[:-2], 1, left.shape[-1]), np)
        try:
            return unbroadcast(finite_contraction(np.matmul, row, [right]), shape, np)
        # a sum of rows is zero where its terms are not, and they meet an infinity
        except FloatingPointError:
            return unbroadcast(unthunk(self), shape, np)

    def _evaluate(self) -> Any:
        assert self._factors is not None, "asked while the lock is held"
        left, right = self._factors
        return strict_contraction(np.matmul, left, [right])

    def _release(self) -> None:
        super()._release()
        self._factors = None
