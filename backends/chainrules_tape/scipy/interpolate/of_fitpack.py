"""Splines of FITPACK's, in one variable and in two, as objects and by `bisplev`."""

from functools import cached_property
from typing import Any

import numpy as np
from scipy import interpolate

from chainrules_py.rulesets.formulas.known_values import any_at_hand
from chainrules_py.rulesets.scipy.interpolate.by_knots import (
    antiderivative,
    derivative,
    within,
)
from chainrules_py.rulesets.scipy.interpolate.surfaces import Surface, surface_values
from chainrules_tape.core.levels import innermost
from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.scipy.interpolate.b_splines import (
    BSpline,
    splev,
    splint,
    splrep,
    summed,
    through,
)
from chainrules_tape.scipy.interpolate.interpolants import Interpolant
from chainrules_tape.scipy.objects import floats, named_arguments

# how, by FITPACK's numbers
CONTINUED: dict[Any, int] = interpolate._fitpack2._extrap_modes


class Fitpack(Interpolant):
    """A spline of FITPACK: made from data, or the derivative of another."""

    laned = "points"  # those of a call: its data have no lanes

    @classmethod
    def in_place_of(cls, own: Any) -> Any:
        """The spline in the place of one of SciPy's."""
        made = cls.__new__(cls)
        made.given, made.plain = {}, own
        made.is_traced = made.is_anothers = made.is_looped = False
        return made

    @classmethod
    def of(cls, fitted: Any, **given) -> Any:
        """Make a spline from knots, coefficients and degrees, some of them traced."""
        made = cls.in_place_of(None)
        made.given, made.fitted, made.is_traced = given, fitted, True
        return made

    def __reduce__(self) -> Any:
        return (type(self).in_place_of, (self.plain,)) if self.plain else super().__reduce__()


class UnivariateSpline(Fitpack):
    """`scipy.interpolate.UnivariateSpline`, by points, values, weights, the sum of squares, and the
    points of a call.
    """

    made_by = interpolate.UnivariateSpline

    @property
    def _eval_args(self) -> tuple[Any, Any, int]:
        """The knots, coefficients and degree, under the name that programs read."""
        return self.fitted

    @cached_property
    def fitted(self) -> tuple[Any, Any, int]:
        """The knots, the coefficients and the degree."""
        if not self.is_traced:
            return self.plain._eval_args
        given = self.given
        x, s = given["x"], given.get("s", 0)
        s = len(x) if s is None else s
        fitted = {"k": given["k"], "s": s, "t": given.get("t")}
        return splrep(x, given["y"], given["w"], *given["bbox"], **fitted)

    @property
    def ext(self) -> int:
        """How the spline is continued, as a number."""
        return CONTINUED[self.given["ext"]] if self.is_traced else self.plain.ext

    def evaluate(self, x, nu: int = 0, ext: Any = None) -> Any:
        """The derivative `nu` at points."""
        return splev(x, self.fitted, nu, self.ext if ext is None else CONTINUED[ext])

    def integral(self, a, b) -> Any:
        """The integral from a to b of the spline, taken as zero outside of its knots."""
        return splint(a, b, self._eval_args)

    def derivatives(self, x) -> Any:
        """All derivatives at a point, from the value on."""
        return np.stack([splev(x, self._eval_args, nu) for nu in range(self._eval_args[2] + 1)])

    def derivative(self, n: int = 1) -> Any:
        """The derivative `n`, a spline of a lower degree."""
        if not self.is_traced:
            return UnivariateSpline.in_place_of(self.plain.derivative(n))
        outside = 1 if self.ext == 3 else self.ext
        return UnivariateSpline.of(derivative(*self._eval_args, n), ext=outside)

    def antiderivative(self, n: int = 1) -> Any:
        """The integral from the first knot on, `n` times."""
        if not self.is_traced:
            return UnivariateSpline.in_place_of(self.plain.antiderivative(n))
        return UnivariateSpline.of(antiderivative(*self._eval_args, n), ext=self.ext)


class InterpolatedUnivariateSpline(UnivariateSpline):
    """`scipy.interpolate.InterpolatedUnivariateSpline`, as `UnivariateSpline` with s=0."""

    made_by = interpolate.InterpolatedUnivariateSpline


class LSQUnivariateSpline(UnivariateSpline):
    """`scipy.interpolate.LSQUnivariateSpline`, by its knots, too."""

    made_by = interpolate.LSQUnivariateSpline


