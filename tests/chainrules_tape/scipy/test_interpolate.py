"""Interpolants as objects, smoothing splines, and what is refused; values and derivatives of the
others are cells of `product`.
"""

import pickle

import numpy as np
import pytest
from scipy import interpolate as scipys
from scipy.optimize import brentq

from chainrules_py.errors import OptionError
from chainrules_tape import compiled, grad, jacobian, vjp, vmap
from chainrules_tape.scipy import interpolate as ours
from slopes import quotients

RNG = np.random.default_rng(0)


def data(n):
    x, y = np.cumsum(RNG.uniform(0.3, 1, n)), RNG.normal(size=(n, 2))
    return (
        x,
        y,
        np.array([x[0] - 0.2, x[0] + 0.1, (x[0] + x[-1]) / 2 + 0.01, x[-1] - 0.1, x[-1] + 0.3]),
    )


def test_a_derivative_stands_for_scipys_object():
    x, y = np.arange(5.0), np.array([0.3, -1.1, 0.4, 0.2, 0.9])
    theirs = scipys.CubicSpline(x, y).derivative()
    made = ours.CubicSpline(x, y).derivative()
    assert isinstance(made, scipys.PPoly)
    np.testing.assert_array_equal(made.c, theirs.c)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(made))(1.5), theirs(1.5))
    np.testing.assert_allclose(made.derivative()(1.5), theirs.derivative()(1.5), rtol=1e-12)


def test_piecewise_polynomials_stand_for_scipys_objects():
    x, c = np.array([0.0, 0.7, 1.1, 2.0]), RNG.normal(size=(4, 3))
    made, theirs = (module.PPoly(c, x) for module in (ours, scipys))
    assert isinstance(made, scipys.PPoly)
    assert isinstance(theirs, ours.PPoly)
    np.testing.assert_array_equal(made.c, theirs.c)
    np.testing.assert_array_equal(made.x, x)
    np.testing.assert_array_equal(made.roots(), theirs.roots())
    with pytest.raises(ValueError, match="x"):
        ours.PPoly(c, x[::2])


X, Y, _ = data(12)
Y = Y[:, 0]


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
@pytest.mark.parametrize("k", [1, 3, 4])
def test_smoothing(k, name):
    smoother, v = Dierckx(k=k, **SMOOTHED), SMOOTHED[name]
    assert smoother.at.size
    found, exact = smoothed(ours, name, k), smoothed(smoother, name, k)
    value, _ = vjp(found, v)
    np.testing.assert_allclose(value, smoothed(scipys, name, k)(v), rtol=1e-9)
    expected = quotients(exact, v)
    for mode in ("forward", "reverse"):
        first = jacobian(found, mode=mode)(v)
        np.testing.assert_allclose(first, expected.reshape(first.shape), rtol=1e-4, atol=1e-6)

    def along(function, h):
        return np.sum(function(v + h * np.cos(np.arange(v.size)).reshape(v.shape)) ** 2)

    h = 2e-4
    quotient = (along(exact, h) - 2 * along(exact, 0.0) + along(exact, -h)) / h**2
    second = grad(grad(lambda h: along(found, h)))(0.0)
    assert np.isclose(second, quotient, rtol=1e-4, atol=1e-3)


