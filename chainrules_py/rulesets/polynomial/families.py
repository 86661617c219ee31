"""The six families of `numpy.polynomial`, each told by its recurrence, p_{n+1} = (a_n x + b_n) p_n
- c_n p_{n-1}.

What takes coefficients to coefficients is a matrix, made in the namespace of the coefficients.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

Entry = Callable[[Any, Any], Any]


class Family(NamedTuple):
    """The numbers a_n, b_n, c_n.

    d(k, j), with which p_j' is the sum over k < j of d(k, j) p_k; and the same of an integral.

    An integral of p_j is the sum over 0 < k < j + 2 of i(k, j) p_k, and any constant.
    """

    module: ModuleType
    prefix: str
    recurrence: Callable[[Any], tuple[Any, Any, Any]]
    derivative: Entry
    integral: Entry

    def function(self, name: str) -> Any:
        """NumPy's function of this family: ``function("val")`` is `chebval`."""
        return getattr(self.module, self.prefix + name)


def odd_apart(k, j) -> Any:
    """Whether k and j differ by an odd number."""
    return (j - k) % 2 == 1


# M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions (1964), 22.7 for the recurrences,
# 22.8 for the derivatives, of which the integrals are the inverse.
FAMILIES: tuple[Family, ...] = (
    Family(
        *(polynomial, "poly"),
        recurrence=lambda n: (1, 0, 0),
        derivative=lambda k, j: j * (j - k == 1),
        integral=lambda k, j: (k - j == 1) / k,
    ),
    Family(
        *(chebyshev, "cheb"),
        recurrence=lambda n: (2 - (n == 0), 0, 1),
        derivative=lambda k, j: (2 - (k == 0)) * j * odd_apart(k, j),
        integral=lambda k, j: ((k - j == 1) * (1 + 1 * (j == 0)) - 1 * (j - k == 1)) / (2 * k),
    ),
    Family(
        *(legendre, "leg"),
        recurrence=lambda n: ((2 * n + 1) / (n + 1), 0, n / (n + 1)),
        derivative=lambda k, j: (2 * k + 1) * odd_apart(k, j),
        integral=lambda k, j: (1 * (k - j == 1) - 1 * (j - k == 1)) / (2 * j + 1),
    ),
    Family(
        *(laguerre, "lag"),
        recurrence=lambda n: (-1 / (n + 1), (2 * n + 1) / (n + 1), n / (n + 1)),
        derivative=lambda k, j: 0 * (k + j) - 1,
        integral=lambda k, j: 1 * (k == j) - 1 * (k - j == 1),
    ),
    Family(
        *(hermite, "herm"),
        recurrence=lambda n: (2, 0, 2 * n),
        derivative=lambda k, j: 2 * j * (j - k == 1),
        integral=lambda k, j: (k - j == 1) / (2 * k),
    ),
    Family(
        *(hermite_e, "herme"),
        recurrence=lambda n: (1, 0, n),
        derivative=lambda k, j: j * (j - k == 1),
        integral=lambda k, j: (k - j == 1) / k,
    ),
)


def of_each_family(register: Callable[[Family], None]) -> Callable[[Family], None]:
    """Register the rules of every family, by what registers those of one: a decorator."""
    for family in FAMILIES:
        register(family)
    return register


def positions_of_entries(rows: int, columns: int, xp) -> tuple[Any, Any]:
    """The row and the column of each entry of a matrix."""
    return xp.expand_dims(xp.arange(rows), 1), xp.arange(columns)


def derivatives(count: int, family: Family, dtype, xp) -> Any:
    """The matrix that takes the coefficients of a series to those of its derivative, one fewer."""
    k, j = positions_of_entries(max(count - 1, 0), count, xp)
    return xp.asarray(family.derivative(k, j) * (j > k), dtype=dtype)


def integrals(count: int, family: Family, dtype, xp) -> Any:
    """The matrix that takes the coefficients of a series to those of an integral, the first of
    which, free, is left out.
    """
    k, j = positions_of_entries(count, count, xp)
    return xp.asarray(family.integral(k + 1, j) * 1.0, dtype=dtype)


def times_x(v, family: Family, xp) -> Any:
    """The coefficients of x times a series, along the last axis; as many are kept."""
    a, b, c = (
        xp.asarray(number, dtype=v.dtype) for number in family.recurrence(xp.arange(v.shape[-1]))
    )
    w = v / a
    none = xp.zeros_like(w[..., :1])
    above = xp.concatenate([none, w[..., :-1]], axis=-1)
    below = xp.concatenate([(c * w)[..., 1:], none], axis=-1)
    return above - b * w + below


def basis(x, count: int, family: Family, xp) -> list[Any]:
    """The first `count` polynomials at `x`."""
    return recurring(xp.ones_like(x), lambda v: x * v, count, family)


def recurring(first, multiply: Callable[[Any], Any], count: int, family: Family) -> list[Any]:
    """p_n(x) v for each n < `count` and some v, where x can be anything that multiplies.

    `multiply` takes v to x v.
    """
    values = [first]
    for n in range(count - 1):
        a, b, c = family.recurrence(n)
        step = times_number(a, multiply(values[-1]))
        step = step + b * values[-1] if b else step
        values.append(step - times_number(c, values[-2]) if c and n else step)
    return values[:count]


def times_number(number: float, v) -> Any:
    """The product with a number that often is 1."""
    return v if number == 1 else number * v
