"""`scipy.interpolate` for code that is differentiated: interpolants by knots, values and points.

With plain values these are SciPy's objects. Where something is traced, they are written in operations that the tape can see.

>>> import numpy as np
>>> from chainrules_tape import grad
>>> from chainrules_tape.scipy.interpolate import CubicSpline
>>> x = np.arange(4.0)
>>> round(float(grad(lambda y: CubicSpline(x, y)(1.5))(x**2).sum()), 12)  # the weights of all values
1.0
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import interpolate

from chainrules_py.errors import OptionError
from chainrules_py.rulesets.scipy.interpolate.b_splines import b_spline_values, interpolating_coefficients
from chainrules_py.rulesets.scipy.interpolate.cubic import akima_slopes, cubic_interpolant, pchip_slopes, spline_slopes
from chainrules_py.rulesets.scipy.interpolate.grids import linear_on_grid, nearest_on_grid, outside_of_grid
from chainrules_py.rulesets.scipy.interpolate.radial import radial_interpolant
from chainrules_py.rulesets.scipy.interpolate.scattered import filled, linear_on_simplices, nearest_of_points
from chainrules_tape.core.levels import innermost
from chainrules_tape.numpy.namespaces import stand_in

_find, __dir__ = stand_in(interpolate, globals())


def __getattr__(name: str) -> Any:
    return _find(name)


class Interpolant:
    """An interpolant of SciPy's class `made_by`; traced arguments wait for the call, in which `traced` computes with them."""

    made_by: type
    traced: Callable[..., Any]

    def __init__(self, *args: Any, **options: Any) -> None:
        self.args, self.options = args, options
        leaves = [*args, *options.values()]
        plain = (
            innermost(tuple(part for leaf in leaves for part in (leaf if isinstance(leaf, tuple | list) else (leaf,)))) is None
        )
        self.plain = self.made_by(*args, **options) if plain else None

    def __call__(self, points: Any, *args: Any, **options: Any) -> Any:
        """Evaluate at points: by SciPy, or in operations that are traced."""
        parts = points if isinstance(points, tuple | list) else (points,)
        if self.plain is not None and innermost(tuple(parts)) is None:
            return self.plain(points, *args, **options)
        return type(self).traced(points, *args, given=self.args, said=self.options, **options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)  # which whoever asks for `__name__`, say, knows what to do with
        if self.__dict__.get("plain") is None:
            got = f"{name!r} of a {type(self).__name__} that was made of traced values"
            instead = "call the object, with nu= for a derivative"
            raise OptionError("chainrules_tape.scipy.interpolate", got, instead, primal=self.made_by, option=name, value=self)
        return getattr(self.plain, name)


def named(names: str, given: Any, said: Any) -> dict[str, Any]:
    """The arguments of a call by name, those by position given first."""
    return {**dict(zip(names.split(), given, strict=False)), **said}


def coordinates(xi: Any) -> Any:
    """Points with their coordinates in the last axis, also where these are given one by one."""
    return np.stack(np.broadcast_arrays(*xi), axis=-1) if isinstance(xi, tuple | list) else xi


def as_points(x: Any) -> Any:
    """Points as an array of floats."""
    return x if hasattr(x, "shape") else np.stack(x) if isinstance(x, tuple | list) else np.asarray(x, float)


def cubic(slopes: Callable[..., Any], outside: Any) -> Callable[..., Any]:
    """The call of an interpolant that is cubic between the knots."""

    def traced(points: Any, nu: int = 0, extrapolate: Any = None, *, given: Any, said: Any) -> Any:
        names = {"axis": 0, "extrapolate": None, **said}
        x, y = given[:2] if len(given) > 1 else (*given, *[names.pop(k) for k in ("x", "y")[len(given) :]])
        for name, value in zip(
            ("axis", "bc_type", "extrapolate") if slopes is spline_slopes else ("axis",), given[2:], strict=False
        ):
            names[name] = value
        axis, usual = names.pop("axis"), names.pop("extrapolate")
        usual = ("periodic" if names.get("bc_type") == "periodic" else outside) if usual is None else usual
        options = (as_points(x), as_points(y), as_points(points), axis, nu, usual if extrapolate is None else extrapolate)
        return cubic_interpolant(slopes, *options, **names)

    return traced


