"""Products of matrices with themselves and with many others."""

import operator
from functools import cache
from typing import Any

import numpy as np

from chainrules_py import Array, composed
from chainrules_py.rulesets.shapes.joining import arrays_of


@composed(np.linalg.matrix_power)
def matrix_power(a: Array, *, n, xp) -> Any:
    """By repeated squaring; a negative power is a positive power of the inverse."""
    n = operator.index(n)
    if n < 0:
        return positive_power(xp.linalg.inv(a), -n)
    if n:
        return positive_power(a, n)
    return xp.zeros_like(a) + xp.eye(a.shape[-1], dtype=a.dtype).T  # in the memory order of `a`


def positive_power(a, n: int) -> Any:
    """A^n for n > 0."""
    if n == 1:
        return a
    half = positive_power(a, n // 2)
    return half @ half @ a if n % 2 else half @ half


@composed(np.linalg.multi_dot)
def multi_dot(arrays: object):
    """Products of two, in the order that takes the fewest multiplications.

    A vector at the front is a row, and one at the end a column.
    """
    factors, xp = arrays_of(arrays)
    if len(factors) == 2:  # numbers and stacks, too, which NumPy takes where they are two
        return xp.dot(*factors)
    ranks = [factor.ndim for factor in factors]
    if len(ranks) < 2 or {*ranks[1:-1]} - {2} or {ranks[0], ranks[-1]} - {1, 2}:
        raise ValueError(
            f"numpy.linalg.multi_dot: got factors of {ranks} axes; pass two or more matrices, of"
            " which the first and the last may be vectors"
        )
    first, *between, last = factors
    shape = (*first.shape[:-1], *last.shape[1:])
    column = last if last.ndim == 2 else last[:, None]
    return xp.reshape(product_of_matrices([xp.atleast_2d(first), *between, column], xp), shape)[()]


def product_of_matrices(matrices: list[Any], xp) -> Any:
    """The product of matrices, split where that takes the fewest multiplications."""
    lengths = [*[matrix.shape[0] for matrix in matrices], matrices[-1].shape[1]]

    @cache
    def split(start: int, stop: int) -> tuple[int, int]:
        """How many multiplications a part takes, and where it is split."""
        if stop - start < 2:
            return 0, start
        ends = lengths[start] * lengths[stop]
        return min(
            (split(start, k)[0] + split(k, stop)[0] + ends * lengths[k], k)
            for k in range(start + 1, stop)
        )

    def part(start: int, stop: int) -> Any:
        if stop - start < 2:
            return matrices[start]
        k = split(start, stop)[1]
        return xp.matmul(part(start, k), part(k, stop))

    return part(0, len(matrices))