class BivariateSpline(Fitpack):
    """`scipy.interpolate.BivariateSpline`, by the points of a call."""

    made_by = interpolate.BivariateSpline

    @cached_property
    def fitted(self) -> Surface:
        """The knots in both directions, the coefficients and the degrees."""
        if not self.is_traced:
            return *self.plain.tck, *self.plain.degrees
        given = self.given
        if self.made_by is not interpolate.RectBivariateSpline:
            instead = "make a RectBivariateSpline with s=0, which has derivatives by its data"
            raise self.refused("z" if "z" in given else "r", instead)
        if given["s"]:
            instead = "pass s=0: for a smoothing spline, FITPACK chooses knots by the values"
            raise self.refused("s", instead)
        c, knots = floats(given["z"]), []
        for name, ends in (("x", given["bbox"][:2]), ("y", given["bbox"][2:])):
            points, k = np.reshape(floats(given[name]), -1), given[f"k{name}"]
            t, c = through(c, points, k, *ends)
            knots.append(t)
            c = c.T
        return *knots, c, given["kx"], given["ky"]

    @property
    def tck(self) -> tuple[Any, Any, Any]:
        """The knots in both directions, and the coefficients in one row."""
        tx, ty, c, *_ = self.fitted
        return tx, ty, np.reshape(c, -1)

    def evaluate(self, **given) -> Any:
        """A derivative at points, or on a grid; on a sphere, arguments have other names."""
        x, y, dx, dy, grid = given.values()
        return (on_grid if grid else at_pairs)(x, y, self.fitted, dx, dy)

    def ev(self, *args, **options) -> Any:
        """A derivative at points."""
        function = getattr(self.made_by, "ev", interpolate.BivariateSpline.ev)
        return self(*named_arguments(function, self, *args, **options).values(), grid=False)

    def partial_derivative(self, dx: int, dy: int) -> Any:
        """A derivative as a spline of lower degrees."""
        if not dx and not dy:
            return self
        if not self.is_traced:
            return DerivedBivariateSpline.in_place_of(self.plain.partial_derivative(dx, dy))
        tx, ty, c, kx, ky = self.fitted
        tx, c, kx = derivative(tx, c, kx, dx)
        ty, c, ky = derivative(ty, c.T, ky, dy)
        return DerivedBivariateSpline.of((tx, ty, c.T, kx, ky))

    def integral(self, xa, xb, ya, yb) -> Any:
        """The integral over a rectangle, outside of which nothing is added."""
        if not self.is_traced and innermost((xa, xb, ya, yb)) is None:
            return self.plain.integral(xa, xb, ya, yb)
        tx, ty, c, kx, ky = with_rows(self.fitted)
        rows, columns = integrals(tx, kx, xa, xb), integrals(ty, ky, ya, yb)
        return rows @ c @ columns


class DerivedBivariateSpline(BivariateSpline):
    """SciPy's class of a derivative of a surface, by the points of a call."""

    made_by = interpolate._fitpack2._DerivedBivariateSpline


class SmoothBivariateSpline(BivariateSpline):
    """`scipy.interpolate.SmoothBivariateSpline`, by the points of a call."""

    made_by = interpolate.SmoothBivariateSpline


class LSQBivariateSpline(BivariateSpline):
    """`scipy.interpolate.LSQBivariateSpline`, by the points of a call."""

    made_by = interpolate.LSQBivariateSpline


class RectBivariateSpline(BivariateSpline):
    """`scipy.interpolate.RectBivariateSpline`, by the grid, the values and the points of a call."""

    made_by = interpolate.RectBivariateSpline


class RectSphereBivariateSpline(BivariateSpline):
    """`scipy.interpolate.RectSphereBivariateSpline`, by the angles of a call."""

    made_by = interpolate.RectSphereBivariateSpline
    longest = np.inf  # the largest angle around the axis

    def evaluate(self, **given) -> Any:
        """A derivative at angles, or at those of a grid."""
        for name, last in (("theta", np.pi), ("phi", self.longest)):
            angle = floats(given[name])
            if any_at_hand((angle > last) | ((angle < 0) & (last < np.inf))):
                raise ValueError(f"requested {name} out of bounds.")
        return super().evaluate(**given)


class SmoothSphereBivariateSpline(RectSphereBivariateSpline):
    """`scipy.interpolate.SmoothSphereBivariateSpline`, by the angles of a call."""

    made_by = interpolate.SmoothSphereBivariateSpline
    longest = 2 * np.pi


class LSQSphereBivariateSpline(SmoothSphereBivariateSpline):
    """`scipy.interpolate.LSQSphereBivariateSpline`, by the angles of a call."""

    made_by = interpolate.LSQSphereBivariateSpline


def with_rows(surface: Surface) -> Surface:
    """A surface whose coefficients have an axis for each variable."""
    tx, ty, c, kx, ky = surface
    return floats(tx), floats(ty), np.reshape(c, (len(tx) - kx - 1, len(ty) - ky - 1)), kx, ky


def at_pairs(x, y, surface: Surface, dx: int = 0, dy: int = 0) -> Any:
    """A derivative of a surface at points."""
    surface = with_rows(surface)
    tx, ty, c, kx, ky = surface
    x, y = within(floats(x), tx, kx), within(floats(y), ty, ky)
    if innermost((surface,)) is None:
        x, y = np.broadcast_arrays(x, y)
        return surface_values(x, y, surface=surface, dx=dx, dy=dy)
    rows, columns = summed(units(tx, kx), x, tx, kx, dx), summed(units(ty, ky), y, ty, ky, dy)
    return np.einsum("...j,...j->...", rows @ c, columns)


def units(t, k: int) -> Any:
    """The coefficients of each B-spline alone."""
    return np.eye(t.shape[0] - k - 1)


def integrals(t, k: int, a, b) -> Any:
    """The integral of each B-spline, which is zero outside of its knots."""
    return BSpline(t, units(t, k), k).integrate(a, b, extrapolate=False)


def on_grid(x, y, surface: Surface, dx: int = 0, dy: int = 0) -> Any:
    """A derivative of a surface at the points of a grid."""
    x, y = floats(x), floats(y)
    for name, points in (("x", x), ("y", y)):
        if points.ndim and any_at_hand(np.diff(points) < 0):
            raise ValueError(f"{name} must be strictly increasing when `grid` is True")
    return at_pairs(np.reshape(x, (-1, 1)), np.reshape(y, (1, -1)), surface, dx, dy)


@by_others(interpolate.bisplev)
def bisplev(x, y, tck, dx: int = 0, dy: int = 0) -> Any:
    """`scipy.interpolate.bisplev` by points and coefficients."""
    z = on_grid(x, y, tuple(tck), dx, dy)
    if len(z) > 1:
        return z
    return z[0] if len(z[0]) > 1 else z[0][0]
