"""scipy.interpolate: points in every shape that SciPy takes give SciPy's values, and are refused
where SciPy refuses them.
"""

import numpy as np
import pytest
from scipy import interpolate as scipys

from chainrules_tape import vjp
from chainrules_tape.scipy import interpolate as ours

RNG = np.random.default_rng(0)
X = np.array([0.0, 0.7, 1.5, 2.2, 3.1, 4.0])
Y, ROWS = RNG.normal(size=6), RNG.normal(size=(6, 2))
GRID, ON_GRID = (
    (np.array([0.0, 1.0, 2.5]), np.array([0.0, 0.7, 1.9, 3.0])),
    RNG.normal(size=(3, 4, 2)),
)
SCATTERED, AT_SCATTERED = (
    np.array([[0, 0], [1, 0.1], [0.1, 1], [1.1, 1.2], [0.5, 0.45]]),
    RNG.normal(size=(5, 2)),
)

NUMBERS = {
    "a number": 1.3,
    "an array without axes": np.array(1.3),
    "points": np.array([0.5, 1.0, 2.5]),
    "a list": [0.5, 1.0, 2.5],
    "a matrix": np.array([[0.5, 1.0], [2.0, 3.0]]),
    "none": np.zeros(0),
    "a tuple": (0.5, 1.0),
    "what is no number": np.array([0.5, np.nan]),
}
ON_A_LINE = {**NUMBERS, "a tuple of one array": (np.array([0.5, 1.0]),)}
IN_A_PLANE = {
    "a point": np.array([0.5, 0.6]),
    "points": RNG.uniform(0.1, 1, (5, 2)),
    "a tuple of arrays": (np.array([0.5, 0.6]), np.array([0.1, 0.7])),
    "a tuple of numbers": (0.5, 0.6),
    "a number and an array": (0.5, np.array([0.1, 0.7])),
    "a tuple that is broadcast": (np.array([[0.5], [0.6]]), np.array([0.1, 0.7, 0.3])),
    "a tuple of one array": (RNG.uniform(0.1, 1, (5, 2)),),
    "a list of arrays": [np.array([0.5, 0.6]), np.array([0.1, 0.7])],
    "three coordinates": np.array([0.1, 0.2, 0.3]),
    "none": np.zeros((0, 2)),
    "what is no number": np.array([[0.5, np.nan], [0.1, 0.2]]),
}
KNOTS = scipys.make_interp_spline(X, Y).t


def of_kind(kind, **options):
    return lambda m, y, p: m.interp1d(X, y, kind, axis=0, **options)(p)


