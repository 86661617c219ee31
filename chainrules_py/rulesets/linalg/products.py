"""Products of matrices with themselves and with many others."""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from chainrules_py import ZERO, Array, LinearMap, composed, is_zero, linearised_rule, rrule
from chainrules_py.makers import Linearised
from chainrules_py.makers.joint import Sequences, array_of, dense_dot, gatherer
from chainrules_py.rulesets.formulas.matrices import adjoint
from chainrules_py.strong_zeros.strong_contraction import strict_contraction
from chainrules_py.tangents import entries
from chainrules_py.values.arrays import library_of_types


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


def product_with(t, i: int, factors: Sequence[Any], xp) -> Any:
    """The product of matrices with a tangent or cotangent as number `i` among them, whose zeros win
    over infinities.
    """
    return strict_contraction(
        lambda t, *others: xp.linalg.multi_dot([*others[:i], t, *others[i:]]), t, factors
    )


@linearised_rule(np.linalg.multi_dot)
def multi_dot_linearised(arrays: Sequences) -> Linearised:
    """Each factor's cotangent is a product of all others, again in the cheapest order: L^H y_bar
    R^H.
    """
    gather, factors = gatherer(arrays), arrays
    arrays = [array_of(array) for array in factors]
    xp = library_of_types(map(type, arrays)).namespace

    def multi_dot_pushforward(arrays_dot) -> Any:
        y_dot: Any = ZERO
        for i, dot in entries(arrays_dot).items():
            if is_zero(dot):
                continue
            others = [*arrays[:i], *arrays[i + 1 :]]
            y_dot = y_dot + product_with(dense_dot(dot, factors[i], y.dtype), i, others, xp)
        return y_dot

    if len(arrays) == 2:  # numbers and stacks, too, which NumPy takes where they are two
        y, dot_pullback = rrule(np.dot, *arrays)
        return y, LinearMap(multi_dot_pushforward, lambda y_bar: gather(dot_pullback(y_bar), xp))

    # a vector at the front is a row, and one at the end a column
    first, *between, last = arrays
    shapes = [array.shape for array in arrays]
    rows, columns = int(np.prod(first.shape[:-1])), int(np.prod(last.shape[1:]))
    row_matrix = xp.reshape(first, (rows, first.shape[-1]))
    column_matrix = xp.reshape(last, (last.shape[0], columns))
    matrices = [row_matrix, *between, column_matrix]

    def multi_dot_pullback(y_bar) -> Any:
        adjoints = [adjoint(a, xp) for a in matrices]
        y_bar = xp.reshape(y_bar, (rows, columns))
        bars = []
        for i, shape in enumerate(shapes):
            left, right = adjoints[:i], adjoints[i + 1 :]
            bar = product_with(y_bar, i, [*reversed(left), *reversed(right)], xp)
            bars.append(xp.reshape(bar, shape))
        return gather(bars, xp)

    y = xp.linalg.multi_dot(arrays)
    return y, LinearMap(multi_dot_pushforward, multi_dot_pullback)
