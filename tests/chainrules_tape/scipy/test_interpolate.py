"""Interpolants of traced knots, values and points: SciPy's values, and derivatives held to finite
differences of SciPy's.
"""

import itertools
import pickle

import numpy as np
import pytest
from scipy import interpolate as scipys
from scipy.optimize import brentq
from scipy.sparse.linalg import spsolve

from chainrules_py.errors import OptionError
from chainrules_tape import grad, hessian, jacobian, vjp, vmap
from chainrules_tape.scipy import interpolate as ours
from slopes import quotients

RNG = np.random.default_rng(0)
ENDS = ((1, np.array([0.3, 0.1])), (2, np.array([0.7, -0.2])))
KINDS = [
    *[
        ("CubicSpline", {"bc_type": bc})
        for bc in ("not-a-knot", "natural", "clamped", "periodic", ENDS)
    ],
    ("CubicSpline", {"bc_type": ("not-a-knot", ENDS[0]), "extrapolate": False}),
    ("PchipInterpolator", {}),
    *[
        ("Akima1DInterpolator", options)
        for options in ({}, {"method": "makima"}, {"extrapolate": True})
    ],
]


def data(n):
    x, y = np.cumsum(RNG.uniform(0.3, 1, n)), RNG.normal(size=(n, 2))
    return (
        x,
        y,
        np.array([x[0] - 0.2, x[0] + 0.1, (x[0] + x[-1]) / 2 + 0.01, x[-1] - 0.1, x[-1] + 0.3]),
    )


def assert_derivative(function, of_scipy, x):
    expected = quotients(of_scipy, x)
    found = jacobian(function)(x)
    np.testing.assert_allclose(found, expected.reshape(found.shape), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("name", "options"), KINDS)
@pytest.mark.parametrize("n", [2, 3, 7])
def test_cubic_interpolants_have_scipys_values(name, options, n):
    if n == 2 and options.get("bc_type") == "periodic":
        pytest.skip("two points make no period")
    if (
        n == 2
        and name == "Akima1DInterpolator"
        and scipys.Akima1DInterpolator([0.0, 1.0], [0.0, 1.0])(0.5) != 0.5
    ):
        pytest.skip("SciPy before 1.16 does not join two points by a line")
    x, y, points = data(n)
    y[-1] = y[0]  # which a period wants
    for nu in (0, 1, 2, 4):
        value = vjp(lambda p, nu=nu: getattr(ours, name)(x, y, **options)(p, nu), points)[0]
        np.testing.assert_allclose(
            value, getattr(scipys, name)(x, y, **options)(points, nu), rtol=1e-9, atol=1e-9
        )


@pytest.mark.parametrize(
    ("name", "options"), [kind for kind in KINDS if kind[1].get("bc_type") != "periodic"]
)
def test_derivatives_by_knots_values_and_points(name, options):
    x, y, points = data(6)
    mine, theirs, p = getattr(ours, name), getattr(scipys, name), points[1:4]
    assert_derivative(lambda x: mine(x, y, **options)(p), lambda x: theirs(x, y, **options)(p), x)
    assert_derivative(lambda y: mine(x, y, **options)(p), lambda y: theirs(x, y, **options)(p), y)
    assert_derivative(lambda p: mine(x, y, **options)(p), lambda p: theirs(x, y, **options)(p), p)


def test_a_period():
    x, y, points = data(6)

    def closed(y):
        return np.concatenate([y, y[:1]])

    def value(interpolate, y):
        return interpolate.CubicSpline(x, closed(y), bc_type="periodic")(points)

    assert_derivative(lambda y: value(ours, y), lambda y: value(scipys, y), y[:-1])


def test_values_along_another_axis_and_given_slopes():
    x, y, points = data(5)
    slopes = RNG.normal(size=y.shape)
    found = vjp(
        lambda y: ours.CubicHermiteSpline(x, y, slopes.T, axis=1)(points.reshape(5, 1)), y.T
    )[0]
    np.testing.assert_allclose(
        found, scipys.CubicHermiteSpline(x, y.T, slopes.T, axis=1)(points.reshape(5, 1))
    )
    assert_derivative(
        lambda d: ours.CubicHermiteSpline(x, y, d)(points),
        lambda d: scipys.CubicHermiteSpline(x, y, d)(points),
        slopes,
    )


