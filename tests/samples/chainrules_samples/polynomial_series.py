"""Samples of `numpy.polynomial`; few for each function, as six families share formulas."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import polynomial, polyutils

from chainrules_py.errors import NotDifferentiableError
from chainrules_py.rulesets.polynomial.families import FAMILIES
from chainrules_py.testing.samples import DOUBLE, Draw, Sample, Samples, samples_for
from chainrules_py.values.identity import existing


def of_all(*names: str) -> list[Any]:
    """The functions of these names, of every family, as far as NumPy has them."""
    return [
        found
        for name in names
        for family in FAMILIES
        for found in existing(family.module, family.prefix + name)
    ]


CALLS: dict[Any, Callable[[Draw], Sample]] = {
    **dict.fromkeys(
        of_all("val3d"),
        lambda draw: Sample(draw.any(2), draw.any(2), draw.any(2), draw.any(2, 2, 3)),
    ),
    **dict.fromkeys(
        of_all("grid3d"),
        lambda draw: Sample(draw.any(2), draw.any(1), draw.any(3), draw.any(2, 3, 2)),
    ),
    **dict.fromkeys(
        of_all("vander2d"), lambda draw: Sample(draw.any(3), draw.any(3), options={"deg": [2, 1]})
    ),
    **dict.fromkeys(
        of_all("vander3d"),
        lambda draw: Sample(draw.any(2), draw.any(2), draw.any(2), options={"deg": [1, 2, 1]}),
    ),
}


@samples_for(*CALLS, dtypes=DOUBLE)
def one_call_samples(draw: Draw, primal) -> Samples:
    """One series in several dimensions, without what is tested in one or two."""
    yield CALLS[primal](draw)


# --- Values ---


@samples_for(*of_all("val"), dtypes=DOUBLE)
def series_samples(draw: Draw) -> Samples:
    """One series and several, their axes apart and broadcast; few coefficients; numbers."""
    yield Sample(draw.any(2, 2), draw.any(4))
    yield Sample(draw.any(2), draw.any(3, 2))
    yield Sample(draw.any(2), draw.any(3, 2), options={"tensor": False})
    yield Sample(2.5, draw.any(2))
    yield Sample(draw.any(2), draw.any(1))
    yield Sample(draw.any(0), draw.any(3))
    if not draw.is_complex:
        yield Sample(draw.any(2), [1.5, 2, draw.any()[()]], name="2,list")
        yield Sample(draw.any(2), 1.5)
        yield Sample(draw.any(2, 1), draw.any(3, 4), options={"tensor": False})


@samples_for(*of_all("val2d"), dtypes=DOUBLE)
def val2d_samples(draw: Draw) -> Samples:
    """At the points of a matrix and at a number; shapes that do not fit."""
    yield Sample(draw.any(2, 2), draw.any(2, 2), draw.any(3, 2, 2))
    if not draw.is_complex:
        yield Sample(
            0.5, [1.5], draw.any(1, 3), error=NotDifferentiableError, error_data={"argument": "x"}
        )
        yield Sample(draw.any(), 0.5, draw.any(1, 3))
        yield Sample(
            draw.any(2),
            draw.any(2),
            draw.any(3),
            error=NotDifferentiableError,
            error_data={"argument": "c"},
        )


@samples_for(*of_all("valnd"), dtypes=DOUBLE)
def valnd_samples(draw: Draw) -> Samples:
    """One coordinate and four, in a list and in an array; too many for the coefficients."""
    yield Sample([draw.any(2), draw.any(2)], draw.any(3, 2, 2))
    yield Sample(draw.any(2, 3), draw.any(2, 3))
    if not draw.is_complex:
        yield Sample([draw.any(3)], draw.any(4))
        yield Sample((0.5, 1.5, 2.5, draw.any()[()]), draw.any(1, 2, 2, 1))
        yield Sample(
            draw.any(2, 2), draw.any(3), error=NotDifferentiableError, error_data={"argument": "c"}
        )


@samples_for(*of_all("grid2d"), dtypes=DOUBLE)
def grid2d_samples(draw: Draw) -> Samples:
    """Axes of several lengths, with several series; a number for one of them."""
    yield Sample(draw.any(2, 1), draw.any(3), draw.any(3, 2, 2))
    if not draw.is_complex:
        yield Sample(0.5, draw.any(2), draw.any(2, 3))


@samples_for(polynomial.polyvalfromroots, dtypes=DOUBLE)
def polyvalfromroots_samples(draw: Draw) -> Samples:
    """Away from the roots, at a root, at a double one; several polynomials."""
    yield Sample(draw.any(2, 2), draw.any(3))
    yield Sample(draw.any(2), draw.any(3, 2), options={"tensor": False})
    yield Sample(
        np.array([1.5, 2.5], draw.dtype), np.array([2.5, 1.5, 2.5], draw.dtype), name="at the roots"
    )
    yield Sample(1.5, draw.any(2))
    yield Sample(draw.any(2), [1.5, 2.5], name="2,list")
    options = {"tensor": False}
    yield Sample(
        draw.any(2),
        draw.any(3),
        options=options,
        error=NotDifferentiableError,
        error_data={"argument": "r"},
    )


# --- Matrices and fits ---


@samples_for(*of_all("vander"), dtypes=DOUBLE)
def vander_samples(draw: Draw) -> Samples:
    """Of a vector, of a number, up to degree 0."""
    yield Sample(draw.any(2, 2), options={"deg": 3})
    if not draw.is_complex:
        yield Sample(2.5, options={"deg": 2})
        yield Sample(draw.any(2), options={"deg": 0})
        yield Sample(draw.any(2), options={"deg": -1}, error=ValueError)


@samples_for(*of_all("fit"), dtypes=DOUBLE)
def fit_samples(draw: Draw) -> Samples:
    """Weights, several curves, some degrees, points in a list."""
    points = (np.linspace(-1.0, 1.0, 6) * (np.exp(0.2j) if draw.is_complex else 1.0)).astype(
        draw.dtype
    )
    options = {"deg": 2, "w": np.array([1.0, 2.0, 0.5, 1.5, 1.0, 2.0])}
    yield Sample(points, draw.any(6, 2), options=options)
    yield Sample(points, draw.any(6), options={"deg": [3, 0]})
    if not draw.is_complex:
        yield Sample([-1.0, 0.5, 2.0], draw.any(3), options={"deg": 1})


# --- Derivatives, integrals, arithmetic ---


@samples_for(*of_all("der"), dtypes=DOUBLE)
def der_samples(draw: Draw) -> Samples:
    """Once, more often than there are degrees, along an axis, scaled."""
    yield Sample(draw.any(2, 4), options={"m": 2, "scl": 1.5, "axis": 1})
    if not draw.is_complex:
        yield Sample(draw.any(4))
        yield Sample(draw.any(2), options={"m": 3})
        yield Sample(draw.any(3), options={"m": -1}, error=ValueError)


@samples_for(*of_all("int"), dtypes=DOUBLE)
def int_samples(draw: Draw) -> Samples:
    """Once, twice with constants, from another point, along an axis, scaled."""
    options = {"m": 2, "k": [1.5, 2.5], "lbnd": 0.5, "scl": 1.5}
    for axis in (1, -2):
        yield Sample(draw.any(2, 3), options={**options, "axis": axis})
    if not draw.is_complex:
        yield Sample(draw.any(4))
        yield Sample(draw.any(3), options={"m": 1, "k": [1.0, 2.0]}, error=ValueError)


@samples_for(*of_all("add", "sub", "mul"), dtypes=DOUBLE)
def arithmetic_samples(draw: Draw) -> Samples:
    """Of different degrees; a list."""
    yield Sample(draw.any(2), draw.any(4))
    if not draw.is_complex:
        yield Sample([0.5, 1.5, 2.5], draw.any(2), name="list,2")
        yield Sample(
            draw.any(2, 2), draw.any(2), error=NotDifferentiableError, error_data={"argument": "c"}
        )


@samples_for(*of_all("mulx"), dtypes=DOUBLE)
@samples_for(
    *(getattr(family.module, f"{family.prefix}2poly") for family in FAMILIES[1:]), dtypes=DOUBLE
)
@samples_for(
    *(getattr(family.module, f"poly2{family.prefix}") for family in FAMILIES[1:]), dtypes=DOUBLE
)
def conversion_samples(draw: Draw) -> Samples:
    """Samples of conversions between families, of one series each."""
    yield Sample(draw.any(4))


@samples_for(*of_all("pow"), dtypes=DOUBLE)
def pow_samples(draw: Draw) -> Samples:
    """To the third, to the zeroth, and higher than is allowed."""
    yield Sample(draw.any(3), options={"pow": 3, "maxpower": 5})
    if not draw.is_complex:
        yield Sample(draw.any(3), options={"pow": 0})
        yield Sample(draw.any(3), options={"pow": 3, "maxpower": 2}, error=ValueError)


@samples_for(polyutils.trimcoef, dtypes=DOUBLE)
def trimcoef_samples(draw: Draw) -> Samples:
    """Small numbers at the end, and none."""
    yield Sample(np.array([0.5, 1.5, 0.25, -0.25], draw.dtype), options={"tol": 0.5})
    yield Sample(draw.any(3))


# --- Factors ---


@samples_for(*of_all("line"), dtypes=DOUBLE)
def line_samples(draw: Draw) -> Samples:
    """Numbers, of Python and of NumPy."""
    yield Sample(draw.any(), draw.any())
    if not draw.is_complex:
        yield Sample(1.5, 0.5)


@samples_for(*of_all("fromroots"), dtypes=DOUBLE)
def fromroots_samples(draw: Draw) -> Samples:
    """Some roots, one in a list."""
    yield Sample(draw.distinct(4))
    if not draw.is_complex:
        yield Sample([0.5, draw.any()[()]], name="list")


@samples_for(*of_all("div"), dtypes=DOUBLE)
def div_samples(draw: Draw) -> Samples:
    """By a shorter series, one as long, one coefficient, a longer one; by a number, by zero."""
    yield Sample(draw.any(5), draw.any(3))
    if not draw.is_complex:
        yield Sample(draw.any(3), draw.any(3))
        yield Sample(draw.any(3), draw.any(1))
        yield Sample(draw.any(2), draw.any(3))
        yield Sample(draw.any(3), 0.0, error=ZeroDivisionError)


@samples_for(*of_all("roots", "companion"), dtypes=DOUBLE)
def roots_samples(draw: Draw, primal) -> Samples:
    """One root; complex ones; none."""
    yield Sample(draw.any(2))
    if not draw.is_complex:
        yield Sample(np.array([8.0, 0.5, 1.0], draw.dtype), name="complex")
        yield Sample(2.5, error=ValueError) if "companion" in primal.__name__ else Sample(2.5)


# --- Weights ---


@samples_for(
    *(getattr(family.module, f"{family.prefix}weight") for family in FAMILIES[1:]), dtypes=DOUBLE
)
def weight_samples(draw: Draw) -> Samples:
    """Inside the interval that all have in common."""
    yield Sample(draw.between(0.1, 0.9, 2, 2))
    yield Sample(draw.between(0.1, 0.9))
