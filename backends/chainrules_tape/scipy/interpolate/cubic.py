"""Interpolants that are cubic between the knots, `CubicSpline` and others.

They differ in how they find the slopes at the knots.
"""

from functools import partial
from typing import Any, ClassVar

import numpy as np
from scipy import interpolate

from chainrules_py.annotations import Function
from chainrules_py.rulesets.scipy.interpolate.cubic import (
    akima_slopes,
    hermite_coefficients,
    pchip_slopes,
    spline_slopes,
)
from chainrules_tape.scipy.interpolate.interpolants import Interpolant
from chainrules_tape.scipy.interpolate.piecewise import PPoly
from chainrules_tape.scipy.objects import floats


class CubicInterpolant(Interpolant):
    """An interpolant that finds the slopes at its knots by `slopes`."""

    laned = "y"
    slopes: ClassVar[Function]
    options: ClassVar[tuple[str, ...]] = ()  # the names of those of `slopes`

    @classmethod
    def in_place_of(cls, own) -> PPoly:
        """The piecewise polynomial in the place of one of SciPy's interpolants."""
        return PPoly.in_place_of(own)

    def evaluate(self, x, nu: int = 0, extrapolate: Any = None) -> Any:
        """The derivative `nu` at points."""
        return self.polynomial()(x, nu, extrapolate)

    def polynomial(self) -> PPoly:
        """The interpolant as a piecewise polynomial."""
        if not self.is_traced:
            return PPoly.in_place_of(self.plain)
        if self.plain is None:
            raise self.refused("x", "call the object, or write a loop over the examples")
        knots, values, axis = floats(self.given["x"]), floats(self.given["y"]), self.given["axis"]
        values = np.moveaxis(values, axis, 0)
        slopes = type(self).slopes(knots, values, **self.slopes_options())
        found = hermite_coefficients(knots, values, slopes)
        return PPoly.of(found, knots, self.plain.extrapolate, axis % values.ndim)

    def derivative(self, nu: int = 1) -> Any:
        """The derivative `nu` as an object that is called at points."""
        if self.plain is None:  # what the values are is computed when the points are known
            return partial(self, nu=nu)
        return self.polynomial().derivative(nu)

    def antiderivative(self, nu: int = 1) -> PPoly:
        """The integral from the first knot on as an object that is called at points."""
        return self.polynomial().antiderivative(nu)

    def integrate(self, a, b, extrapolate: Any = None) -> Any:
        """The integral from a to b."""
        return self.polynomial().integrate(a, b, extrapolate)

    def slopes_options(self) -> dict[str, Any]:
        """The options of `slopes`."""
        return {name: self.given[name] for name in self.options}


class CubicSpline(CubicInterpolant):
    """`scipy.interpolate.CubicSpline`, by knots, values and points."""

    made_by = interpolate.CubicSpline
    slopes = staticmethod(spline_slopes)
    options = ("bc_type",)


class PchipInterpolator(CubicInterpolant):
    """`scipy.interpolate.PchipInterpolator`, by knots, values and points."""

    made_by = interpolate.PchipInterpolator
    slopes = staticmethod(pchip_slopes)


class Akima1DInterpolator(CubicInterpolant):
    """`scipy.interpolate.Akima1DInterpolator`, by knots, values and points."""

    made_by = interpolate.Akima1DInterpolator
    slopes = staticmethod(akima_slopes)
    options = ("method",)


def given_slopes(x, y, dydx) -> Any:
    """The slopes that the caller knows."""
    return dydx


class CubicHermiteSpline(CubicInterpolant):
    """`scipy.interpolate.CubicHermiteSpline`, by knots, values, slopes and points."""

    made_by = interpolate.CubicHermiteSpline
    slopes = staticmethod(given_slopes)
    laned = ""  # slopes would have lanes, too

    def slopes_options(self) -> dict[str, Any]:
        """The slopes, along the first axis."""
        return {"dydx": np.moveaxis(floats(self.given["dydx"]), self.given["axis"], 0)}