@pytest.mark.parametrize(
    ("k", "bc"),
    [(1, None), (2, None), (3, None), (5, None), (3, "natural"), (3, "clamped"), (3, "periodic")],
)
def test_splines_of_any_degree(k, bc):
    x, y, points = data(8)
    y[-1] = y[0] if bc == "periodic" else y[-1]
    theirs = scipys.make_interp_spline(x, y, k, bc_type=bc)
    for nu in (0, 1):
        found = vjp(lambda p, nu=nu: ours.make_interp_spline(x, y, k, bc_type=bc)(p, nu), points)[0]
        np.testing.assert_allclose(found, theirs(points, nu))
        assert_derivative(
            lambda c, nu=nu: ours.BSpline(theirs.t, c, k)(points, nu),
            lambda c, nu=nu: scipys.BSpline(theirs.t, c, k)(points, nu),
            theirs.c,
        )
    assert_derivative(lambda p: ours.make_interp_spline(x, y, k, bc_type=bc)(p), theirs, points)
    if bc != "periodic":
        of_values = [
            lambda y, m=m: m.make_interp_spline(x, y, k, bc_type=bc)(points) for m in (ours, scipys)
        ]
        assert_derivative(*of_values, y)


def test_second_derivatives():
    x, y, _ = data(6)
    point = np.array(x[2] + 0.1)
    bent = scipys.CubicSpline(x, y[:, 0])(point, 2)
    assert np.isclose(grad(grad(lambda p: ours.CubicSpline(x, y[:, 0])(p)))(point), bent)
    assert np.isclose(grad(grad(lambda p: ours.make_interp_spline(x, y[:, 0])(p)))(point), bent)
    found = hessian(lambda y: np.sum(ours.CubicSpline(x, y)(point) ** 2))(y[:, 0])
    weights = scipys.CubicSpline(x, np.eye(6))(point)
    np.testing.assert_allclose(found, 2 * np.outer(weights, weights), atol=1e-12)


@pytest.mark.parametrize("method", ["slinear", "cubic", "quintic"])
def test_splines_on_regular_grids(method):
    grid = np.array([0, 0.4, 1.0, 1.7, 2.5, 3.1]), np.array([0, 0.7, 1.3, 1.9, 2.5, 3.0])
    values, xi = RNG.normal(size=(6, 6, 2)), RNG.uniform(0.05, 2.4, size=(5, 2))
    # the iterative solver, SciPy's own choice, stops at 1e-6
    direct = {"method": method, "solver": spsolve}

    def at(module, values, xi, nu=None):
        return module.RegularGridInterpolator(grid, values, **direct)(xi, nu=nu)

    assert_derivative(lambda v: at(ours, v, xi), lambda v: at(scipys, v, xi), values)
    assert_derivative(lambda p: at(ours, values, p), lambda p: at(scipys, values, p), xi)
    assert_derivative(
        lambda v: at(ours, v, xi, (1, 0)), lambda v: at(scipys, v, xi, (1, 0)), values
    )


@pytest.mark.parametrize("method", ["linear", "nearest"])
def test_regular_grids(method):
    grid, values = (
        (np.array([0, 1.0, 2.5]), np.array([0, 0.7, 1.9, 3.0])),
        RNG.normal(size=(3, 4, 2)),
    )
    xi = RNG.uniform(0.05, 2.4, size=(5, 2))
    np.testing.assert_allclose(
        vjp(lambda v: ours.interpn(grid, v, xi, method), values)[0],
        scipys.interpn(grid, values, xi, method),
    )
    assert_derivative(
        lambda v: ours.interpn(grid, v, xi, method),
        lambda v: scipys.interpn(grid, v, xi, method),
        values,
    )
    made = scipys.RegularGridInterpolator(grid, values, method)
    assert_derivative(lambda p: ours.RegularGridInterpolator(grid, values, method)(p), made, xi)
    outside = {"bounds_error": False, "fill_value": 0.0}
    far = ours.RegularGridInterpolator(grid, values, method, **outside)
    assert not np.any(grad(lambda p: np.sum(far(p)))(np.array([[9.0, 9.0]])))


