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
    """The numbers a_n, b_n, c_n of the recurrence for each n, and NumPy's derivative of a series."""

    recurrence: Recurrence
    derivative: Callable[..., Any]


FAMILIES: dict[Any, Family] = {
    polynomial.polyval: Family(lambda n: (1, 0, 0), polynomial.polyder),
    chebyshev.chebval: Family(lambda n: (2 if n else 1, 0, 1), chebyshev.chebder),
    legendre.legval: Family(lambda n: ((2 * n + 1) / (n + 1), 0, n / (n + 1)), legendre.legder),
    laguerre.lagval: Family(lambda n: (-1 / (n + 1), (2 * n + 1) / (n + 1), n / (n + 1)), laguerre.lagder),
    hermite.hermval: Family(lambda n: (2, 0, 2 * n), hermite.hermder),
    hermite_e.hermeval: Family(lambda n: (1, 0, n), hermite_e.hermeder),
}


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
        slopes = family.derivative(np.eye(count)) if count > 1 else np.zeros((0, 1))

        def slope() -> Any:
            return contract(xp.tensordot(xp.asarray(slopes, dtype=c.dtype), c, 1), values[: count - 1], tensor, xp)

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
