"""`interp1d`: interpolants of one variable whose kind is a name."""

from typing import Any

import numpy as np
from scipy import interpolate

from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rulesets.scipy.interpolate.cubic import (
    hermite_coefficients,
    piecewise,
    spline_slopes,
)
from chainrules_py.rulesets.scipy.interpolate.grids import linear_on_grid
from chainrules_py.rulesets.scipy.interpolate.scattered import filled_outside
from chainrules_tape.scipy.interpolate.b_splines import summed, through
from chainrules_tape.scipy.interpolate.interpolants import WHERE, Interpolant, with_points_at
from chainrules_tape.scipy.objects import floats

DEGREES: dict[Any, int] = {"zero": 0, "slinear": 1, "quadratic": 2, "cubic": 3}


class interp1d(Interpolant):
    """`scipy.interpolate.interp1d` of every kind, by knots, values, values outside and points."""

    made_by = interpolate.interp1d

    @classmethod
    def in_place_of(cls, own) -> "interp1d":
        """The interpolant in the place of one of SciPy's."""
        kind = own._spline.k if own._kind == "spline" else own._kind
        outside = {"bounds_error": own.bounds_error, "fill_value": own.fill_value}
        return cls(own.x, own.y, kind, own.axis, assume_sorted=True, **outside)

    def evaluate(self, x) -> Any:
        """The values at points, whose axes replace the axis of the knots."""
        given = self.given
        axis = self.plain.axis
        knots, values = floats(given["x"]), np.moveaxis(floats(given["y"]), axis, 0)
        if not given["assume_sorted"]:
            order = np.argsort(ignore_derivatives(knots), kind="stable")
            knots, values = knots[order], values[order]
        x = floats(x)
        flat = np.reshape(x, -1)
        y = self.outside(between(given["kind"], knots, values, flat), knots, values, flat)
        y = np.reshape(y, (*x.shape, *values.shape[1:]))
        return with_points_at(axis, y, x)

    def outside(self, y, knots, values, x) -> Any:
        """Replace the values at points outside of the knots."""
        below, above = x < knots[0], x > knots[-1]
        if self.plain.bounds_error and (np.any(below) or np.any(above)):
            raise ValueError(
                f"{WHERE}.interp1d: a point is out of bounds; pass fill_value='extrapolate', or"
                " points inside"
            )
        low, high = self.fills(values)
        y = y if low is None else filled_outside(y, below, low)
        return y if high is None else filled_outside(y, above, high)

    def fills(self, values) -> tuple[Any, Any]:
        """The values below and above the knots; None to extrapolate."""
        kind, fill = self.given["kind"], self.given["fill_value"]
        if isinstance(fill, str):  # "extrapolate"
            # nobody knows what is before the first value, or next after the last
            missing = {"previous": (np.nan, values[-1]), "next": (values[0], np.nan)}
            return missing.get(kind, (None, None))
        if isinstance(fill, tuple) and len(fill) == 2:
            return floats(fill[0]), floats(fill[1])
        return floats(fill), floats(fill)


def between(kind, knots, values, x) -> Any:
    """The values at a vector of points, for knots and values along the first axis."""
    if kind in ("linear", "slinear", 1):
        return linear_on_grid([knots], values, x[:, None])
    if kind in ("cubic", 3):
        cubic = hermite_coefficients(knots, values, spline_slopes(knots, values))
        return piecewise(cubic, knots, x, 0, True)
    if kind in STEPS:
        x = ignore_derivatives(x)
        steps = values[STEPS[kind](ignore_derivatives(knots), x)]
        return filled_outside(steps, np.isnan(x), np.nan) if kind in ("zero", 0) else steps
    degree: Any = DEGREES.get(kind, kind)
    t, c = through(values, knots, degree)
    return summed(c, x, t, degree)


def nearest(knots, x, side) -> Any:
    """The position of the nearest knot; halfway, the one on a given side."""
    return np.searchsorted((knots[1:] + knots[:-1]) / 2, x, side)


def previous(knots, x) -> Any:
    """The position of the last knot that is no larger."""
    return np.clip(np.searchsorted(knots, x, "right") - 1, 0, len(knots) - 1)


def following(knots, x) -> Any:
    """The position of the first knot that is no smaller."""
    return np.clip(np.searchsorted(knots, x, "left"), 0, len(knots) - 1)


STEPS: dict[Any, Any] = {
    "nearest": lambda knots, x: nearest(knots, x, "left"),
    "nearest-up": lambda knots, x: nearest(knots, x, "right"),
    **dict.fromkeys(("previous", "zero", 0), previous),
    "next": following,
}
