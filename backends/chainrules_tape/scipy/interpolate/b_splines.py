"""B-splines: `BSpline` and `make_interp_spline`, and `splrep` and `splev`, which say the same by triples of arrays."""

from typing import Any

import numpy as np
from scipy import interpolate

from chainrules_py.rulesets.scipy.interpolate.b_splines import b_spline_values, interpolating_coefficients
from chainrules_tape.core.levels import innermost
from chainrules_tape.scipy.interpolate.interpolants import Interpolant, floats, refused


class BSpline(Interpolant):
    """`scipy.interpolate.BSpline`, by coefficients and points."""

    made_by = interpolate.BSpline

    def evaluate(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        """The derivative `nu` at points."""
        knots, axis = self.given["t"], self.plain.axis
        if innermost((knots,)) is not None:
            raise refused("BSpline", "t", knots, "differentiate by the coefficients c; the knots are constants")
        count = len(self.plain.t) - self.given["k"] - 1  # coefficients beyond are not read, as those that `splrep` adds
        c = np.moveaxis(floats(self.given["c"]), axis, 0)[:count]
        x = floats(x)
        outside = self.plain.extrapolate if extrapolate is None else extrapolate
        values = b_spline_values(c, x, self.plain.t, self.given["k"], nu, outside)
        return np.moveaxis(values, tuple(range(x.ndim)), tuple(range(axis, axis + x.ndim)))


def make_interp_spline(
    x: Any, y: Any, k: int = 3, t: Any = None, bc_type: Any = None, axis: int = 0, check_finite: bool = True
) -> Any:
    """`scipy.interpolate.make_interp_spline`, by values and points."""
    if innermost((x, y, t, bc_type)) is None:
        made = interpolate.make_interp_spline(x, y, k, t, bc_type, axis, check_finite)
        return BSpline(made.t, np.moveaxis(made.c, 0, made.axis), made.k, extrapolate=made.extrapolate, axis=made.axis)
    if innermost((x,)) is not None:
        raise refused("make_interp_spline", "x", x, "make a CubicSpline, which is differentiated by its knots")
    if t is not None:
        raise refused("make_interp_spline", "t", t, "leave the knots out")
    if not (bc_type is None or isinstance(bc_type, str)):
        raise refused("make_interp_spline", "bc_type", bc_type, "pass the name of a boundary condition")
    x, y = np.asarray(x, float), floats(y)
    axis = axis % y.ndim
    knots = interpolate.make_interp_spline(x, np.zeros(len(x)), k, bc_type=bc_type)
    c = interpolating_coefficients(np.moveaxis(y, axis, 0), x, k, bc_type)
    return BSpline(knots.t, np.moveaxis(c, 0, axis), knots.k, extrapolate=knots.extrapolate, axis=axis)
