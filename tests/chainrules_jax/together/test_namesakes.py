"""`jax.vmap`, `jacfwd`, `jacrev` and `hessian` of JAX's own functions, against ours of the functions
of NumPy and SciPy with the same names, on the samples of the test kit.

One sample of each function: some run each time, those of `numpy` and `scipy.special` by ``pytest -m
long``, and those of linear algebra and signals, which JAX takes seconds to compile, by ``pytest -m
slow``.
"""

import importlib
import operator

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg

from chainrules_py import NO_TANGENT
from chainrules_py.testing.conformance import engine_cases
from chainrules_py.values.identity import qualified_name
from chainrules_tape import hessian, jacobian, vmap
from chainrules_tape.core.levels import call

LANES = 3
FLOATS = (float, np.float64)
# what JAX raises for a call or a transformation that it does not have
REFUSALS = (
    *(NotImplementedError, TypeError, ValueError, AttributeError, KeyError, IndexError),
    *(AssertionError, jax.errors.JAXTypeError, jax.errors.JAXIndexError),
)
MODULES = {
    "numpy": "jax.numpy",
    "numpy.linalg": "jax.numpy.linalg",
    "numpy.fft": "jax.numpy.fft",
    "scipy.special": "jax.scipy.special",
    "scipy.linalg": "jax.scipy.linalg",
    "scipy.signal": "jax.scipy.signal",
    "scipy.fft": "jax.scipy.fft",
}


def namesake(primal):
    """JAX's function with the public name of one of NumPy's or SciPy's; None where it has none."""
    name = getattr(primal, "__name__", "")
    for module, of_jax in MODULES.items():
        if getattr(importlib.import_module(module), name, None) is primal:
            return getattr(importlib.import_module(of_jax), name, None)
    return None


def path_to_floats(args):
    """Where the first real numbers among arguments are: positions, into lists, too; or None."""
    for place, x in enumerate(args):
        if type(x) in FLOATS or (type(x) is np.ndarray and x.dtype == np.float64 and x.size):
            return (place,)
        inside = path_to_floats(x) if type(x) in (list, tuple) else None
        if inside is not None:
            return (place, *inside)
    return None


def with_entry(items, path, x):
    """Arguments with another entry at a path."""
    place, *rest = path
    entry = with_entry(items[place], rest, x) if rest else x
    return type(items)([*items[:place], entry, *items[place + 1 :]])


# no numbers
FACTS = (np.result_type, np.einsum_path, np.array_repr, np.array_str)
# JAX's results are complex whatever the matrix is
COMPLEX_IN_JAX = (np.linalg.eig, np.linalg.eigvals, scipy.linalg.sqrtm)
MATRICES = "jacfwd", "jacrev"
DERIVATIVES = (*MATRICES, "hessian")
NOT_OF_UNIQUE = "JAX gives zeros, not the derivative of sorting; the number of values is not known"
# by function: the transformations that JAX does not have, or of which it gives other numbers
EXCEPTIONS = {
    "numpy.partition": (("value",), "the order among entries is the library's own affair"),
    **{
        f"numpy.{name}": (("vmap",), "JAX has to know how many there are")
        for name in ("nonzero", "flatnonzero", "argwhere")
    },
    **{
        f"numpy.{name}": (("vmap", *DERIVATIVES), NOT_OF_UNIQUE)
        for name in ("unique", "unique_values", "unique_counts", "unique_inverse", "unique_all")
    },
    **{
        f"scipy.{name}": (("value",), "JAX's function has not the options of the sample")
        for name in (
            "linalg._decomp.eigh",
            "linalg._decomp.eigh_tridiagonal",
            "linalg._expm_frechet.expm_frechet",
            "linalg._decomp_lu.lu",
            "linalg._decomp_lu.lu_solve",
            "signal._signaltools.convolve2d",
            "signal._signaltools.correlate2d",
        )
    },
    "numpy.linalg.eig": (DERIVATIVES, "JAX refuses derivatives of eigenvectors"),
    "numpy.linalg.eigvals": (("hessian",), "JAX refuses derivatives of eigenvectors"),
    "scipy.linalg._matfuncs.sqrtm": (DERIVATIVES, "JAX has no derivative of Schur's"),
    "scipy.linalg._decomp_polar.polar": (
        ("jacrev", "hessian"),
        "JAX iterates without reverse mode",
    ),
    "scipy.linalg._decomp_cholesky.cholesky": (
        DERIVATIVES,
        "JAX symmetrises the matrix, of which SciPy reads one triangle",
    ),
    "scipy.linalg._decomp_cholesky.cho_factor": (
        ("value",),
        "one triangle holds whatever was there",
    ),
    "scipy.linalg._solvers.solve_sylvester": (DERIVATIVES, "JAX has no derivative of Schur's"),
    "scipy.linalg._decomp_schur.schur": (DERIVATIVES, "JAX has no derivative of Schur's"),
    "scipy.linalg._decomp_schur.rsf2csf": (("hessian",), "JAX's iterations have no second order"),
}


class Case:
    """A sample as a function of one argument, as ours and as JAX's."""

    def __init__(self, case):
        self.primal, self.name = case.primal, qualified_name(case.primal)
        self.sample, self.path = case.sample, path_to_floats(case.sample.args)
        self.x = case.sample.args
        for place in self.path:
            self.x = operator.getitem(self.x, place)

    def ours(self, x):
        y = call(self.primal, self.args(x), dict(self.sample.options))
        return [part + 0j for part in leaves(y)] if self.primal in COMPLEX_IN_JAX else y

    def theirs(self, x):
        return namesake(self.primal)(*self.args(x), **self.sample.options)

    def args(self, x):
        return with_entry(tuple(self.sample.args), self.path, x)


