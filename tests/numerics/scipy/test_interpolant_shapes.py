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
ROWS = RNG.normal(size=(6, 2))
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
KNOTS = scipys.make_interp_spline(X, ROWS).t


# How each is called: a function of the module, the values and the points; the values, and the
# points.
LINE = {
    "CubicSpline by name": lambda m, y, p: m.CubicSpline(x=X, y=y)(x=p),
    "PchipInterpolator": lambda m, y, p: m.PchipInterpolator(list(X), [*y])(p, extrapolate=False),
    "BSpline of rows": lambda m, y, p: m.BSpline(KNOTS, y.T, 3, True, y.ndim - 1)(p),
    "make_interp_spline": lambda m, y, p: m.make_interp_spline(list(X), [*y])(p),
    "interp1d": lambda m, y, p: m.interp1d(X, y, axis=0)(p),
    **{
        f"interp1d, {kind}": lambda m, y, p, kind=kind: m.interp1d(
            [*X[::-1]], [*y], kind, axis=0, bounds_error=False, fill_value=(1.0, 2.0)
        )(p)
        for kind in ("nearest", "next", "cubic")
    },
}
GRID_LINE = {
    "a descending grid": lambda m, y, p: m.RegularGridInterpolator((X[::-1],), y)(p),
    **{
        f"interpn, {how}": lambda m, y, p, how=how: m.interpn([list(X)], y, p, how, False, None)
        for how in ("nearest", "cubic")
    },
    "griddata": lambda m, y, p: m.griddata(X[::-1], y, p),
    "griddata, nearest": lambda m, y, p: m.griddata(X[:, None], y, p, "nearest"),
    "griddata, cubic": lambda m, y, p: m.griddata(X, y, p, "cubic"),
}
GRID_PLANE = {
    "a grid": lambda m, y, p: m.RegularGridInterpolator(GRID, y)(p, "nearest"),
    "splines on a grid": lambda m, y, p: m.RegularGridInterpolator(GRID, y, "slinear")(p),
    "interpn": lambda m, y, p: m.interpn(GRID, y, p, "linear", False, -1.0),
}
SCATTER = {
    "LinearNDInterpolator": lambda m, y, p: m.LinearNDInterpolator(SCATTERED, y)(p),
    "NearestNDInterpolator": lambda m, y, p: m.NearestNDInterpolator(SCATTERED.tolist(), y)(p),
    "griddata": lambda m, y, p: m.griddata((SCATTERED[:, 0], SCATTERED[:, 1]), [*y], p),
    "RBFInterpolator": lambda m, y, p: m.RBFInterpolator(SCATTERED, y)(p),
}
SHAPES = [
    (name, call, own, points)
    for calls, values, points in (
        (LINE, ROWS, NUMBERS),
        (GRID_LINE, ROWS, ON_A_LINE),
        (GRID_PLANE, ON_GRID, IN_A_PLANE),
        (SCATTER, AT_SCATTERED, IN_A_PLANE),
    )
    for name, call in calls.items()
    for own in (values[..., 0], values)
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
    ("name", "call", "values", "points"), SHAPES, ids=[f"{c[0]}, {c[2].ndim}" for c in SHAPES]
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
