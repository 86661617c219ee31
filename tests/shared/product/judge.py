"""What is expected of a cell: the derivatives of the plain program along a line, by interpolation.

Arguments move along a random direction, results are weighted by random numbers: a program is then
a function of one real number, and one wrong entry of a derivative of any order is a wrong number.
Its derivatives are those of polynomials through Chebyshev points, on intervals that become smaller
until two of them agree; what they differ by is the bound of the error.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache, cached_property
from math import factorial
from typing import Any
from zlib import crc32

import numpy as np
from numpy.polynomial import chebyshev

from chainrules_py.testing import Layout
from product.programs import Program

RADII = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001)
POINTS = 13
ORDERS = 3
OF_NUMPY = {"plain", "writing", "scoped", "united"}  # what they compute
Make = Callable[[Any], Any]
EXACT = np.array([1e-13, 1e-7, 1e-5, 1e-3])  # by order, in units of `sizes`


def parts(value: Any) -> Iterator[Any]:
    """The numbers and arrays of a result, which may hold traced ones."""
    if isinstance(value, dict):
        for item in value.values():
            yield from parts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from parts(item)
    elif is_dataclass(value):
        for field in fields(value):
            yield from parts(getattr(value, field.name))
    else:
        yield value


def taken_at_chebyshev_points(curve: Callable[[float], float], radius: float) -> np.ndarray:
    """The derivatives at zero of the polynomial through a curve on an interval."""
    with np.errstate(all="ignore"):
        found = chebyshev.chebinterpolate(
            np.vectorize(lambda t: curve(radius * t), otypes=[float]), POINTS - 1
        )
    terms = np.append(chebyshev.cheb2poly(found), np.zeros(ORDERS))  # which has no zeros at its end
    return np.array([p * factorial(k) / radius**k for k, p in enumerate(terms[: ORDERS + 1])])


def derivatives(curve: Callable[[float], float]) -> tuple[np.ndarray, np.ndarray]:
    """The value and the derivatives of a curve at zero, and a bound for the error of each."""
    best = before = taken_at_chebyshev_points(curve, RADII[0])
    bounds = np.full(ORDERS + 1, np.inf)
    for radius in RADII[1:]:
        found = taken_at_chebyshev_points(curve, radius)
        apart = np.abs(found - before)
        closer = apart < bounds
        best, bounds, before = np.where(closer, found, best), np.where(closer, apart, bounds), found
        if np.all(bounds <= 0.1 * EXACT * sizes(best)):
            break
    return best, bounds


def sizes(derivatives: np.ndarray) -> np.ndarray:
    """Of each order, the largest derivative so far, at least one."""
    return np.maximum.accumulate(np.maximum(np.abs(derivatives), 1.0))


class TooRoughError(AssertionError):
    """Differences say nothing of a program."""


class Case:
    """A program on its arguments, with a direction and weights of its own."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.layout = Layout(program.args())
        self.value = program.plain(*program.args())
        self.results = Layout(self.value)
        random = np.random.default_rng(crc32(program.name.encode()))
        self.direction = random.uniform(-1, 1, self.layout.size)
        self.weights = random.uniform(-1, 1, self.results.size)

    @cached_property
    def tangents(self) -> tuple[Any, ...]:
        """The direction, in the structure of the arguments."""
        return self.layout.restore(self.direction)

    @cached_property
    def seed(self) -> Any:
        """The weights, in the structure of the result."""
        return self.results.restore(self.weights)

    def entries(
        self, function: Callable[..., Any], make: Make = lambda x: x
    ) -> Callable[..., list[Any]]:
        """Return the weighted entries of what a function returns, as a function.

        `make` makes another library's arrays of the weights.
        """
        weights = [make(part) for part in parts(self.seed) if np.result_type(part).kind in "fc"]

        def weighted(*args: Any) -> list[Any]:
            found = [part for part in parts(function(*args)) if np.result_type(part).kind in "fc"]
            pairs = zip(weights, found, strict=True)
            return [np.real(np.conj(w) * y) for w, y in pairs]

        return weighted

    def loss(self, function: Callable[..., Any], make: Make = lambda x: x) -> Callable[..., Any]:
        """Return the weighted sum of what a function returns, as a function."""
        entries = self.entries(function, make)
        return lambda *args: sum(np.sum(part) for part in entries(*args))

    def line(self, function: Callable[..., Any], make: Make = lambda x: x) -> Callable[[Any], Any]:
        """Return the weighted sum along the direction, as a function of one number."""
        loss, arguments = self.loss(function, make), self.program.args
        paths = [leaf.path for leaf in self.layout.leaves]
        steps = dict(zip(paths, map(make, self.steps), strict=True))

        def moved(t: Any) -> Any:
            values = Layout(arguments())
            leaves = {x.path: make(x.example) + t * steps[x.path] for x in values.leaves}
            return loss(*values.with_leaves(leaves))

        return moved

    @cached_property
    def steps(self) -> list[Any]:
        """The direction of each leaf of the arguments."""
        return [leaf.example for leaf in Layout(self.tangents).leaves]

    def curve(self) -> Callable[[float], float]:
        """The weighted sum of the plain program along the line, in double precision."""
        loss, begin = self.loss(self.program.plain), self.layout.vector(self.program.args())

        def at(t: float) -> float:
            place = begin + t * self.direction
            return float(loss(*self.layout.restore(place, widen=True)))

        return at

    @cached_property
    def expected(self) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives by order, and the bounds of their errors."""
        return derivatives(self.curve())

    def require(self, found: dict[int, Any]) -> None:
        """Check derivatives by order against the plain program's."""
        expected, bounds = self.expected
        single = 1e-6 if {"float32", "refined", "rough"} & self.program.marks else 0.0
        for order, number in found.items():
            size = sizes(expected)[order]
            allowed = 10 * bounds[order] + max(EXACT[order], single) * size
            if bounds[order] > EXACT[order] * 100 * size:
                raise TooRoughError("the plain program is too rough")
            assert abs(float(number) - expected[order]) <= allowed, (
                f"order {order}: {float(number)!r}, and differences give {expected[order]!r}"
            )

    def require_value(self, value: Any) -> None:
        """Check that a value is the plain program's: numbers, dtypes, shapes, classes, order.

        What the program computes by NumPy has the same bits.
        """
        found, expected = list(parts(value)), list(parts(self.value))
        for y, plain in zip(found, expected, strict=True):
            if "classed" not in self.program.marks:
                assert type(y) is type(plain), f"{type(y)} for {type(plain)}"
            if isinstance(plain, np.ndarray | np.generic | float | complex):
                assert np.result_type(y) == np.result_type(plain)
                np.testing.assert_allclose(y, plain, rtol=1e-13, atol=1e-14)
                if self.program.table in OF_NUMPY and "near" not in self.program.marks:
                    assert np.asarray(y).tobytes() == np.asarray(plain).tobytes()
            if isinstance(plain, np.ndarray) and self.program.table not in ("", "sampling"):
                assert y.flags.c_contiguous == plain.flags.c_contiguous
                assert y.flags.f_contiguous == plain.flags.f_contiguous

    def require_gradient(self, bars: tuple[Any, ...]) -> None:
        """Check that cotangents look like the arguments, and give the slope along the direction."""
        for bar, leaf in zip(Layout(bars).leaves, self.layout.leaves, strict=True):
            assert (bar.path, bar.shape, bar.dtype) == (leaf.path, leaf.shape, leaf.dtype)
            assert type(bar.example) is type(leaf.example)
        self.require({1: self.layout.tangent_vector(bars) @ self.direction})

    def require_arguments(self, args: tuple[Any, ...]) -> None:
        """Check that arguments are as they were."""
        assert np.array_equal(self.layout.vector(args), self.layout.vector(self.program.args()))


@cache
def case_of(program: Program) -> Case:
    """The case of a program, made once."""
    return Case(program)