# How each is called: a function of the module, the values and the points; the values, and the
# points.
LINE = {
    "CubicSpline": lambda m, y, p: m.CubicSpline(X, y)(p),
    "CubicSpline by name": lambda m, y, p: m.CubicSpline(x=X, y=y)(x=p),
    "PchipInterpolator": lambda m, y, p: m.PchipInterpolator(list(X), [*y])(p, extrapolate=False),
    "Akima1DInterpolator": lambda m, y, p: m.Akima1DInterpolator(X, y)(p),
    "CubicHermiteSpline": lambda m, y, p: m.CubicHermiteSpline(X, y, dydx=y)(p),
    "BSpline": lambda m, y, p: m.BSpline(list(KNOTS), [*y], 3)(p),
    "BSpline of rows": lambda m, y, p: m.BSpline(KNOTS, y.T, 3, True, y.ndim - 1)(p),
    "make_interp_spline": lambda m, y, p: m.make_interp_spline(list(X), [*y])(p),
    "make_interp_spline of rows": lambda m, y, p: m.make_interp_spline(X, y.T, axis=y.ndim - 1)(p),
    "interp1d": of_kind("linear"),
    **{
        f"interp1d, {kind}": of_kind(kind, fill_value="extrapolate")
        for kind in ("nearest", "nearest-up", "zero", "quadratic")
    },
    **{
        f"interp1d, {kind}": of_kind(kind, bounds_error=False)
        for kind in ("cubic", "previous", "next", 5)
    },
    "interp1d, unsorted": lambda m, y, p: m.interp1d(
        [*X[::-1]], [*y], axis=0, bounds_error=False, fill_value=(1.0, 2.0)
    )(p),
}
GRID_METHODS = ("linear", "nearest", "slinear", "cubic", "quintic")
GRID_LINE = {
    **{
        f"a grid, {how}": lambda m, y, p, how=how: m.RegularGridInterpolator((X,), y, how)(p)
        for how in GRID_METHODS
    },
    **{
        f"interpn, {how}": lambda m, y, p, how=how: m.interpn([list(X)], y, p, how, False, None)
        for how in GRID_METHODS
    },
    "a descending grid": lambda m, y, p: m.RegularGridInterpolator((X[::-1],), y)(p),
    "griddata": lambda m, y, p: m.griddata(X[::-1], y, p),
    "griddata, nearest": lambda m, y, p: m.griddata(X[:, None], y, p, "nearest"),
    "griddata, cubic": lambda m, y, p: m.griddata(X, y, p, "cubic"),
}
GRID_PLANE = {
    **{
        f"a grid, {how}": lambda m, y, p, how=how: m.RegularGridInterpolator(GRID, y)(p, how)
        for how in ("linear", "nearest")
    },
    "splines on a grid": lambda m, y, p: m.RegularGridInterpolator(GRID, y, "slinear")(p),
    "interpn": lambda m, y, p: m.interpn(GRID, y, p, "linear", False, -1.0),
}
SCATTER = {
    "LinearNDInterpolator": lambda m, y, p: m.LinearNDInterpolator(SCATTERED, y)(p),
    "NearestNDInterpolator": lambda m, y, p: m.NearestNDInterpolator(SCATTERED.tolist(), y)(p),
    "griddata": lambda m, y, p: m.griddata((SCATTERED[:, 0], SCATTERED[:, 1]), [*y], p),
    "griddata, nearest": lambda m, y, p: m.griddata(SCATTERED, y, p, "nearest"),
    "RBFInterpolator": lambda m, y, p: m.RBFInterpolator(SCATTERED, y)(p),
}
CASES = [
    *[(name, call, values, NUMBERS) for name, call in LINE.items() for values in (Y, ROWS)],
    *[(name, call, values, ON_A_LINE) for name, call in GRID_LINE.items() for values in (Y, ROWS)],
    *[
        (name, call, values, IN_A_PLANE)
        for name, call in GRID_PLANE.items()
        for values in (ON_GRID[..., 0], ON_GRID)
    ],
    *[
        (name, call, values, IN_A_PLANE)
        for name, call in SCATTER.items()
        for values in (AT_SCATTERED[:, 0], AT_SCATTERED)
    ],
]


def outcome(call, *args):
    try:
        return call(*args)
    except (ValueError, IndexError, TypeError, NotImplementedError) as error:
        return error


def assert_as_scipys(found, expected, what):
    if isinstance(expected, Exception):
        assert isinstance(found, Exception), what
        return
    assert not isinstance(found, Exception), (what, found)
    assert np.shape(found) == np.shape(expected), what
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12, err_msg=what)


@pytest.mark.parametrize(
    ("name", "call", "values", "points"), CASES, ids=[f"{c[0]}, {c[2].ndim}" for c in CASES]
)
def test_points_of_every_shape(name, call, values, points):
    for what, at in points.items():
        expected = outcome(call, scipys, values, at)
        assert_as_scipys(
            outcome(lambda at=at: vjp(lambda y: call(ours, y, at), values)[0]), expected, what
        )
        if holds_floats(at):
            assert_as_scipys(
                outcome(lambda at=at: vjp(lambda p: call(ours, values, p), at)[0]), expected, what
            )


def holds_floats(points):
    parts = points if isinstance(points, tuple) else (points,)
    return all(
        isinstance(part, float | np.ndarray) and np.asarray(part).dtype == float for part in parts
    )


def test_one_point_of_many_is_not_the_answer_for_all():
    values, points = np.array([1.0, 2.0, 4.0]), np.array([0.5, 1.5, 0.9])
    for call in (
        lambda v: np.sum(ours.RegularGridInterpolator((np.arange(3.0),), v)(points)),
        lambda v: np.sum(ours.interpn((np.arange(3.0),), v, points)),
    ):
        value, pull = vjp(call, values)
        assert np.isclose(value, 1.5 + 3.0 + 1.9)
        np.testing.assert_allclose(pull(1.0)[0], [0.5 + 0.1, 0.5 + 0.5 + 0.9, 0.5])