@pytest.mark.parametrize("name", ["CubicSpline", "PchipInterpolator", "Akima1DInterpolator"])
@pytest.mark.parametrize("nu", [1, 2])
def test_derivatives_of_cubic_interpolants_as_objects(name, nu):
    x = np.array([0.0, 0.7, 1.1, 2.0, 2.4])
    y, points = np.array([0.3, -1.1, 0.4, 0.2, 0.9]), np.array([0.1, 0.9, 1.7, 2.3])

    def values(module):
        make = getattr(module, name)
        return (
            lambda y: make(x, y).derivative(nu)(points),
            lambda x: make(x, y).derivative(nu)(points),
            lambda points: make(x, y).derivative(nu)(points),
        )

    for ours_of, scipys_of, at in zip(values(ours), values(scipys), (y, x, points), strict=True):
        np.testing.assert_allclose(ours_of(at), scipys_of(at), rtol=1e-12, atol=1e-13)
        assert_derivative(ours_of, scipys_of, at)


def test_a_derivative_stands_for_scipys_object():
    x, y = np.arange(5.0), np.array([0.3, -1.1, 0.4, 0.2, 0.9])
    theirs = scipys.CubicSpline(x, y).derivative()
    made = ours.CubicSpline(x, y).derivative()
    assert isinstance(made, scipys.PPoly)
    np.testing.assert_array_equal(made.c, theirs.c)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(made))(1.5), theirs(1.5))
    np.testing.assert_allclose(made.derivative()(1.5), theirs.derivative()(1.5), rtol=1e-12)
    with pytest.raises(OptionError, match="'roots' of traced coefficients"):
        grad(lambda y: ours.CubicSpline(x, y).derivative().roots()[0])(y)


LIMITS = ((0.9, 2.3), (2.3, 0.9), (-0.7, 3.1), (1.0, 9.4))
PIECEWISE = [
    *itertools.product(
        ["CubicSpline", "PchipInterpolator"], [0, 1], [None, True, False, "periodic"]
    ),
    *itertools.product(["Akima1DInterpolator"], [0, 1], [None, True, False]),
]


@pytest.mark.parametrize(("name", "axis", "extrapolate"), PIECEWISE)
def test_integrals_of_cubic_interpolants(name, axis, extrapolate):
    x, y, points = data(6)
    y[-1] = y[0]  # as periodic ones want it
    options = {"bc_type": "periodic"} if extrapolate == name == "CubicSpline" else {}

    def values(module, limits):
        def of(y):
            y = y if axis == 0 else y.T
            made = getattr(module, name)(x, y, axis=axis, extrapolate=extrapolate, **options)
            parts = [
                made.integrate(*limits),
                made.antiderivative()(points),
                made.derivative(-2)(1.1),
            ]
            return np.nan_to_num(np.concatenate([np.ravel(part) for part in parts]))

        return of

    for limits in LIMITS:
        np.testing.assert_allclose(values(ours, limits)(y), values(scipys, limits)(y), rtol=1e-12)
    if extrapolate != "periodic":  # whose values SciPy compares at the ends
        assert_derivative(values(ours, limits), values(scipys, limits), y)
        lanes = vmap(values(ours, limits))(np.stack([y, 2 * y]))
        np.testing.assert_allclose(lanes[1], values(scipys, limits)(2 * y), rtol=1e-12)
    made, theirs = (
        getattr(module, name)(x, y, extrapolate=extrapolate) for module in (ours, scipys)
    )
    for a, b in LIMITS:
        ends = np.array([a, b])
        if np.all(np.isfinite(theirs.integrate(a, b))):
            assert_derivative(
                lambda at: made.integrate(*at), lambda at: theirs.integrate(*at), ends
            )


def test_piecewise_polynomials():
    x, c = np.array([0.0, 0.7, 1.1, 2.0]), RNG.normal(size=(4, 3, 2))
    for axis in (0, 1):
        own = np.moveaxis(c, (0, 1), (axis, axis + 1))

        def values(module, axis=axis):
            def of(c):
                made = module.PPoly(c, x, axis=axis)
                return np.ravel(made(np.array([-0.3, 0.9, 1.1]), 1)) + np.sum(
                    made.integrate(0.2, 1.5)
                )

            return of

        assert_derivative(values(ours), values(scipys), own)
    made = ours.PPoly(own, x, axis=1)
    assert isinstance(made, scipys.PPoly)
    assert isinstance(scipys.PPoly(c, x), ours.PPoly)
    np.testing.assert_array_equal(made.c, c)
    np.testing.assert_array_equal(made.x, x)
    np.testing.assert_array_equal(made.roots()[0], scipys.PPoly(c, x).roots()[0])
    with pytest.raises(ValueError, match="x"):
        ours.PPoly(c, x[::2])


