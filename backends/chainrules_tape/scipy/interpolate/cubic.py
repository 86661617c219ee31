"""Interpolants that are cubic between the knots, `CubicSpline` and others.

They differ in how they find the slopes at the knots.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from scipy import interpolate

from chainrules_py.rulesets.scipy.interpolate.cubic import (
    akima_slopes,
    cubic_interpolant,
    pchip_slopes,
    spline_slopes,
)
from chainrules_tape.refusals.apparent_instances import ApparentInstance
from chainrules_tape.scipy.interpolate.interpolants import Interpolant
from chainrules_tape.scipy.objects import floats


class CubicInterpolant(Interpolant):
    """An interpolant that finds the slopes at its knots by `slopes`."""

    laned = "y"
    slopes: ClassVar[Callable[..., Any]]
    options: ClassVar[tuple[str, ...]] = ()  # the names of those of `slopes`

    def evaluate(self, x, nu: int = 0, extrapolate: Any = None) -> Any:
        """The derivative `nu` at points."""
        outside = self.plain.extrapolate if extrapolate is None else extrapolate
        knots, values = floats(self.given["x"]), floats(self.given["y"])
        slopes, axis, options = type(self).slopes, self.given["axis"], self.slopes_options()
        return cubic_interpolant(slopes, knots, values, floats(x), axis, nu, outside, **options)

    def derivative(self, nu: int = 1) -> Any:
        """The derivative `nu` as an object that is called at points."""
        if nu < 0:
            return self.antiderivative(-nu)
        return DerivativeOfInterpolant(self, nu)

    def slopes_options(self) -> dict[str, Any]:
        """The options of `slopes`."""
        return {name: self.given[name] for name in self.options}


class DerivativeOfInterpolant(ApparentInstance):
    """The derivative of some order of an interpolant, in the place of SciPy's `PPoly`."""

    _apparent_class = interpolate.PPoly

    def __init__(self, interpolant: CubicInterpolant, order: int) -> None:
        self.interpolant, self.order = interpolant, order

    def __call__(self, x, nu: int = 0, extrapolate: Any = None) -> Any:
        """A further derivative `nu` at points."""
        return self.interpolant(x, self.order + nu, extrapolate)

    def derivative(self, nu: int = 1) -> Any:
        """A further derivative."""
        return self.interpolant.derivative(self.order + nu)

    def __reduce__(self) -> Any:
        return DerivativeOfInterpolant, (self.interpolant, self.order)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "order" not in self.__dict__:
            raise AttributeError(name)
        # which refuses to show what is traced
        make: Any = self.interpolant.__getattr__("derivative")
        return getattr(make(self.order), name)


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


def pchip_interpolate(xi, yi, x, der: int = 0, axis: int = 0) -> Any:
    """`scipy.interpolate.pchip_interpolate`, by knots, values and points."""
    made = PchipInterpolator(xi, yi, axis=axis)
    orders = [der] if np.ndim(der) == 0 else list(der)  # type: ignore[call-overload]
    found = [made(x, nu) for nu in orders]
    return found[0] if np.ndim(der) == 0 else np.stack(found)
