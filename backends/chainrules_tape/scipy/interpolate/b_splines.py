"""B-splines: `BSpline`, `make_interp_spline`, and `splrep` and `splev` with triples of arrays."""

from typing import Any

import numpy as np
from scipy import interpolate

from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rulesets.formulas.known_values import any_at_hand
from chainrules_py.rulesets.scipy.interpolate.b_splines import (
    b_spline_values,
)
from chainrules_py.rulesets.scipy.interpolate.by_knots import (
    antiderivative,
    clamped_knots,
    coefficients_through,
    derivative,
    fitted_coefficients,
    interpolating_knots,
    penalised_values,
    smoothed_coefficients,
    spline_by_knots,
    within,
)
from chainrules_py.rulesets.scipy.interpolate.cubic import NAMED
from chainrules_tape.core.levels import innermost
from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.scipy.interpolate.interpolants import (
    WHERE,
    Interpolant,
    integral_between,
    with_points_at,
)
from chainrules_tape.scipy.objects import (
    constant,
    example,
    floats,
    is_recorded,
    traced_option_error,
)

_PERIODIC = "make a CubicSpline with bc_type='periodic'"


class BSpline(Interpolant):
    """`scipy.interpolate.BSpline`, by coefficients and points."""

    made_by = interpolate.BSpline
    laned = "c"

    @classmethod
    def in_place_of(cls, own) -> "BSpline":
        """The spline in the place of one of SciPy's."""
        c = np.moveaxis(own.c, 0, own.axis)
        return cls(own.t, c, own.k, extrapolate=own.extrapolate, axis=own.axis)

    def evaluate(self, x, nu: int = 0, extrapolate: Any = None) -> Any:
        """The derivative `nu` at points."""
        axis, degree, x = self.plain.axis, self.given["k"], floats(x)
        # coefficients beyond are not read, as those that `splrep` adds
        count = len(self.plain.t) - degree - 1
        c = np.moveaxis(floats(self.given["c"]), axis, 0)[:count]
        outside = self.plain.extrapolate if extrapolate is None else extrapolate
        values = summed(c, x, self.given["t"], degree, nu, outside)
        return with_points_at(axis, values, x)

    @property
    def triple(self) -> tuple[Any, Any, int]:
        """The knots, the coefficients along the first axis, and the degree."""
        c = np.moveaxis(floats(self.given["c"]), self.given["axis"], 0)
        return floats(self.given["t"]), c, self.given["k"]

    def of(self, triple: tuple[Any, Any, int], outside: Any) -> "BSpline":
        """A spline with the same axis, from knots, coefficients along the first axis, and degree."""
        t, c, k = triple
        return BSpline(t, np.moveaxis(c, 0, self.given["axis"]), k, outside, self.given["axis"])

    def derivative(self, nu: int = 1) -> "BSpline":
        """The derivative `nu`, a spline of a lower degree."""
        if not self.is_traced:
            return BSpline.in_place_of(self.plain.derivative(nu))
        if nu < 0:
            return self.antiderivative(-nu)
        return self.of(derivative(*self.triple, nu), self.given["extrapolate"])

    def antiderivative(self, nu: int = 1) -> "BSpline":
        """The integral from the first knot on, `nu` times; it is not periodic."""
        if not self.is_traced:
            return BSpline.in_place_of(self.plain.antiderivative(nu))
        if nu < 0:
            return self.derivative(-nu)
        outside = self.given["extrapolate"]
        integral = antiderivative(*self.triple, nu)
        return self.of(integral, False if outside == "periodic" else outside)

    def integrate(self, a, b, extrapolate: Any = None) -> Any:
        """The integral from a to b."""
        outside = self.given["extrapolate"] if extrapolate is None else extrapolate
        if not self.is_traced and innermost((a, b)) is None:
            return self.plain.integrate(a, b, outside)
        t, c, k = self.triple
        ends = t[k], t[t.shape[0] - k - 1]
        integral = BSpline(*antiderivative(t, c, k))
        if not outside:  # nothing is added there
            a, b = np.clip(a, *ends), np.clip(b, *ends)
        return integral_between(integral, a, b, *ends, outside)