def test_what_is_refused():
    x, y, points = data(5)
    with pytest.raises(OptionError, match="call the object"):
        grad(lambda y: ours.CubicSpline(x, y).solve(0.1)[0])(y)
    with pytest.raises(OptionError, match="linear"):
        grad(
            lambda v: np.sum(
                ours.RegularGridInterpolator((x,), v, method="pchip")(points[1:2, None])
            )
        )(y)
    with pytest.raises(ValueError, match="out of bounds"):
        grad(lambda v: np.sum(ours.RegularGridInterpolator((x,), v)(points[:1, None])))(y)


def test_plain_values_get_scipys_objects():
    x, y, points = data(5)
    made = ours.CubicSpline(x, y)
    assert np.array_equal(made(points), scipys.CubicSpline(x, y)(points))
    assert np.array_equal(made.c, scipys.CubicSpline(x, y).c)
    assert ours.BPoly is scipys.BPoly


KERNELS = [
    "linear",
    "thin_plate_spline",
    "cubic",
    "quintic",
    "multiquadric",
    "inverse_multiquadric",
    "inverse_quadratic",
    "gaussian",
]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("neighbors", [None, 7])
def test_radial_basis_functions(kernel, neighbors):
    rng = np.random.default_rng(0)
    y, d, x = rng.normal(size=(9, 2)), rng.normal(size=(9, 2)), 0.5 * rng.normal(size=(3, 2))
    options = {"kernel": kernel, "neighbors": neighbors, "epsilon": 0.8}
    made = scipys.RBFInterpolator(y, d, smoothing=0.1, **options)
    assert_derivative(lambda x: ours.RBFInterpolator(y, d, smoothing=0.1, **options)(x), made, x)
    for position in range(2):
        given = [y, d]

        def at(module, v, p=position, g=given):
            return module.RBFInterpolator(*g[:p], v, *g[p + 1 :], **options)(x)

        assert_derivative(lambda v, f=at: f(ours, v), lambda v, f=at: f(scipys, v), given[position])
    if neighbors is None:
        by_parameters = lambda m, p: m.RBFInterpolator(  # noqa: E731
            y, d, smoothing=p[0], kernel=kernel, epsilon=p[1], degree=2
        )(x)
        assert_derivative(
            lambda p: by_parameters(ours, p),
            lambda p: by_parameters(scipys, p),
            np.array([0.2, 0.9]),
        )


def test_second_derivatives_of_radial_basis_functions():
    y, d, x = RNG.normal(size=(8, 2)), RNG.normal(size=8), np.array([[0.1, 0.2]])
    slope = grad(lambda x: np.sum(ours.RBFInterpolator(y, d, kernel="cubic")(x)))
    assert_derivative(
        jacobian(lambda x: np.sum(ours.RBFInterpolator(y, d, kernel="cubic")(x))), slope, x
    )


@pytest.mark.parametrize("rescale", [False, True])
def test_linear_between_scattered_points(rescale):
    points = np.array([[0.0, 0.0], [1.0, 0.1], [0.1, 1.0], [1.1, 1.2], [0.5, 0.45]])
    values, xi = RNG.normal(size=(5, 2)), np.array([[0.3, 0.2], [0.8, 0.7], [0.45, 0.9]])
    at = lambda module, p, v, x: module.LinearNDInterpolator(p, v, rescale=rescale)(x)  # noqa: E731
    assert_derivative(
        lambda v: at(ours, points, v, xi), lambda v: at(scipys, points, v, xi), values
    )
    assert_derivative(
        lambda x: at(ours, points, values, x), lambda x: at(scipys, points, values, x), xi
    )
    assert_derivative(
        lambda p: at(ours, p, values, xi), lambda p: at(scipys, p, values, xi), points
    )
    for method in ("linear", "nearest"):
        both = [
            lambda v, m=m, how=method: m.griddata(points, v, tuple(xi.T), how, rescale=rescale)
            for m in (ours, scipys)
        ]
        assert_derivative(*both, values)
    outside = ours.LinearNDInterpolator(points, values, -1.0)
    assert np.array_equal(vjp(outside, np.array([[9.0, 9.0]]))[0], [[-1.0, -1.0]])
    assert not np.any(grad(lambda x: np.sum(outside(x)))(np.array([[9.0, 9.0]])))


