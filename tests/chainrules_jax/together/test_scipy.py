"""SciPy's functions on JAX's arrays, inside and outside `jit`: values and pullbacks are JAX's
arrays with NumPy's numbers.
"""

from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.sparse import issparse

from chainrules_py.engines import FlatValue, qualified_name
from chainrules_tape import grad, hessian, jvp, vjp
from chainrules_tape.numpy.namespaces import interceptable
from chainrules_tape.numpy.other_libraries import answering_ufunc
from chainrules_tape.scipy import integrate, interpolate, linalg, optimize, spatial, special, stats
from sampled_calls import all_cases

pytestmark = pytest.mark.usefixtures("double_precision")

SCIPYS = [case for case in all_cases() if qualified_name(case.primal).startswith("scipy.")]
_seen: Counter[object] = Counter()


COMPLEX = "whether the value is complex depends on the numbers: refused in compiled code"
REFUSED = {
    "scipy.linalg._matfuncs.fractional_matrix_power-2x2,float-2": COMPLEX,
}


def marked(case):
    """A case; of each eighth function the first one runs ordinarily, all others with `-m slow`."""
    _seen[case.primal] += 1
    is_ordinary = _seen[case.primal] == 1 and len(_seen) % 8 == 0
    marks = [] if is_ordinary else [pytest.mark.slow]
    reason = REFUSED.get(case.name.removesuffix("-float64-reverse"))
    if reason is not None:
        marks.append(pytest.mark.xfail(strict=True, reason=reason))
    return pytest.param(case, id=case.name, marks=marks)


def is_floating(x):
    return getattr(x, "dtype", np.dtype(int)).kind in "fc" and not issparse(x)


class Program:
    """A sample's call as a function of its floating arrays, which returns the list of the floating
    arrays of its value.
    """

    def __init__(self, case):
        self.called = (
            answering_ufunc(case.primal)
            if isinstance(case.primal, np.ufunc)
            else interceptable(case.primal)
        )
        self.given, self.options = FlatValue.of(case.sample.args), case.sample.options
        self.places = [k for k, leaf in enumerate(self.given.leaves) if is_floating(leaf)]
        self.points = [self.given.leaves[k] for k in self.places]

    def __call__(self, *points):
        leaves = list(self.given.leaves)
        for k, x in zip(self.places, points, strict=True):
            leaves[k] = x
        y = self.called(*self.given.with_leaves(leaves), **self.options)
        return [part for part in FlatValue.of(y).leaves if is_floating(part)]

    def with_cotangents(self, *points):
        """The values, and the cotangents of the points at cotangents of the values."""
        ys, pullback = vjp(self.__call__, *points)
        return ys, pullback(list(map(cotangent, ys)))


def cotangent(y):
    """A cotangent without equal entries, of the library of a value."""
    xp = jnp if isinstance(y, jax.Array) else np
    return xp.cos(1.0 + xp.arange(np.size(y))).reshape(np.shape(y)).astype(y.dtype)


def close(found, wanted):
    found, wanted = jax.tree.leaves(found), jax.tree.leaves(wanted)
    assert all(isinstance(x, jax.Array) for x in found), [type(x) for x in found]
    for got, expected in zip(found, wanted, strict=True):
        scale = np.max(np.abs(expected), initial=1.0, where=np.isfinite(expected))
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9 * scale)


@pytest.mark.one_in(2)
@pytest.mark.kinds
@pytest.mark.parametrize("case", [marked(case) for case in SCIPYS])
def test_samples(case):
    program = Program(case)
    if not program.points:
        pytest.skip("no argument is an array of floating-point numbers")
    with np.errstate(all="ignore"):
        wanted = program.with_cotangents(*program.points)
        points = list(map(jnp.asarray, program.points))
        close(program(*points), wanted[0])
        close(jax.jit(program.__call__)(*points), wanted[0])
        close(program.with_cotangents(*points), wanted)
        close(jax.jit(program.with_cotangents)(*points), wanted)