def summed(c, x, t, k: int, nu: int = 0, extrapolate: Any = True) -> Any:
    """The derivative `nu` of a sum of B-splines at points; SciPy computes it if coefficients and
    knots are NumPy's.
    """
    t = floats(t)
    if type(c) is type(t) is np.ndarray:
        return b_spline_values(x, c=c, t=t, k=k, nu=nu, extrapolate=extrapolate)
    return spline_by_knots(c, x, t, k, nu, extrapolate)


def make_interp_spline(
    x,
    y,
    k: int = 3,
    t: Any = None,
    bc_type: Any = None,
    axis: int = 0,
    check_finite: bool = True,
) -> Any:
    """`scipy.interpolate.make_interp_spline`, by values and points."""
    function = interpolate.make_interp_spline
    if innermost((x, y, t, bc_type)) is None:
        return BSpline.in_place_of(function(x, y, k, t, bc_type, axis, check_finite))
    if t is not None:
        raise traced_option_error(function, "t", t, "pass no knots")
    if not (bc_type is None or isinstance(bc_type, str)):
        raise traced_option_error(
            function, "bc_type", bc_type, "pass the name of a boundary condition"
        )
    if bc_type == "periodic":
        raise traced_option_error(function, "bc_type", bc_type, _PERIODIC)

    x, y = floats(x), floats(y)
    axis = axis % y.ndim
    values = np.moveaxis(y, axis, 0)
    refused_by_scipy(function, x, np.zeros(len(x)), k, bc_type=bc_type)
    if bc_type in (None, "not-a-knot"):
        knots, c = through(values, x, k)
    else:
        knots = clamped_knots(x[1:-1], k, x[0], x[-1])
        c = coefficients_through(values, x, knots, k, NAMED[bc_type][0])
    return BSpline(knots, np.moveaxis(c, 0, axis), k, axis=axis)


def make_smoothing_spline(x, y, w: Any = None, lam: Any = None, *, axis: int = 0) -> BSpline:
    """`scipy.interpolate.make_smoothing_spline`, by points, values, weights and penalty."""
    function = interpolate.make_smoothing_spline
    given = x, y, w, lam
    if innermost(given) is None:
        return BSpline.in_place_of(function(*given, axis=axis))
    refused_by_scipy(function, *given, axis=axis)
    if lam is None:
        instead = "pass lam: what cross-validation finds has no derivative"
        raise traced_option_error(function, "lam", lam, instead)
    x, y = floats(x), floats(y)
    w = np.ones(x.shape[0]) if w is None else floats(w)
    values = np.moveaxis(penalised_values(np.moveaxis(y, axis, 0), x, w, lam), 0, axis)
    return make_interp_spline(x, values, bc_type="natural", axis=axis)


@by_others(interpolate.splrep)
def splrep(
    x,
    y,
    w: Any = None,
    xb: Any = None,
    xe: Any = None,
    k: int = 3,
    task: int = 0,
    s: Any = None,
    t: Any = None,
    full_output: int = 0,
    per: int = 0,
    quiet: int = 1,
) -> Any:
    """`scipy.interpolate.splrep`, by points, values, weights, knots and the sum of squares.

    Where it smooths, which points are knots is constant.
    """
    given = (x, y, w, xb, xe, s, t)
    function = interpolate.splrep
    if innermost(given) is None:  # constants that the program may write to, which FITPACK copies
        return function(x, y, w, xb, xe, k, task, s, t, full_output, per, quiet)
    if full_output:
        raise traced_option_error(function, "full_output", full_output, "leave it out")
    if per:
        raise traced_option_error(function, "per", per, _PERIODIC)

    is_exact = w is None if s is None else innermost((s,)) is None and s == 0
    if is_exact and t is None:
        refused_by_scipy(function, x, y, w, xb, xe, k, task, s)
        knots, c = through(floats(y), floats(x), k, xb, xe)
    else:
        knots, c = fitted(given, k, task)
    return knots, np.concatenate([c, np.zeros(k + 1)]), k  # zeros, as FITPACK gives them