def test_what_is_refused_of_scattered_points():
    points, values = RNG.normal(size=(6, 2)), RNG.normal(size=6)
    with pytest.raises(OptionError, match="linear"):
        grad(lambda v: np.sum(ours.griddata(points, v, points[:2], method="cubic")))(values)
    with pytest.raises(ValueError, match="epsilon"):  # which SciPy itself raises
        grad(lambda v: np.sum(ours.RBFInterpolator(points, v, kernel="gaussian")(points[:2])))(
            values
        )
    with pytest.raises(ValueError, match="kernel"):
        grad(lambda v: np.sum(ours.RBFInterpolator(points, v, kernel="cosine")(points[:2])))(values)


KINDS_OF_INTERP1D = (
    "linear",
    "nearest",
    "zero",
    "slinear",
    "quadratic",
    "cubic",
    "previous",
    "next",
    5,
)


@pytest.mark.parametrize("kind", KINDS_OF_INTERP1D)
def test_interp1d_by_values_points_and_what_is_outside(kind):
    x, y, points = data(7)
    outside = {
        "axis": 0,
        "bounds_error": False,
        "fill_value": "extrapolate" if kind in ("linear", "cubic") else (0.3, 0.7),
    }

    def at(module, y, p):
        return module.interp1d(x, y, kind, **outside)(p)

    assert_derivative(lambda y: at(ours, y, points), lambda y: at(scipys, y, points), y)
    assert_derivative(lambda p: at(ours, y, p), lambda p: at(scipys, y, p), points)
    filled = lambda m, f: m.interp1d(  # noqa: E731
        x, y, kind, axis=0, bounds_error=False, fill_value=(f[0], f[1])
    )(points)
    assert_derivative(lambda f: filled(ours, f), lambda f: filled(scipys, f), np.array([0.3, 0.7]))
    if kind in ("linear", "slinear", "quadratic", "cubic", 5):
        by_knots = lambda m, x: m.interp1d(x, y, kind, axis=0)(points[1:4])  # noqa: E731
        assert_derivative(lambda x: by_knots(ours, x), lambda x: by_knots(scipys, x), x)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("ext", [0, 1, 3])
def test_splines_as_triples(k, ext):
    x, y, points = data(9)
    y = y[:, 0]

    def at(module, y, p, der=0):
        return module.splev(p, module.splrep(x, y, k=k, s=0), der, ext)

    assert_derivative(lambda y: at(ours, y, points, 1), lambda y: at(scipys, y, points, 1), y)
    assert_derivative(lambda p: at(ours, y, p), lambda p: at(scipys, y, p), points)
    knots = {"k": k, "task": -1, "t": x[3:6], "w": np.linspace(1, 2, 9)}
    fit = lambda module, y: module.splev(points[1:4], module.splrep(x, y, **knots))  # noqa: E731
    if k < 4:
        assert_derivative(lambda y: fit(ours, y), lambda y: fit(scipys, y), y)


def test_integrals_of_splines():
    x, y, _ = data(9)
    both = [
        lambda v, m=m: np.reshape(m.splint(v[0], v[1], m.splrep(x, v[2:])), 1)
        for m in (ours, scipys)
    ]
    assert_derivative(*both, np.concatenate([[x[1] + 0.1, x[6] + 0.2], y[:, 0]]))


@pytest.mark.parametrize("name", ["BarycentricInterpolator", "KroghInterpolator"])
def test_polynomials_through_points(name):
    x, y, points = data(6)
    points[1] = x[2]  # at a node, too
    mine, theirs = getattr(ours, name), getattr(scipys, name)
    np.testing.assert_allclose(
        vjp(lambda p: mine(x, y)(p), points)[0], theirs(x, y)(points), rtol=1e-9
    )
    assert_derivative(lambda y: mine(x, y.T, 1)(points), lambda y: theirs(x, y.T, 1)(points), y)
    exact = scipys.KroghInterpolator(x, y).derivative(points)
    found = jacobian(lambda p: mine(x, y)(p))(points)
    np.testing.assert_allclose(np.einsum("iki->ik", found), exact, rtol=1e-8)
    p = points[[0, 2, 3]]
    assert_derivative(lambda x: mine(x, y)(p), lambda x: theirs(x, y)(p), x)
    many = np.cos(np.pi * np.arange(81) / 80)
    if name == "BarycentricInterpolator":  # of the other one SciPy warns
        through = vjp(lambda v: mine(many, v)(np.array([0.123])), np.exp(many))[0]
        assert np.isclose(through[0], np.exp(0.123), rtol=1e-13)


