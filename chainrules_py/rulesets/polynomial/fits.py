"""The fits of series, `*fit`.

Least squares with the polynomials at the points as the matrix, as in `polynomial_fit`.
"""

from typing import Any

import numpy as np

from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.rulesets.formulas.array_likes import ArrayLike, as_floats, chained, on_arrays
from chainrules_py.rulesets.polynomial.families import Family, of_each_family
from chainrules_py.rulesets.polynomial.matrices import differentiated, rows
from chainrules_py.rulesets.polynomial.polynomial_fit import (
    in_points,
    in_values,
    scaled_inverse,
    weighted,
)


def series_fit(family: Family, x, y, degrees, w, xp) -> Linearised:
    """The coefficients of some degrees, with the maps of the points and of the values."""
    weights = None if w is None else as_floats(xp.asarray(w))
    table = rows(x, max(degrees), family, xp)
    matrix, slope = (
        weighted(of_degrees(part, degrees, xp), weights)
        for part in (table, differentiated(table, family, xp))
    )
    inverse, values = scaled_inverse(matrix, xp), weighted(y, weights)
    c = xp.matmul(inverse, values)
    return (
        c,
        in_points(matrix, slope, inverse, values, c, family.function("fit"), xp),
        in_values(inverse, weights, xp),
    )


def of_degrees(table, degrees: list[int], xp):
    """The columns of some degrees."""
    if len(degrees) == table.shape[-1]:
        return table
    return xp.stack([table[..., degree] for degree in degrees], axis=-1)


def among_all(degrees: list[int], xp) -> LinearMap:
    """The coefficients of some degrees among all up to the last: the others are zero."""
    return LinearMap(
        lambda c: spread_out(degrees, c, xp),
        lambda bar: xp.stack([bar[degree] for degree in degrees]),
    )


def spread_out(degrees: list[int], c, xp):
    """Coefficients of some degrees, along the first axis, with zeros for the others."""
    place = {degree: position for position, degree in enumerate(degrees)}
    return xp.stack(
        [c[place[degree]] if degree in place else 0 * c[0] for degree in range(degrees[-1] + 1)]
    )


def all_degrees(deg) -> list[int]:
    """The degrees of a fit: those up to a number, or the listed ones."""
    return list(range(deg + 1)) if np.ndim(deg) == 0 else sorted(deg)


def fitted_series(family: Family, x, y, deg, w, xp) -> Linearised:
    """The coefficients, with their maps.

    NumPy is asked about plain arrays, for its errors and its warning.
    """
    x = as_floats(x)
    y = as_floats(y)
    degrees = all_degrees(deg)
    value = family.function("fit")(x, y, deg, w=w) if type(x) is type(y) is np.ndarray else None
    c, of_x, of_y = series_fit(family, x, y, degrees, w, xp)
    if len(degrees) <= degrees[-1]:
        outer = among_all(degrees, xp)
        c, of_x, of_y = outer.push(c), chained(outer, of_x), chained(outer, of_y)
    return c if value is None else value, of_x, of_y


@of_each_family
def fit_rule(family: Family) -> None:
    """Register the rule of one family's fit; its weights are an option."""

    @linearised_rule(family.function("fit"))
    def fit_linearised(x: ArrayLike, y: ArrayLike, *, deg, w: Any = None, xp) -> Linearised:
        return on_arrays(lambda x, y, xp: fitted_series(family, x, y, deg, w, xp), (x, y), xp)
