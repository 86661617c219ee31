"""Interpolants of traced knots, values and points: SciPy's values, and derivatives held to finite
differences of SciPy's.
"""

import pickle

import numpy as np
import pytest
from scipy import interpolate as scipys
from scipy.sparse.linalg import spsolve

from chainrules_py.errors import OptionError
from chainrules_tape import grad, hessian, jacobian, vjp
from chainrules_tape.scipy import interpolate as ours

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


def quotients(function, x, step=1e-6):
    units = step * np.eye(x.size).reshape(x.size, *x.shape)
    return np.stack([(function(x + e) - function(x - e)) / (2 * step) for e in units], axis=-1)


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


def test_what_is_refused():
    x, y, points = data(5)
    with pytest.raises(OptionError, match="call the object"):
        grad(lambda y: ours.CubicSpline(x, y).integrate(0, 1))(y)
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
    assert ours.PPoly is scipys.PPoly


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
    if kind in ("linear", "slinear", "cubic"):
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


def test_what_is_refused_of_splines_as_triples():
    x, y, _ = data(9)
    with pytest.raises(OptionError, match="s=0"):
        grad(lambda v: ours.splev(x[3], ours.splrep(x, v, s=0.5)))(y[:, 0])
    with pytest.raises(OptionError, match="CubicSpline"):
        grad(lambda v: ours.splev(x[3], ours.splrep(v, y[:, 0])))(x)


def test_objects_in_the_place_of_scipys_are_taken_for_theirs():
    x, y, _ = data(5)
    made = ours.interp1d(x, y[:, 0])
    assert isinstance(made, scipys.interp1d)
    assert isinstance(scipys.interp1d(x, y[:, 0]), ours.interp1d)
    assert not isinstance(made, scipys.CubicSpline)
    assert pickle.loads(pickle.dumps(made))(x[1]) == y[1, 0]
