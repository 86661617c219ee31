"""SciPy's functions on JAX's arrays, inside and outside `jit`: values and pullbacks are JAX's
arrays with NumPy's numbers.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.sparse import issparse, linalg

from chainrules_py.engines import FlatValue, qualified_name
from chainrules_tape import vjp
from chainrules_tape.numpy.namespaces import interceptable
from chainrules_tape.numpy.other_libraries import answering_ufunc
from chainrules_tape.scipy import integrate, optimize, special
from sampled_calls import all_cases

pytestmark = pytest.mark.usefixtures("double_precision")

SCIPYS = [case for case in all_cases() if qualified_name(case.primal).startswith("scipy.")]


COUNT = "how many values lie between two numbers depends on the numbers: refused in compiled code"
VALUE = "its value is SciPy's, which tells columns that depend on each other: not in compiled code"
BETWEEN = "3x4-select=v-select_range=(2.0,7.5)"
REFUSED = {
    f"scipy.linalg._decomp.eigvals_banded-{BETWEEN}-options": COUNT,
    f"scipy.linalg._decomp.eig_banded-{BETWEEN}-max_ev=4-options": COUNT,
    "scipy.linalg._decomp_svd.subspace_angles-5x2,5x2": VALUE,
    "scipy.linalg._decomp_svd.subspace_angles-4x3,4x1": VALUE,
    "scipy.special._basic.zeta-2": "the derivative of Riemann's zeta function has no rule",
}


def marked(case):
    """A case, which may be refused."""
    reason = REFUSED.get(case.name.rsplit("-", 2)[0])
    marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
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


@pytest.mark.one_in(8)
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


@pytest.mark.parametrize("solver", [linalg.cg, linalg.cgs, linalg.gmres])
def test_the_status_of_a_solver_is_an_integer_in_compiled_code(solver):
    solved = interceptable(solver)
    x, status = jax.jit(lambda b: solved(np.diag(X), b))(jnp.asarray(X))
    np.testing.assert_allclose(x, [1.0, 1.0], rtol=1e-5)
    assert status.dtype.kind == "i"


def test_ufuncs_keep_what_ufuncs_have():
    assert special.gammaln.nin == 1
    assert special.gammaln.types == special.gammaln.__wrapped__.types
    np.testing.assert_array_equal(
        special.gammaln(X, out=np.empty(2)), special.gammaln.__wrapped__(X)
    )
