"""The evaluation functions of `numpy.polynomial`: sum_n c[n] p_n(x) for six families of polynomials.

A family is its recurrence, p_{n+1} = (a_n x + b_n) p_n - c_n p_{n-1}, which makes all p_n(x) at once; the value contracts these
with the coefficients, and the derivative is the value of the differentiated series, one polynomial shorter. NumPy turns what it
gets into plain arrays first, so engines cannot intercept these functions by themselves.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from chainrules_py.arrays import Array, Scalar
from chainrules_py.makers.linearised import LinearMap, linearised_rule
from chainrules_py.projection.broadcasting import unbroadcast

Recurrence = Callable[[int], tuple[float, float, float]]


class Family(NamedTuple):
    """The numbers a_n, b_n, c_n of the recurrence; and d(k, j), with which p_j' is the sum over k < j of d(k, j) p_k."""

    recurrence: Recurrence
    derivative: Callable[[Any, Any], Any]


def odd_apart(k: Any, j: Any) -> Any:
    """Whether k and j differ by an odd number."""
    return (j - k) % 2 == 1


# M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions (1964), 22.7 for the recurrences, 22.8 for the derivatives.
FAMILIES: dict[Any, Family] = {
    polynomial.polyval: Family(lambda n: (1, 0, 0), lambda k, j: j * (j - k == 1)),
    chebyshev.chebval: Family(lambda n: (2 if n else 1, 0, 1), lambda k, j: (2 - (k == 0)) * j * odd_apart(k, j)),
    legendre.legval: Family(lambda n: ((2 * n + 1) / (n + 1), 0, n / (n + 1)), lambda k, j: (2 * k + 1) * odd_apart(k, j)),
    laguerre.lagval: Family(lambda n: (-1 / (n + 1), (2 * n + 1) / (n + 1), n / (n + 1)), lambda k, j: 0 * (k + j) - 1),
    hermite.hermval: Family(lambda n: (2, 0, 2 * n), lambda k, j: 2 * j * (j - k == 1)),
    hermite_e.hermeval: Family(lambda n: (1, 0, n), lambda k, j: j * (j - k == 1)),
}


def derivatives(count: int, family: Family, dtype: Any, xp: Any) -> Any:
    """The matrix that takes the coefficients of a series to those of its derivative, one fewer."""
    k, j = xp.expand_dims(xp.arange(max(count - 1, 0)), 1), xp.arange(count)
    return xp.asarray(family.derivative(k, j) * (j > k), dtype=dtype)


def basis(x: Any, count: int, family: Family, xp: Any) -> list[Any]:
    """The first `count` polynomials at `x`."""
    values = [xp.ones_like(x)]
    for n in range(count - 1):
        a, b, c = family.recurrence(n)
        step = (a * x + b) * values[-1]
        values.append(step - c * values[-2] if n else step)
    return values[:count]


def contract(c: Any, values: list[Any], tensor: bool, xp: Any) -> Any:
    """sum_n c[n] p_n(x), over the axes of c's rest and of x apart (tensor), or broadcast together."""
    if not values:
        return 0.0
    if tensor:
        return xp.tensordot(c, xp.stack(values), ((0,), (0,)))
    return sum(c[n] * value for n, value in enumerate(values))


def as_point(x: Any, dtype: Any, xp: Any) -> Any:
    """A number as an array, weak next to coefficients of this dtype."""
    return x if hasattr(x, "dtype") else xp.asarray(x, dtype=np.result_type(dtype, x))


def series_rule(primal: Any, family: Family) -> None:
    """Register the rules of one family's evaluation function."""

    @linearised_rule(primal)
    def series_linearised(x: Array | Scalar, c: Array, *, tensor: bool = True, xp: Any) -> tuple[Any, LinearMap, LinearMap]:
        x_shape, count = getattr(x, "shape", ()), c.shape[0]
        point = as_point(x, c.dtype, xp)
        values = basis(point, count, family, xp)
        y = contract(c, values, tensor, xp)

        def slope() -> Any:
            series = xp.tensordot(derivatives(count, family, c.dtype, xp), c, 1)
            return contract(series, values[: count - 1], tensor, xp)

        def x_pullback(y_bar: Any) -> Any:
            return unbroadcast(xp.conj(slope()) * y_bar, x_shape, xp)

        def c_pushforward(c_dot: Any) -> Any:
            return contract(c_dot, values, tensor, xp)

        def c_pullback(y_bar: Any) -> Any:
            return xp.stack([_sum_to(xp.conj(value) * y_bar, c.shape[1:], tensor, xp) for value in values])

        return y, LinearMap(lambda x_dot: slope() * x_dot, x_pullback), LinearMap(c_pushforward, c_pullback)


def _sum_to(bar: Any, shape: tuple[int, ...], tensor: bool, xp: Any) -> Any:
    return xp.sum(bar, axis=tuple(range(len(shape), bar.ndim))) if tensor else unbroadcast(bar, shape, xp)


for _primal, _family in FAMILIES.items():
    series_rule(_primal, _family)