X, Y, POINTS = data(12)
Y, W, P = Y[:, 0], np.linspace(1.0, 2.0, 12), POINTS[1:4]
INNER = np.array([X[4] + 0.1, X[7] - 0.1])
MODES = ("forward", "reverse")
BY_KNOTS = {
    "points of a fit": (lambda m, x: m.splev(P, m.splrep(x, Y, W, t=INNER)), X),
    "weights of a fit": (lambda m, w: m.splev(P, m.splrep(X, Y, w, t=INNER, k=2)), W),
    "knots of a fit": (lambda m, t: m.splev(P, m.splrep(X, Y, W, t=t)), INNER),
    "ends of a fit": (
        lambda m, e: m.splev(P, m.splrep(X, Y, W, e[0], e[1], t=INNER)),
        np.array([X[0] - 0.2, X[-1] + 0.3]),
    ),
    "knots of a triple": (
        lambda m, t: m.splev(POINTS, (np.concatenate([X[:1]] * 4 + [t] + [X[-1:]] * 4), W, 3), 1),
        X[2:10],
    ),
    "knots of an integral": (
        lambda m, t: np.reshape(
            m.splint(X[1], X[5], (np.concatenate([X[:1]] * 4 + [t] + [X[-1:]] * 4), W, 3)), 1
        ),
        X[2:10],
    ),
    "knots of a period": (lambda m, t: m.BSpline(t, W[:8], 3, extrapolate="periodic")(POINTS), X),
    "knots outside": (
        lambda m, t: np.nan_to_num(m.BSpline(t, W[:8], 3, extrapolate=False)(POINTS)),
        X,
    ),
    "a high derivative": (lambda m, t: m.BSpline(t, W[:8], 3)(POINTS, 4), X),
    **{
        f"points of an interpolant of degree {k}": (
            lambda m, x, k=k: m.splev(POINTS, m.splrep(x, Y, k=k)),
            X,
        )
        for k in range(1, 6)
    },
    "points and columns": (
        lambda m, x: m.make_interp_spline(x, np.stack([Y, W]), 4, axis=1)(P)[1],
        X,
    ),
}


@pytest.mark.parametrize("name", BY_KNOTS)
def test_splines_by_their_knots(name):
    function, at = BY_KNOTS[name]
    found = [jacobian(lambda v: function(ours, v), mode=mode)(at) for mode in MODES]
    expected = quotients(lambda v: function(scipys, v), at)
    for each in found:
        np.testing.assert_allclose(each, expected, rtol=1e-5, atol=1e-5)
    second = hessian(lambda v: np.sum(function(ours, v) ** 2))(at)
    slope = grad(lambda v: np.sum(function(ours, v) ** 2))
    np.testing.assert_allclose(second, quotients(slope, at), rtol=1e-4, atol=1e-3)


class Dierckx:
    """Smoothing as FITPACK's papers have it, on the knots that FITPACK chooses at one point."""

    splev = staticmethod(scipys.splev)

    def __init__(self, x, y, w, k, s):
        (self.t, _, _), self.residual, _, _ = scipys.splrep(x, y, w, k=k, s=s, full_output=1)
        self.at = np.searchsorted(x, self.t[k + 1 : -k - 1])
        self.s = s

    def splrep(self, x, y, w, k, s):
        t = np.concatenate([[x[0]] * (k + 1), x[self.at], [x[-1]] * (k + 1)])
        rows = w[:, None] * scipys.BSpline.design_matrix(x, t, k).toarray()
        units = [scipys.BSpline(t, unit, k) for unit in np.eye(rows.shape[1])]
        jumps = np.array([[b(u + 1e-7, k) - b(u - 1e-7, k) for b in units] for u in x[self.at]])

        def fitted(q):
            both = np.vstack([rows, np.exp(q / 2) * jumps])
            return np.linalg.lstsq(both, np.concatenate([w * y, np.zeros(len(jumps))]))[0]

        def excess(q):
            return np.sum((w * y - rows @ fitted(q)) ** 2) - self.residual - (s - self.s)

        c = fitted(brentq(excess, -40.0, 30.0, xtol=1e-14, rtol=1e-15))
        return t, np.concatenate([c, np.zeros(k + 1)]), k