def cases():
    """The first sample in real numbers of each function that JAX has, too."""
    found = {}
    for case in engine_cases(dtypes=["float64"]):
        comparable = case.sample.error is None and path_to_floats(case.sample.args) is not None
        is_new = case.primal not in found and case.primal not in FACTS
        if comparable and is_new and namesake(case.primal):
            found[case.primal] = Case(case)
    return list(found.values())


def kind(y):
    """The kind of numbers in a part of a result."""
    return np.dtype(getattr(y, "dtype", type(y))).kind


def leaves(y):
    """The parts of a result, one after the other."""
    return [part for item in y for part in leaves(item)] if isinstance(y, list | tuple) else [y]


def real(function, xp):
    """A function with real results alone, complex ones as two; unless there are none but integers."""

    def parts(x):
        found = leaves(function(x))
        floating = [y for y in found if kind(y) in "fc"]
        return [in_real_numbers(y, xp) for y in floating or found]

    return parts


def in_real_numbers(y, xp):
    return xp.stack([xp.real(y), xp.imag(y)]) if kind(y) == "c" else y


def weighted(function, xp):
    """A number that depends on all entries of a result."""

    def total(x):
        return sum(in_one_number(y, xp) for y in real(function, xp)(x))

    return total


def in_one_number(y, xp):
    weights = 0.3 + np.arange(np.size(y)).reshape(np.shape(y)) * 0.1
    return xp.sum(xp.sin(y) * weights)


def lanes_of(x):
    return np.stack([(1.0 - 1e-3 * lane) * x for lane in range(LANES)])


TRANSFORMATIONS = {
    "value": (lambda f, x: real(f, np)(x), lambda f, x: real(f, jnp)(x)),
    "vmap": (
        lambda f, x: vmap(real(f, np))(lanes_of(x)),
        lambda f, x: jax.vmap(real(f, jnp))(lanes_of(x)),
    ),
    "jacfwd": (
        lambda f, x: jacobian(real(f, np), mode="forward")(x),
        lambda f, x: jax.jacfwd(real(f, jnp))(x),
    ),
    "jacrev": (
        lambda f, x: jacobian(real(f, np), mode="reverse")(x),
        lambda f, x: jax.jacrev(real(f, jnp))(x),
    ),
    "hessian": (
        lambda f, x: hessian(weighted(f, np))(x),
        lambda f, x: jax.hessian(weighted(f, jnp))(x),
    ),
}


def disagreements(case):
    """The transformations that JAX does not have or that give other numbers, with both."""
    wrong = {}
    is_floating = any(kind(y) in "fc" for y in leaves(case.ours(case.x)))
    for name, (of_ours, of_jax) in TRANSFORMATIONS.items():
        found = leaves(of_ours(case.ours, case.x))
        if name in MATRICES and not is_floating:  # JAX refuses, or gives zeros
            assert all(part is NO_TANGENT for part in found)
            continue
        try:
            expected = leaves(of_jax(case.theirs, case.x))
        except REFUSALS as error:
            wrong[name] = error
        else:
            if len(found) != len(expected) or not all(map(agree, found, expected)):
                wrong[name] = found, expected
        if "value" in wrong:
            break
    return wrong


def agree(found, expected):
    """Whether two parts have the same shape and numbers."""
    expected = np.asarray(expected)
    size = np.max(np.abs(expected), initial=1.0, where=np.isfinite(expected))
    same_shape = np.shape(found) == expected.shape
    return same_shape and np.allclose(found, expected, rtol=1e-7, atol=1e-8 * size, equal_nan=True)


OFTEN = ("sin", "sum", "where", "argmax")
SLOW_IN_JAX = ("numpy.linalg.", "scipy.linalg.", "scipy.signal.", "scipy.fft.")
# They disagree, and EXCEPTIONS does not say yet in what: mostly JAX refuses, or takes other arguments.
NOT_LOOKED_INTO = frozenset(
    {
        *("zeta", "hyp1f1", "hyp2f1", "gammainc", "gammaincc", "betainc", "exp1", "spence", "expn"),
        *("sph_harm_y", "compress", "trim_zeros", "union1d", "intersect1d", "setxor1d"),
        *("setdiff1d", "polydiv", "roots", "histogram", "histogram2d", "histogramdd", "spacing"),
        "nextafter",
    }
)
CASES = cases()


def marks(case):
    name = case.primal.__name__
    if name in OFTEN:
        return ()
    is_slow = case.name.startswith(SLOW_IN_JAX) or name in NOT_LOOKED_INTO
    return pytest.mark.slow if is_slow else pytest.mark.long


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=marks(case), id=case.name) for case in CASES]
)
@pytest.mark.filterwarnings("ignore")
def test_transformations_agree_with_those_of_jax(case):
    with jax.enable_x64(True), np.errstate(all="ignore"):
        wrong = disagreements(case)
    transformations, _ = EXCEPTIONS.get(case.name, ((), ""))
    assert wrong.keys() == set(transformations), wrong


def test_the_table_is_of_functions_that_are_compared():
    assert len(CASES) > 380
    assert EXCEPTIONS.keys() <= {case.name for case in CASES}