class CubicSpline(Interpolant):
    """`scipy.interpolate.CubicSpline`, by knots, values and points."""

    made_by, traced = interpolate.CubicSpline, cubic(spline_slopes, True)


class PchipInterpolator(Interpolant):
    """`scipy.interpolate.PchipInterpolator`, by knots, values and points."""

    made_by, traced = interpolate.PchipInterpolator, cubic(pchip_slopes, True)


class Akima1DInterpolator(Interpolant):
    """`scipy.interpolate.Akima1DInterpolator`, by knots, values and points."""

    made_by, traced = interpolate.Akima1DInterpolator, cubic(akima_slopes, False)


def _given_slopes(x: Any, y: Any, dydx: Any, axis: int) -> Any:
    return np.moveaxis(dydx, axis, 0)


def _hermite(points: Any, nu: int = 0, extrapolate: Any = None, *, given: Any, said: Any) -> Any:
    x, y, dydx = given[:3]
    axis = said.get("axis", given[3] if len(given) > 3 else 0)
    outside = said.get("extrapolate", True) if extrapolate is None else extrapolate
    slopes = lambda x, y: _given_slopes(x, y, as_points(dydx), axis)  # noqa: E731
    return cubic_interpolant(slopes, as_points(x), as_points(y), as_points(points), axis, nu, outside)


class CubicHermiteSpline(Interpolant):
    """`scipy.interpolate.CubicHermiteSpline`, by knots, values, slopes and points."""

    made_by, traced = interpolate.CubicHermiteSpline, _hermite


def _b_spline(points: Any, nu: int = 0, extrapolate: Any = None, *, given: Any, said: Any) -> Any:
    t, c, k = given[:3]
    axis = said.get("axis", given[4] if len(given) > 4 else 0)
    usual = said.get("extrapolate", given[3] if len(given) > 3 else True)
    points, c = as_points(points), np.moveaxis(as_points(c), axis, 0)
    values = b_spline_values(c, points, np.asarray(t, float), k, nu, usual if extrapolate is None else extrapolate)
    count = points.ndim
    return np.moveaxis(values, tuple(range(count)), tuple(range(axis % c.ndim, axis % c.ndim + count)))


class BSpline(Interpolant):
    """`scipy.interpolate.BSpline`, by coefficients and points."""

    made_by, traced = interpolate.BSpline, _b_spline


def make_interp_spline(
    x: Any, y: Any, k: int = 3, t: Any = None, bc_type: Any = None, axis: int = 0, check_finite: bool = True
) -> Any:
    """`scipy.interpolate.make_interp_spline`, by values and points."""
    if innermost((y,)) is None:
        made = interpolate.make_interp_spline(x, y, k, t, bc_type, axis, check_finite)
        return BSpline(made.t, made.c, made.k, extrapolate=made.extrapolate, axis=made.axis)
    if t is not None or not (bc_type is None or isinstance(bc_type, str)):
        where, got = "chainrules_tape.scipy.interpolate.make_interp_spline", f"got t={t!r} and bc_type={bc_type!r}"
        raise OptionError(where, got, "pass the name of a boundary condition", primal=None, option="bc_type", value=bc_type)
    x = np.asarray(x, float)
    knots = interpolate.make_interp_spline(x, np.zeros(len(x)), k, bc_type=bc_type)
    c = interpolating_coefficients(np.moveaxis(y, axis, 0), x, k, bc_type)
    return BSpline(knots.t, np.moveaxis(c, 0, axis), knots.k, extrapolate=knots.extrapolate, axis=axis)


ON_GRID = {"linear": linear_on_grid, "nearest": nearest_on_grid}