GRID, ON_GRID = np.arange(5.0), np.array([0.3, -1.1, 0.4, 0.2, 0.9])
POINTS, VALUES = RNG.normal(size=(6, 2)), RNG.normal(size=6)
SQUARE = np.outer(Y[:6], Y[:6])
LINE, SURFACE = ours.UnivariateSpline(X, Y), ours.RectBivariateSpline(X, X, np.outer(Y, Y))
REFUSED = (
    (OptionError, "call the object", lambda y: ours.CubicSpline(GRID, y).solve(0.1)[0], ON_GRID),
    (
        *(OptionError, "'roots' of traced coefficients"),
        *(lambda y: ours.CubicSpline(GRID, y).derivative().roots()[0], ON_GRID),
    ),
    (
        *(OptionError, "linear"),
        *(lambda v: ours.RegularGridInterpolator((GRID,), v, method="pchip")([[1.5]])[0], ON_GRID),
    ),
    (
        *(ValueError, "out of bounds"),
        *(lambda v: ours.RegularGridInterpolator((GRID,), v)([[7.0]])[0], ON_GRID),
    ),
    (
        *(OptionError, "linear"),
        *(lambda v: ours.griddata(POINTS, v, POINTS[:1], method="cubic")[0], VALUES),
    ),
    (
        *(ValueError, "epsilon"),  # which SciPy itself raises
        *(lambda v: ours.RBFInterpolator(POINTS, v, kernel="gaussian")(POINTS[:1])[0], VALUES),
    ),
    (
        *(ValueError, "kernel"),
        *(lambda v: ours.RBFInterpolator(POINTS, v, kernel="cosine")(POINTS[:1])[0], VALUES),
    ),
    (
        *(OptionError, "a larger s, or s=0"),
        *(lambda v: ours.splev(X[3], ours.splrep(X, v, k=2, s=1e-12)), Y),
    ),
    (
        *(ValueError, "derivatives at boundaries"),  # which SciPy itself raises
        *(lambda v: ours.make_interp_spline(v, Y, k=2, bc_type="natural")(X[3]), X),
    ),
    (OptionError, "CubicSpline", lambda v: ours.splev(X[3], ours.splrep(X, v, per=1)), Y),
    (OptionError, "pass lam", lambda v: ours.make_smoothing_spline(X, v)(X[3]), Y),
    (
        *(OptionError, "FITPACK chooses knots"),
        *(lambda v: ours.RectBivariateSpline(X, X, np.outer(v, Y), s=1.0)(1.0, 1.0)[0, 0], Y),
    ),
    (
        *(OptionError, "a RectBivariateSpline with s=0"),
        *(lambda v: ours.SmoothBivariateSpline(X, Y, v, kx=1, ky=1).ev(1.0, 0.5), Y),
    ),
    (
        *(ValueError, "theta out of bounds"),
        *(
            lambda p: ours.RectSphereBivariateSpline(X[:6] / 4, X[:6] / 2, SQUARE).ev(4.0 * p, p),
            1.0,
        ),
    ),
    (ValueError, "increasing", lambda p: np.sum(SURFACE(p, p)), np.array([0.5, 0.4])),
    (ValueError, "out of bounds", lambda p: LINE(p - X[-1], ext="raise"), X[0]),
    (OptionError, "leave it out", lambda v: ours.splrep(X, v, full_output=1)[1], Y),
)


@pytest.mark.parametrize(("error", "words", "f", "x"), REFUSED)
def test_what_is_refused(error, words, f, x):
    with pytest.raises(error, match=words):
        grad(f)(x)


def test_objects_in_the_place_of_scipys_are_taken_for_theirs():
    x, y, _ = data(5)
    made = ours.interp1d(x, y[:, 0])
    assert isinstance(made, scipys.interp1d)
    assert isinstance(scipys.interp1d(x, y[:, 0]), ours.interp1d)
    assert not isinstance(made, scipys.CubicSpline)
    assert pickle.loads(pickle.dumps(made))(x[1]) == y[1, 0]


def test_values_of_all_lanes_are_checked():
    y = np.random.default_rng(0).normal(size=(3, 6))
    y[:, -1] = y[:, 0]
    y[2, -1] += 1

    def periodic(y):
        return ours.CubicSpline(np.arange(6.0), y, bc_type="periodic")(0.5)

    assert vmap(periodic)(y[:2]).shape == (2,)
    with pytest.raises(ValueError, match="must be identical"):
        vmap(periodic)(y)


@pytest.mark.parametrize("method", ["slinear", "cubic", "quintic"])
def test_the_value_beside_a_gradient_is_that_of_scipys_iteration(method):
    points, values = (np.linspace(0, 1, 7), np.linspace(0, 2, 8)), RNG.normal(size=(7, 8))
    xi = RNG.uniform(0.1, 0.9, (3, 2))

    def values_at(xi, values):
        return ours.RegularGridInterpolator(points, values, method)(xi)

    plain = scipys.RegularGridInterpolator(points, values, method)(xi)
    for f, x in ((lambda xi: values_at(xi, values), xi), (lambda v: values_at(xi, v), values)):
        np.testing.assert_array_equal(vjp(f, x)[0], plain)
    program = compiled(lambda xi: vjp(lambda xi: values_at(xi, values), xi)[0])
    np.testing.assert_array_equal([program(xi) for _ in range(3)], [plain] * 3)