X = np.array([0.3, 0.7])
OF_FUNCTIONS = {
    "brentq": lambda x: optimize.brentq(lambda t, p: t**3 - p, 0.0, 2.0, args=(x[0],)),
    "brentq of a closure": lambda x: optimize.brentq(lambda t: t**3 - x[0], 0.0, 2.0),
    "root": lambda x: np.sum(optimize.root(lambda t, p: t**3 - p, 1 * x, args=(x,)).x),
    "quad": lambda x: integrate.quad(lambda t: np.exp(-t * x[0]), 0.0, 1.0)[0],
    "logpdf": lambda x: np.sum(stats.norm.logpdf(x, x[0], 2.0)),
    "logsumexp": lambda x: special.logsumexp(x),
    "gammaln": lambda x: np.sum(special.gammaln(x)),
    "expm": lambda x: np.sum(linalg.expm(x[:, None] * x)),
    "cholesky": lambda x: linalg.cholesky(x[:, None] * x + np.eye(2))[0, 1],
    "cdist": lambda x: spatial.distance.cdist(x[:, None], x[:, None] ** 2)[0, 1],
    "pdist": lambda x: spatial.distance.pdist(x[:, None] ** 2)[0],
    "cosine": lambda x: spatial.distance.cosine(x, x**2),
}
# Left out below: tangents of all that `root` and `quad` return.
SLOPES = {
    "brentq": np.array([0.3 ** (-2 / 3) / 3, 0.0]),
    "brentq of a closure": np.array([0.3 ** (-2 / 3) / 3, 0.0]),
    "root": X ** (-2 / 3) / 3,
    "quad": np.array([(1.3 * np.exp(-0.3) - 1) / 0.3**2, 0.0]),
    "logpdf": np.array([0.1, -0.1]),
    "logsumexp": np.exp(X) / np.sum(np.exp(X)),
}


@pytest.mark.parametrize("name", OF_FUNCTIONS)
def test_values_inside_and_outside_of_jit(name):
    function = OF_FUNCTIONS[name]
    for called in (function, jax.jit(function)):
        close(called(jnp.asarray(X)), function(X))


@pytest.mark.parametrize("name", SLOPES)
def test_gradients_by_our_tape(name):
    function = OF_FUNCTIONS[name]
    for slope in (grad(function), jax.jit(grad(function))):
        close(slope(jnp.asarray(X)), SLOPES[name])


@pytest.mark.parametrize("name", OF_FUNCTIONS)
def test_gradients_by_jax(name):
    function = OF_FUNCTIONS[name]
    close(jax.jit(jax.grad(lambda x: jnp.sum(function(x))))(jnp.asarray(X)), grad(function)(X))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", sorted(OF_FUNCTIONS.keys() - {"root", "quad"}))
def test_tangents_and_second_derivatives(name):
    function, direction = OF_FUNCTIONS[name], np.array([1.0, -2.0])
    wanted = jvp(function, (X,), (direction,))[1]
    for pushed in (
        lambda x, v: jvp(function, (x,), (v,))[1],
        jax.jit(lambda x, v: jvp(function, (x,), (v,))[1]),
    ):
        close(pushed(jnp.asarray(X), jnp.asarray(direction)), wanted)
    for curvature in (hessian(function), jax.jit(hessian(function))):
        close(curvature(jnp.asarray(X)), hessian(function)(X))


QUADRATURES = {
    "quad of a closure": lambda a: integrate.quad(lambda t: np.exp(-a * t), 0.0, 1.0)[0],
    "quad with args": lambda a: integrate.quad(lambda t, b: np.exp(-b * t), 0.0, a, args=(a,))[0],
    "dblquad with args": lambda a: integrate.dblquad(
        lambda y, t, b: np.exp(-b * y * t), 0.0, 1.0, 0.0, a, args=(a,)
    )[0],
}


