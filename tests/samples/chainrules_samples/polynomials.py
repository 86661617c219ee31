"""Samples of polynomials: coefficients, roots and fits."""

from typing import Any

import numpy as np

from chainrules_py.rulesets.polynomial.fits import determining
from chainrules_py.testing.samples import DOUBLE, Draw, Sample, Samples, samples_for


@samples_for(np.polyadd, np.polysub, np.polymul, dtypes=DOUBLE)
def arithmetic_samples(draw: Draw) -> Samples:
    """Of different degrees, numbers among them."""
    for one, other in (((2,), (4,)), ((3,), (1,)), ((2,), ())):
        yield Sample(draw.any(*one), draw.any(*other))
    yield Sample(2.5, draw.any(2))


@samples_for(np.polydiv, dtypes=DOUBLE)
def polydiv_samples(draw: Draw) -> Samples:
    """Divisions that come out even in single precision, too.

    NumPy trims the remainder where its numbers are zero.
    """
    numbers = np.array([3.0, 5.0, -2.0, 4.0, 1.0, 7.0], draw.dtype) + (
        np.array(1j, draw.dtype) if draw.is_complex else 0
    )
    divisor = np.array([2.0, 1.0, -4.0], draw.dtype)
    for n, m in ((5, 3), (4, 1), (2, 3)):
        yield Sample(numbers[-n:], divisor[:m])


@samples_for(np.polyder, np.polyint, dtypes=DOUBLE)
def calculus_samples(draw: Draw) -> Samples:
    """Once, twice, never, more often than there are powers."""
    yield Sample(draw.any(4))
    for m in (0, 2, 5):
        yield Sample(draw.any(3), options={"m": m})
    yield Sample(draw.any(3), options={"m": -1}, error=ValueError)


@samples_for(np.polyint, dtypes=DOUBLE)
def polyint_samples(draw: Draw) -> Samples:
    """With constants."""
    for k in ([1.5, 2.5], 0.5):
        yield Sample(draw.any(3), options={"m": 2, "k": k})


@samples_for(np.polyval, dtypes=DOUBLE)
def polyval_samples(draw: Draw) -> Samples:
    """Arrays, lists and a constant as the polynomial; at numbers and arrays, 0 among them."""
    yield Sample(draw.any(3), draw.any(2, 2))
    yield Sample(draw.any(1), draw.any(2))
    yield Sample([1.5, 2.5, draw.any()[()]], draw.any(2), name="list,2")
    yield Sample(draw.any(3), 0.0, name="3,zero")
    yield Sample(draw.any(3), draw.any(0))
    yield Sample(draw.any(2, 2), draw.any(2))


def draw_near(draw: Draw, numbers: list[float]) -> Any:
    """Turn complex numbers by a phase, so that NumPy takes none for real."""
    return np.array(numbers, draw.dtype) * (
        np.exp(0.3j * np.arange(len(numbers))) if draw.is_complex else 1.0
    )


@samples_for(np.roots, dtypes=DOUBLE)
def roots_samples(draw: Draw) -> Samples:
    """Real, complex and vanishing roots."""
    for coefficients in ([1.0, -6.0, 11.0, -6.0], [2.0, 1.0]):
        yield Sample(draw_near(draw, coefficients))
    if not draw.is_complex:  # whose order, as LAPACK has it, jumps
        for coefficients in ([1.0, 0.5, 2.0], [1.0, 2.0, 0.0]):
            yield Sample(np.array(coefficients, draw.dtype))


@samples_for(np.poly, dtypes=DOUBLE)
def poly_samples(draw: Draw) -> Samples:
    """Some roots and one; a matrix."""
    yield Sample(draw.any(3))
    yield Sample(draw.any(1))
    yield Sample(np.diag(draw_near(draw, [1.0, 2.0])) + 0.1 * draw.any(2, 2))


@samples_for(np.polyfit, dtypes=DOUBLE)
def polyfit_samples(draw: Draw) -> Samples:
    """More points than coefficients and as many, several curves, weights."""
    points = np.linspace(-1.0, 1.0, 6).astype(draw.dtype)
    yield Sample(points, draw.any(6), options={"deg": 2})
    yield Sample(points[:3], draw.any(3), options={"deg": 2})
    options = {"deg": 1, "w": np.array([1.0, 2.0, 0.5, 1.5, 1.0, 2.0])}
    yield Sample(points, draw.any(6, 2), options=options)


@samples_for(determining, dtypes=DOUBLE)
def determining_samples(draw: Draw) -> Samples:
    """The identity, of a matrix of more rows than columns, as long as these are independent."""
    for of in (np.polyfit, np.polynomial.chebyshev.chebfit):
        yield Sample(np.eye(4, 2, dtype=draw.dtype) + draw.any(4, 2) / 8, options={"of": of})
