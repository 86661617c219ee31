"""Products of matrices with themselves and with many others."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chainrules_py import ZERO, Array, LinearMap, is_zero, linearised_rule, rrule
from chainrules_py.makers import Linearised
from chainrules_py.makers.joint import Sequences, array_of, dense_dot, gatherer
from chainrules_py.rulesets.formulas.array_likes import chained
from chainrules_py.rulesets.formulas.matrices import adjoint
from chainrules_py.rulesets.linalg.inverses import inverse_map
from chainrules_py.strong_zeros.strong_contraction import strict_contraction
from chainrules_py.tangents import entries
from chainrules_py.values.arrays import library_of_types


@linearised_rule(np.linalg.matrix_power)
def matrix_power_linearised(a: Array, *, n: Any, xp: Any) -> Linearised:
    """A negative power is a positive power of the inverse."""
    y = xp.linalg.matrix_power(a, n)
    if n == 0:
        return y, LinearMap(xp.zeros_like, xp.zeros_like)
    if n > 0:
        return y, power_map(a, n, xp)
    base = xp.linalg.inv(a)
    return y, chained(power_map(base, -n, xp), inverse_map(base, xp))


def power_map(a: Any, n: int, xp: Any) -> LinearMap:
    """The derivative of A^n, n > 0: the sum over k of A^k A_dot A^(n-1-k).

    Its adjoint is the same with A^H.
    """
    return LinearMap(
        lambda a_dot: _power_and_derivative(a, a_dot, n)[1],
        lambda y_bar: _power_and_derivative(adjoint(a, xp), y_bar, n)[1],
    )


def _power_and_derivative(a: Any, a_dot: Any, n: int) -> tuple[Any, Any]:
    """A^n and its derivative along A_dot, by repeated squaring."""
    if n == 1:
        return a, a_dot
    half, half_dot = _power_and_derivative(a, a_dot, n // 2)
    even, even_dot = half @ half, half @ half_dot + half_dot @ half
    return (even @ a, even @ a_dot + even_dot @ a) if n % 2 else (even, even_dot)


def product_with(t: Any, i: int, factors: Sequence[Any], xp: Any) -> Any:
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

    def multi_dot_pushforward(arrays_dot: Any) -> Any:
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

    def multi_dot_pullback(y_bar: Any) -> Any:
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