@pytest.mark.parametrize("name", QUADRATURES)
def test_integrals_that_hold_what_jax_traces(name):
    function, step = QUADRATURES[name], 1e-4
    wanted = (function(1.3 + step) - function(1.3 - step)) / (2 * step)
    for transformed in (jax.grad(function), jax.jit(jax.grad(function))):
        np.testing.assert_allclose(transformed(jnp.array(1.3)), wanted, rtol=1e-6)


def test_error_of_an_integral_has_no_derivative_in_jax_either():
    with pytest.raises(Exception, match="not needed by anybody yet"):
        jax.grad(lambda a: integrate.quad(lambda t: np.exp(-a * t), 0.0, 1.0)[1])(jnp.array(1.3))


def test_text_of_a_result_is_told_outside_of_compiled_code_and_not_made_up_inside():
    def solved(x):
        return optimize.root(lambda t, p: t**3 - p, 1 * x, args=(x,))

    outside = solved(jnp.asarray(X))
    assert outside.method == solved(X).method
    assert outside.message == solved(X).message
    inside = []
    jax.jit(lambda x: inside.append(solved(x).message) or x)(jnp.asarray(X))
    assert inside == ["known when the compiled code has run"]


def test_ufuncs_keep_what_ufuncs_have():
    assert special.gammaln.nin == 1
    assert special.gammaln.types == special.gammaln.__wrapped__.types
    np.testing.assert_array_equal(
        special.gammaln(X, out=np.empty(2)), special.gammaln.__wrapped__(X)
    )


@pytest.mark.parametrize(
    "times", [[0.0, 0.5, 1.0], np.array([0.0, 0.5, 1.0])], ids=["list", "array"]
)
def test_solutions_of_differential_equations_at_given_times(times):
    """The made-up numbers by which JAX learns the shapes have to be in their order."""

    def f(rate):
        solved = integrate.solve_ivp(
            lambda t, y: -rate * y, (0.0, 1.0), np.ones(2), t_eval=times, rtol=1e-9, atol=1e-12
        )
        return jnp.sum(solved.y[0])

    rate, t = 0.5, np.asarray(times)
    for found in (f(jnp.asarray(rate)), jax.jit(f)(rate)):
        np.testing.assert_allclose(found, np.sum(np.exp(-rate * t)), rtol=1e-8)
    for slope in (jax.grad(f)(rate), jax.jit(jax.grad(f))(rate)):
        np.testing.assert_allclose(slope, -np.sum(t * np.exp(-rate * t)), rtol=1e-6)


KNOTS = np.arange(5.0)
INTERPOLANTS = {
    "CubicSpline": lambda y: interpolate.CubicSpline(KNOTS, y)(1.5),
    "its derivative": lambda y: interpolate.CubicSpline(KNOTS, y, bc_type="natural")(1.5, 1),
    "PchipInterpolator": lambda y: interpolate.PchipInterpolator(KNOTS, y)(2.5),
    "interp1d": lambda y: interpolate.interp1d(KNOTS, y, kind="cubic")(2.25),
    "BSpline": lambda y: interpolate.BSpline(np.arange(9.0), y, 3)(3.5),
    "a grid": lambda y: interpolate.RegularGridInterpolator((KNOTS,), y)(np.array([[1.25]]))[0],
    "at points": lambda y: interpolate.CubicSpline(KNOTS, KNOTS**2)(y)[1],
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", INTERPOLANTS)
def test_interpolants_of_jax_s_arrays_give_them(name):
    f, y = INTERPOLANTS[name], np.array([0.3, 1.2, 0.7, 2.1, 0.4])
    found = f(jnp.asarray(y))
    assert isinstance(found, jax.Array)
    np.testing.assert_allclose(found, f(y), rtol=1e-12)
    np.testing.assert_allclose(jax.jit(f)(y), f(y), rtol=1e-12)
    expected = grad(f)(y)
    np.testing.assert_allclose(jax.grad(f)(jnp.asarray(y)), expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(jax.jit(jax.grad(f))(y), expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(jax.hessian(f)(jnp.asarray(y)), hessian(f)(y), rtol=1e-9, atol=1e-10)