def _regular_grid(xi: Any, method: Any = None, *, given: Any, said: Any) -> Any:
    names = named("points values method bounds_error fill_value", given, said)
    method = method or names.get("method", "linear")
    if method not in ON_GRID:
        where, got = "chainrules_tape.scipy.interpolate.RegularGridInterpolator", f"got method={method!r} and traced values"
        raise OptionError(where, got, "pass method='linear'", primal=None, option="method", value=method)
    grids, values = [as_points(grid) for grid in names["points"]], as_points(names["values"])
    xi = coordinates(xi)
    outside, fill = outside_of_grid(grids, xi), names.get("fill_value", np.nan)
    if names.get("bounds_error", True) and np.any(outside):
        raise ValueError("One of the requested xi is out of bounds")
    y = ON_GRID[method](grids, values, xi)
    if fill is None or not np.any(outside):
        return y
    return filled(y, outside, fill)


class RegularGridInterpolator(Interpolant):
    """`scipy.interpolate.RegularGridInterpolator` with its methods linear and nearest, by grid, values and points."""

    made_by, traced = interpolate.RegularGridInterpolator, _regular_grid


def interpn(
    points: Any, values: Any, xi: Any, method: str = "linear", bounds_error: bool = True, fill_value: Any = np.nan
) -> Any:
    """`scipy.interpolate.interpn` with its methods linear and nearest, by grid, values and points."""
    if method not in ON_GRID:
        return interpolate.interpn(points, values, xi, method, bounds_error, fill_value)
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)


# --- Scattered points ---


def _linear(*xi: Any, given: Any, said: Any) -> Any:
    names = named("points values fill_value rescale", given, said)
    points, values = coordinates(names["points"]), as_points(names["values"])
    at = coordinates(xi[0] if len(xi) == 1 else xi)
    return linear_on_simplices(points, values, at, names.get("fill_value", np.nan), names.get("rescale", False))


class LinearNDInterpolator(Interpolant):
    """`scipy.interpolate.LinearNDInterpolator`, by scattered points, their values and the points asked for."""

    made_by, traced = interpolate.LinearNDInterpolator, _linear


def _nearest(*xi: Any, given: Any, said: Any) -> Any:
    names = named("x y rescale tree_options", given, said)
    at = coordinates(xi[0] if len(xi) == 1 else xi)
    return nearest_of_points(coordinates(names["x"]), as_points(names["y"]), at, names.get("rescale", False))


class NearestNDInterpolator(Interpolant):
    """`scipy.interpolate.NearestNDInterpolator`, by the values."""

    made_by, traced = interpolate.NearestNDInterpolator, _nearest


def griddata(points: Any, values: Any, xi: Any, method: str = "linear", fill_value: Any = np.nan, rescale: bool = False) -> Any:
    """`scipy.interpolate.griddata` with its methods linear and nearest in two dimensions or more, by points and values."""
    if innermost((*points, *xi, values) if isinstance(points, tuple) else (points, values, *xi)) is None:
        return interpolate.griddata(points, values, xi, method, fill_value, rescale)
    if method not in ("linear", "nearest") or coordinates(points).ndim < 2:
        where, got = "chainrules_tape.scipy.interpolate.griddata", f"got method={method!r} and traced values"
        instead = "pass method='linear' or 'nearest'; in one dimension, call numpy.interp or CubicSpline"
        raise OptionError(where, got, instead, primal=None, option="method", value=method)
    if method == "nearest":
        return NearestNDInterpolator(points, values, rescale)(xi)
    return LinearNDInterpolator(points, values, fill_value, rescale)(xi)


def _radial(x: Any, *, given: Any, said: Any) -> Any:
    names = named("y d", given, said)
    return radial_interpolant(as_points(names.pop("y")), as_points(names.pop("d")), as_points(x), **names)


class RBFInterpolator(Interpolant):
    """`scipy.interpolate.RBFInterpolator`, by its points and values, smoothing, epsilon, and the points asked for."""

    made_by, traced = interpolate.RBFInterpolator, _radial