INTERPOLATES = -1  # what FITPACK says of its result


def fitted(given: tuple[Any, ...], k: int, task: int) -> tuple[Any, Any]:
    """Fit a spline to values at points; return its knots and coefficients."""
    x, y, w, xb, xe, s, t = given
    plain: list[Any] = [constant(each) for each in given]
    points = plain[:5]
    answer: Any = interpolate.splrep(*points, k=k, task=task, s=plain[5], t=plain[6], full_output=1)
    found, residual, status, said = answer
    if status > 0:
        raise traced_option_error(
            interpolate.splrep, "s", s, f"FITPACK found no such spline: {said}"
        )
    x, y = floats(x), floats(y)
    if status == INTERPOLATES and t is None:
        return through(y, x, k, xb, xe)
    w = np.ones(x.shape[0]) if w is None else floats(w)
    inner = inner_knots(found[0], x, k) if t is None else floats(t)
    knots = clamped_knots(inner, k, *ends_of(x, xb, xe))
    if status < 0 or t is not None:
        return knots, fitted_coefficients(y, x, knots, w, k)
    # FITPACK stops near `s`, of which the default is constant
    wanted = residual if s is None else residual + (s - plain[5])
    return knots, smoothed_coefficients(y, x, knots, w, k, wanted)


def through(values, x, k: int, first: Any = None, last: Any = None) -> tuple[Any, Any]:
    """Interpolate values at points; return the spline's knots and coefficients."""
    knots = interpolating_knots(x, k, *ends_of(x, first, last))
    return knots, coefficients_through(values, x, knots, k)


def ends_of(x, first: Any, last: Any) -> tuple[Any, Any]:
    """The ends of a spline; by default, its first and last point."""
    return x[0] if first is None else first, x[-1] if last is None else last


def refused_by_scipy(function, *args, **options) -> None:
    """Call a function on plain values, to raise its errors; a recording has no plain values."""
    if not is_recorded(args):
        function(*map(example, args), **options)


def inner_knots(found, x, k: int) -> Any:
    """The knots between the ends, which are points that FITPACK chose."""
    plain = ignore_derivatives(x)
    inner = found[k + 1 : len(found) - k - 1]
    at = np.searchsorted(plain, inner)
    if not np.array_equal(plain[at], inner):
        got = "s so small that knots lie between the points"
        raise traced_option_error(interpolate.splrep, "s", got, "pass a larger s, or s=0")
    return x[at]


def splev(x, tck, der: int = 0, ext: int = 0) -> Any:
    """`scipy.interpolate.splev` by coefficients and points."""
    if isinstance(tck, BSpline):
        tck = tck.triple if type(tck) is BSpline else (tck.t, tck.c, tck.k)
    if innermost((x, tck)) is None:
        return interpolate.splev(x, tck, der, ext)
    t, c, k = tck
    if isinstance(c, list | tuple) or getattr(c, "ndim", 1) > 1:
        return [splev(x, (t, row, k), der, ext) for row in c]
    x, t, c = floats(x), floats(t), floats(c)
    low, high = t[k], t[t.shape[0] - k - 1]
    outside = (x < low) | (x > high)
    if ext == 2 and any_at_hand(outside):
        raise ValueError(f"{WHERE}.splev: a point is out of bounds; pass ext=0, or points inside")
    inside = within(x, t, k) if ext == 3 and not der else x  # derivatives FITPACK continues
    y = BSpline(t, c[: t.shape[0] - k - 1], k)(inside, der)
    return np.where(outside, 0.0, y) if ext == 1 else y


@by_others(interpolate.splint)
def splint(a, b, tck) -> Any:
    """`scipy.interpolate.splint` by limits and coefficients.

    The spline is zero outside of its knots.
    """
    t, c, k = tck
    return BSpline(floats(t), floats(c), k).integrate(a, b, extrapolate=False)
