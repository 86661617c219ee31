"""Numbers with a derivative.

Sums and series computed with them are differentiated term by term, as they are summed.

Both parts are arrays, or duals again: of duals of duals the innermost derivative is one by two
variables.
"""

from dataclasses import dataclass
from typing import Any, Self


@dataclass(slots=True, eq=False)
class Dual:
    """A value and its derivative.

    >>> x = Dual(3.0, 1.0)
    >>> 1 / x + x * x * x
    Dual(value=27.333333333333332, dot=26.88888888888889)
    """

    value: Any
    dot: Any

    __array_ufunc__ = None  # an array leaves operators with a dual to the dual

    def __add__(self, other) -> Self:
        if isinstance(other, Dual):
            return type(self)(self.value + other.value, self.dot + other.dot)
        return type(self)(self.value + other, self.dot)

    __radd__ = __add__

    def __neg__(self) -> Self:
        return type(self)(-self.value, -self.dot)

    def __sub__(self, other) -> Self:
        return self.__add__(-other)

    def __rsub__(self, other) -> Self:
        return (-self).__add__(other)

    def __mul__(self, other) -> Self:
        if isinstance(other, Dual):
            return type(self)(
                self.value * other.value, self.value * other.dot + self.dot * other.value
            )
        return type(self)(self.value * other, self.dot * other)

    __rmul__ = __mul__

    def reciprocal(self) -> Self:
        """1 / self."""
        inverse = 1 / self.value
        return type(self)(inverse, -(self.dot * inverse * inverse))

    def __truediv__(self, other) -> Self:
        return self.__mul__(other.reciprocal() if isinstance(other, Dual) else 1 / other)

    def __rtruediv__(self, other) -> Self:
        return self.reciprocal().__mul__(other)


def leaves(number) -> list[Any]:
    """The value, and the derivatives of a number in the order in which it holds them."""
    if isinstance(number, Dual):
        return [leaf for part in (number.value, number.dot) for leaf in leaves(part)]
    return [number]


def magnitude(number) -> Any:
    """The absolute values of all parts: those of a product are sums of the sizes of its terms.

    >>> magnitude(Dual(-2.0, 1.0)) * magnitude(Dual(1.0, -3.0))
    Dual(value=2.0, dot=7.0)
    """
    if isinstance(number, Dual):
        return Dual(magnitude(number.value), magnitude(number.dot))
    return abs(number)


def variables(values: tuple[Any, ...], by: tuple[int, ...]) -> tuple[Any, ...]:
    """Numbers whose derivatives by those at the positions `by`, one after the other, are to be
    found.

    >>> variables((2.0, 5.0), (1,))
    (Dual(value=2.0, dot=0.0), Dual(value=5.0, dot=1.0))
    """
    numbers = values
    for depth, position in enumerate(by):
        ones = [constant(1.0 if k == position else 0.0, depth) for k in range(len(values))]
        numbers = tuple(Dual(number, one) for number, one in zip(numbers, ones, strict=True))
    return numbers


def constant(value, depth: int) -> Any:
    """A number without derivatives, as deep as others."""
    return value if depth == 0 else Dual(constant(value, depth - 1), constant(0.0, depth - 1))


def exponential(value, slopes: tuple[Any, ...], curvature) -> Any:
    """A function of which the value is known, and the derivatives of its logarithm: by one variable
    or by two, and by both.
    """
    if len(slopes) == 1:
        return Dual(value, value * slopes[0])
    one, other = slopes
    return Dual(Dual(value, value * one), Dual(value * other, value * (one * other + curvature)))