WAVY = np.linspace(0.0, 5.0, 20) + 0.1 * np.sin(np.arange(20.0))
SMOOTHED = {
    "x": WAVY,
    "y": np.sin(2 * WAVY) + 0.1 * np.cos(17 * WAVY),
    "w": 1 + 0.2 * WAVY,
    "s": np.array(0.2),
}
AT = np.array([0.4, 1.7, 2.8, 4.4])


def smoothed(module, name, k):
    """The smoothed values by one of the arguments."""
    return lambda v: module.splev(AT, module.splrep(**{**SMOOTHED, name: v}, k=k))


@pytest.mark.parametrize("name", SMOOTHED)
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_smoothing(k, name):
    smoother, v = Dierckx(k=k, **SMOOTHED), SMOOTHED[name]
    assert smoother.at.size
    found, exact = smoothed(ours, name, k), smoothed(smoother, name, k)
    value, _ = vjp(found, v)
    np.testing.assert_allclose(value, smoothed(scipys, name, k)(v), rtol=1e-9)
    expected = quotients(exact, v)
    for mode in MODES:
        first = jacobian(found, mode=mode)(v)
        np.testing.assert_allclose(first, expected.reshape(first.shape), rtol=1e-4, atol=1e-6)

    def along(function, h):
        return np.sum(function(v + h * np.cos(np.arange(v.size)).reshape(v.shape)) ** 2)

    h = 2e-4
    quotient = (along(exact, h) - 2 * along(exact, 0.0) + along(exact, -h)) / h**2
    second = grad(grad(lambda h: along(found, h)))(0.0)
    assert np.isclose(second, quotient, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("s", [100.0, 0.0])
def test_smoothing_down_to_a_polynomial_and_up_to_all_points(s):
    both = [lambda y, m=m: m.splev(P, m.splrep(X, y, s=s)) for m in (ours, scipys)]
    assert_derivative(*both, Y)


def test_what_is_refused_of_splines_as_triples():
    with pytest.raises(OptionError, match="a larger s, or s=0"):
        grad(lambda v: ours.splev(X[3], ours.splrep(X, v, k=2, s=1e-12)))(Y)
    with pytest.raises(OptionError, match="CubicSpline"):
        grad(lambda v: ours.make_interp_spline(v, Y, bc_type="natural")(X[3]))(X)
    with pytest.raises(OptionError, match="CubicSpline"):
        grad(lambda v: ours.splev(X[3], ours.splrep(X, v, per=1)))(Y)
    with pytest.raises(OptionError, match="leave it out"):
        grad(lambda v: ours.splrep(X, v, full_output=1)[1])(Y)


def test_objects_in_the_place_of_scipys_are_taken_for_theirs():
    x, y, _ = data(5)
    made = ours.interp1d(x, y[:, 0])
    assert isinstance(made, scipys.interp1d)
    assert isinstance(scipys.interp1d(x, y[:, 0]), ours.interp1d)
    assert not isinstance(made, scipys.CubicSpline)
    assert pickle.loads(pickle.dumps(made))(x[1]) == y[1, 0]


def test_a_spline_of_values_with_three_axes():
    x, values, points = np.arange(6.0), RNG.normal(size=(6, 2, 3)), np.array([0.3, 2.2])
    slopes = grad(lambda y: np.sum(ours.CubicSpline(x, y)(points)))
    expected = np.broadcast_to(slopes(values[:, 0, 0])[:, None, None], (6, 2, 3))
    np.testing.assert_allclose(slopes(values), expected)


# Values of many examples in lanes


def on_grid(x, y, method):
    """An interpolant of two variables, as a function of one."""
    made = ours.RegularGridInterpolator((x, np.arange(2.0)), y, method)
    return lambda points: made(np.stack([points, 0.3 + 0.01 * points], -1))


LANED = {
    "CubicSpline": lambda x, y: ours.CubicSpline(x, y, bc_type="natural"),
    "clamped by numbers": lambda x, y: ours.CubicSpline(
        x, y, bc_type=((1, np.zeros(2)), (1, np.ones(2)))
    ),
    "along the last axis": lambda x, y: ours.CubicSpline(x, y.T, axis=-1),
    "PchipInterpolator": ours.PchipInterpolator,
    "Akima1DInterpolator": ours.Akima1DInterpolator,
    "BarycentricInterpolator": ours.BarycentricInterpolator,
    "KroghInterpolator along the last axis": lambda x, y: ours.KroghInterpolator(x, y.T, axis=-1),
    "make_interp_spline": lambda x, y: ours.make_interp_spline(x, y, k=2),
    "interp1d": lambda x, y: ours.interp1d(x, y, axis=0),
    "interp1d, cubic": lambda x, y: ours.interp1d(
        x, y, "cubic", axis=0, fill_value=(np.zeros(2), np.ones(2)), bounds_error=False
    ),
    "interp1d, nearest": lambda x, y: ours.interp1d(x, y, "nearest", axis=0),
    "CubicHermiteSpline": lambda x, y: ours.CubicHermiteSpline(x, y, np.cos(y)),
    "RBFInterpolator": lambda x, y: (
        lambda points: ours.RBFInterpolator(x[:, None], y)(points[:, None])
    ),
    "RegularGridInterpolator": lambda x, y: on_grid(x, y, "linear"),
    "RegularGridInterpolator, nearest": lambda x, y: on_grid(x, y, "nearest"),
}


@pytest.mark.parametrize("name", LANED)
def test_values_in_lanes(name):
    """Of values and of gradients, in one `vmap` and in two."""
    rng, x, points = np.random.default_rng(0), np.arange(6.0), np.array([0.3, 2.2, 4.9])
    y = rng.normal(size=(2, 3, 6, 2))

    def at_points(y):
        return np.sin(LANED[name](x, y)(points))

    def slopes(y):
        return grad(lambda y: np.sum(at_points(y)))(y)

    for function in (at_points, slopes):
        expected = np.array([[function(each) for each in some] for some in y])
        found = vmap(vmap(function))(y)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    outside = grad(lambda y: np.sum(vmap(at_points)(y)))(y[0])
    np.testing.assert_allclose(outside, [slopes(each) for each in y[0]], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("laned", ["knots", "points", "knots and values", "all"])
@pytest.mark.parametrize("name", LANED)
def test_each_argument_in_lanes(name, laned):
    """Of values, and of gradients by what differs from lane to lane."""
    rng = np.random.default_rng(0)
    knots = np.arange(6.0) + 0.1 * rng.random((2, 6))
    args = knots, rng.normal(size=(2, 6, 2)), rng.uniform(0.3, 4.7, (2, 3))
    names = "knots", "values", "points"
    own = [laned == "all" or part in laned for part in names]
    given = [x if is_laned else x[0] for x, is_laned in zip(args, own, strict=True)]
    argnums = [k for k in range(3) if own[k]]

    def at_points(x, y, points):
        return np.sum(np.sin(LANED[name](x, y)(points)))

    for function in (lambda *xs: (at_points(*xs),), grad(at_points, argnums)):
        each = [[x[k] if lane else x for x, lane in zip(given, own, strict=True)] for k in (0, 1)]
        one, other = (function(*some) for some in each)
        found = vmap(function, tuple([0 if lane else None for lane in own]))(*given)
        for part, *parts in zip(found, one, other, strict=True):
            np.testing.assert_allclose(part, np.stack(parts), rtol=1e-9, atol=1e-12)


def test_values_of_all_lanes_are_checked():
    y = np.random.default_rng(0).normal(size=(3, 6))
    y[:, -1] = y[:, 0]
    y[2, -1] += 1

    def periodic(y):
        return ours.CubicSpline(np.arange(6.0), y, bc_type="periodic")(0.5)

    assert vmap(periodic)(y[:2]).shape == (2,)
    with pytest.raises(ValueError, match="must be identical"):
        vmap(periodic)(y)


@pytest.mark.parametrize("name", ["CubicSpline", "PchipInterpolator", "Akima1DInterpolator"])
def test_points_that_differ_from_lane_to_lane(name):
    knots = np.linspace(0.0, 1.0, 7)
    examples = np.random.default_rng(5).random((3, 7))

    def read(x):
        fixed, moving = getattr(ours, name)(knots, np.sin(5 * knots)), getattr(ours, name)(knots, x)
        return fixed(x[0]) * moving(x[:2], 1)[1]

    np.testing.assert_allclose(vmap(read)(examples), [read(x) for x in examples], rtol=1e-12)
    each = [grad(read)(x) for x in examples]
    np.testing.assert_allclose(vmap(grad(read))(examples), each, rtol=1e-11, atol=1e-13)
