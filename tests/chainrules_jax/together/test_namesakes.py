"""`jax.vmap`, `jacfwd`, `jacrev`, `hessian` and `jax.experimental.jet` of JAX's own functions,
against ours of the functions of NumPy and SciPy with the same names, on the samples of the kit.

A sample is a function of all real coordinates of its arguments: a complex number is two, in
arguments and results, so that nothing depends on which of two conjugates a library calls the
derivative. What JAX does not have it refuses. Where numbers differ, ours have to be those of
differences (of values, or of our derivative one order below), and the function has to stand in a
table with the reason, unless the sample is at a tie or an edge, where derivatives are conventions.

Some samples run each time, the first of every fifth function by ``pytest -m long``, all others by
``-m slow``.
"""

import importlib
import math
from functools import cache
from zlib import crc32

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg
import scipy.special
from jax.experimental.jet import jet

from chainrules_py.errors import NotDifferentiableError
from chainrules_py.testing import Tag, directional
from chainrules_py.testing.conformance import engine_cases
from chainrules_py.testing.tolerances import mismatch
from chainrules_py.values.identity import qualified_name
from chainrules_tape import grad, hessian, jacobian, jvp, taylor, vmap
from chainrules_tape.core.levels import call

LANES, ORDER = 3, 3
LARGE = 1e6
DIFFERENTIABLE = "fc"
# what JAX raises for a call or a transformation that it does not have
REFUSALS = (
    *(NotImplementedError, TypeError, ValueError, AttributeError, KeyError, IndexError),
    *(AssertionError, RuntimeError, jax.errors.JAXTypeError, jax.errors.JAXIndexError),
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
# no numbers
FACTS = (np.result_type, np.einsum_path, np.array_repr, np.array_str)
# JAX's results are complex whatever the argument is
COMPLEX_IN_JAX = (np.linalg.eig, np.linalg.eigvals, scipy.linalg.sqrtm, np.roots)

MATRICES = "jacfwd", "jacrev"
DERIVATIVES = (*MATRICES, "hessian")
EVERYTHING = ("value", "vmap", *DERIVATIVES)
# options, classes or shapes of arguments that JAX's function does not take
OTHER_ARGUMENTS = """
        numpy.array numpy.array_split numpy.asarray numpy.compress numpy.concatenate
        numpy.copy numpy.cov numpy.delete numpy.einsum numpy.fft.fft2 numpy.fft.fftn numpy.fft.ifft2
        numpy.fft.ifftn numpy.fft.irfft2 numpy.fft.irfftn numpy.fft.rfft2 numpy.fft.rfftn
        numpy.full numpy.full_like numpy.gradient
        numpy.histogram2d numpy.histogram_bin_edges numpy.histogramdd numpy.hstack numpy.insert numpy.logspace
        numpy.meshgrid numpy.nanpercentile numpy.nanquantile numpy.nanstd numpy.nanvar
        numpy.pad numpy.partition numpy.percentile numpy.polyadd numpy.polyint numpy.polymul
        numpy.polysub numpy.polyval numpy.quantile numpy.repeat numpy.select numpy.setxor1d
        numpy.sort numpy.split numpy.stack numpy.take numpy.tril numpy.triu numpy.vstack numpy.where
        scipy.fft._realtransforms.dct scipy.fft._realtransforms.dctn
        scipy.fft._realtransforms.idct scipy.fft._realtransforms.idctn
        scipy.linalg._basic.inv scipy.linalg._basic.solve scipy.linalg._decomp.eigh
        scipy.linalg._decomp.eigh_tridiagonal scipy.linalg._decomp_lu.lu
        scipy.linalg._decomp_lu.lu_solve scipy.linalg._decomp_schur.schur
        scipy.linalg._expm_frechet.expm_frechet scipy.linalg._special_matrices.block_diag
        scipy.signal._signaltools.convolve2d scipy.signal._signaltools.correlate2d
        scipy.signal._signaltools.fftconvolve scipy.signal._spectral_py.istft
        scipy.signal._spectral_py.stft
        scipy.special._multiufuncs.sph_harm_y scipy.special.dawsn scipy.special.erf
        scipy.special.erfc scipy.special.exp1 scipy.special.fresnel scipy.special.hyp1f1
        scipy.special.hyp2f1 scipy.special.log_ndtr scipy.special.ndtr scipy.special.sici
        scipy.special.spence
        """
# how many entries a result has depends on values, which JAX has to know
OTHER_NUMBERS = """
        numpy.argwhere numpy.flatnonzero numpy.intersect1d numpy.nonzero numpy.setdiff1d
        numpy.trim_zeros numpy.union1d numpy.unique numpy.unique_all numpy.unique_counts
        numpy.unique_inverse numpy.unique_values
        """
# by function: the transformations that JAX refuses for some sample; it has few functions in `jet`
REFUSED = {
    **dict.fromkeys(OTHER_ARGUMENTS.split(), EVERYTHING),
    **dict.fromkeys(OTHER_NUMBERS.split(), ("vmap",)),
    # derivatives of eigenvectors, of Schur's factors, of iterations and of `igamma_grad_a`
    "numpy.linalg.eig": DERIVATIVES,
    "numpy.linalg.eigvals": ("hessian",),
    # without sorting, a mask chooses what is in both
    "numpy.intersect1d": EVERYTHING,
    "numpy.nextafter": DERIVATIVES,
    "numpy.roots": ("vmap", "hessian"),
    "numpy.spacing": DERIVATIVES,
    "scipy.linalg._decomp_polar.polar": ("jacrev", "hessian"),
    "scipy.linalg._decomp_schur.rsf2csf": ("hessian",),
    "scipy.linalg._matfuncs.sqrtm": DERIVATIVES,
    "scipy.linalg._solvers.solve_sylvester": DERIVATIVES,
    "scipy.special.betainc": DERIVATIVES,
    "scipy.special.expn": ("hessian",),
    "scipy.special.gammainc": ("hessian",),
    "scipy.special.gammaincc": ("hessian",),
    "scipy.special.loggamma": ("jacrev", "hessian"),
}
# by function: the transformations in which JAX's numbers are others, and why
DIFFERENT = {
    "numpy.partition": (
        (*EVERYTHING, "jet"),
        "the order among entries is the library's own affair",
    ),
    "numpy.ix_": ((*EVERYTHING, "jet"), "in JAX an index without entries is one of integers"),
    "numpy.polydiv": ((*EVERYTHING, "jet"), "JAX pads the remainder with zeros in front"),
    "numpy.histogram": ((*EVERYTHING, "jet"), "JAX counts in floating numbers, and we in integers"),
    "numpy.histogram2d": (
        (*EVERYTHING, "jet"),
        "JAX counts in floating numbers, and we in integers",
    ),
    "numpy.linalg.lstsq": (
        (*EVERYTHING, "jet"),
        "JAX has residuals where SciPy and NumPy have none",
    ),
    "numpy.sign": (
        (*DERIVATIVES, "jet"),
        "JAX says that z / |z| of complex numbers is constant, as the sign of real ones",
    ),
    "numpy.roots": (
        ("value", *MATRICES),
        "JAX has the roots that are zero first, and NumPy last",
    ),
    "numpy.i0": (("hessian",), "JAX has the second derivative 0 at 0, which is 1/2"),
    "numpy.vander": (
        (*DERIVATIVES, "jet"),
        "JAX has nan at zero to the power 0, and for higher derivatives of powers 0 and 1",
    ),
    "numpy.polyfit": (
        DERIVATIVES,
        "JAX solves by singular values, and is wrong where two of them are the same",
    ),
    "numpy.power": (("hessian", "jet"), "JAX has nan at zero to natural powers"),
    "numpy.float_power": (("hessian", "jet"), "JAX has nan at zero to natural powers"),
    "numpy.fmod": (("jet",), "the remainder of `jet` has the sign of the divisor"),
    "numpy.arccosh": (
        DERIVATIVES,
        "JAX's is that of another branch where the real part is negative",
    ),
    "scipy.linalg._decomp.eigh_tridiagonal": (
        EVERYTHING,
        "the sign of an eigenvector is the library's own affair",
    ),
    "numpy.linalg.pinv": (DERIVATIVES, "JAX leaves rcond out of the derivative"),
    "scipy.special.boxcox": ((*DERIVATIVES, "jet"), "JAX has no derivative by lmbda at 0"),
    "scipy.special.boxcox1p": ((*DERIVATIVES, "jet"), "JAX has no derivative by lmbda at 0"),
    "scipy.special.spence": (DERIVATIVES, "JAX has 0 at 1 and nan at 1.7"),
    "scipy.linalg._basic.solve": (
        ("jacrev", "hessian"),
        "JAX symmetrises what it reads of one triangle",
    ),
    "scipy.linalg._decomp_cholesky.cholesky": (
        DERIVATIVES,
        "JAX symmetrises the matrix, of which SciPy reads one triangle",
    ),
    "scipy.linalg._decomp_cholesky.cho_factor": (
        (*EVERYTHING, "jet"),
        "one triangle holds whatever was there",
    ),
    **{
        f"numpy.{name}": (DERIVATIVES, "JAX gives zeros, not the derivative of sorting")
        for name in (
            *("unique", "unique_values", "unique_counts", "unique_inverse", "unique_all"),
            *("union1d", "intersect1d", "setdiff1d", "setxor1d"),
        )
    },
}


@cache
def namesake(primal):
    """JAX's function with the public name of one of NumPy's or SciPy's; None where it has none."""
    name = getattr(primal, "__name__", "")
    for module, of_jax in MODULES.items():
        if getattr(importlib.import_module(module), name, None) is primal:
            return getattr(importlib.import_module(of_jax), name, None)
    return None


def kind(y):
    """The kind of numbers in a part of an argument or a result."""
    return np.dtype(getattr(y, "dtype", type(y))).kind


def is_number(x):
    """Whether a value is a floating number or an array of some."""
    is_numeric = type(x) in (float, complex, np.ndarray) or isinstance(x, np.inexact)
    return is_numeric and kind(x) in DIFFERENTIABLE and np.size(x) > 0


def leaves(y):
    """The parts of a result, one after the other."""
    return [part for item in y for part in leaves(item)] if isinstance(y, list | tuple) else [y]


class Place:
    """One argument, or a part of one, among the coordinates of a sample."""

    def __init__(self, path, x, start):
        self.path, self.shape, self.is_complex = path, np.shape(x), kind(x) == "c"
        self.start, self.middle = start, start + np.size(x)
        self.stop = self.middle + np.size(x) * self.is_complex

    def read(self, coordinates):
        """The argument, made of the coordinates."""
        real = coordinates[self.start : self.middle].reshape(self.shape)
        if not self.is_complex:
            return real if self.shape else real[()]
        return real + 1j * coordinates[self.middle : self.stop].reshape(self.shape)


def numbers(value, path=()):
    """The floating numbers and arrays in a nesting of lists, with where they are."""
    if isinstance(value, list | tuple):
        for place, item in enumerate(value):
            yield from numbers(item, (*path, place))
    elif is_number(value):
        yield path, value


def with_entry(items, path, x):
    """Arguments with another entry at a path."""
    place, *rest = path
    entry = with_entry(items[place], rest, x) if rest else x
    return type(items)([*items[:place], entry, *items[place + 1 :]])


class Case:
    """A sample as a function of its coordinates, as ours and as JAX's."""

    def __init__(self, case, dtype, only=None):
        self.primal, self.name = case.primal, qualified_name(case.primal)
        self.sample, self.args = case.sample, tuple(case.sample.args)
        self.id = f"{self.name}-{case.sample.name}-{dtype}"
        self.places, parts = [], []
        for path, value in numbers(self.args):
            if path[0] in case.sample.fixed or only not in (None, path[0]):
                continue
            place = Place(path, value, sum(map(np.size, parts)))
            self.places.append(place)
            parts.append(np.ravel(np.real(value)))
            if place.is_complex:
                parts.append(np.ravel(np.imag(value)))
        self.x = np.concatenate(parts).astype(float) if parts else np.zeros(0)

    def ours(self, x):
        y = call(self.primal, self.with_numbers(x), dict(self.sample.options))
        return [part + 0j for part in leaves(y)] if self.primal in COMPLEX_IN_JAX else y

    def plain(self, x):
        """By the primal alone."""
        y = self.primal(*self.with_numbers(x), **self.sample.options)
        return [part + 0j for part in leaves(y)] if self.primal in COMPLEX_IN_JAX else y

    def theirs(self, x):
        return namesake(self.primal)(*self.with_numbers(x), **self.sample.options)

    def with_numbers(self, x):
        """The arguments with these coordinates; symmetric where the sample says so."""
        args = self.args
        for place in self.places:
            value = place.read(x)
            structure = self.sample.structures.get(place.path[0])
            if structure is not None:
                turned = value.swapaxes(-1, -2)
                value = (value + (turned if structure == "symmetric" else turned.conj())) / 2
            args = with_entry(args, place.path, value)
        return args

    def is_smooth(self):
        """Whether the sample is not at an edge or a tie, where a derivative is a convention."""
        return not self.sample.tags & {Tag.TIE, Tag.KINK, Tag.DOMAIN}


def real(function, xp):
    """A function with real results alone, complex ones as two; unless there are none but integers."""

    def parts(x):
        found = leaves(function(x))
        floating = [y for y in found if kind(y) in DIFFERENTIABLE]
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


def lanes_of(x, xp=np):
    return xp.stack([(1.0 - 1e-3 * lane) * x for lane in range(LANES)])


def direction(x):
    return np.cos(np.arange(1.0, x.size + 1))


def by_jet(function, x):
    """The derivatives along a direction, to an order."""
    series = [jnp.asarray(direction(x)), *[jnp.zeros_like(x)] * (ORDER - 1)]
    value, derivatives = jet(function, (x,), (series,))
    return [[y, *dots] for y, dots in zip(value, derivatives, strict=True)]


def by_taylor(function, x):
    coefficients = taylor(function, x, ORDER, direction(x))
    scaled = [[part * math.factorial(k) for part in c] for k, c in enumerate(coefficients)]
    return list(zip(*scaled, strict=True))


OF_OURS = {
    "value": lambda f, x: real(f, np)(x),
    "vmap": lambda f, x: vmap(real(f, np))(lanes_of(x)),
    "jacfwd": lambda f, x: jacobian(real(f, np), mode="forward")(x),
    "jacrev": lambda f, x: jacobian(real(f, np), mode="reverse")(x),
    "hessian": lambda f, x: hessian(weighted(f, np))(x),
    "jet": lambda f, x: by_taylor(real(f, np), x),
}
OF_JAX = {
    "value": lambda f, x: real(f, jnp)(x),
    "vmap": lambda f, x: jax.vmap(real(f, jnp))(lanes_of(x, jnp)),
    "jacfwd": lambda f, x: jax.jacfwd(real(f, jnp))(x),
    "jacrev": lambda f, x: jax.jacrev(real(f, jnp))(x),
    "hessian": lambda f, x: jax.hessian(weighted(f, jnp))(x),
    "jet": lambda f, x: by_jet(real(f, jnp), x),
}


def by_jax(case):
    """The numbers of JAX by transformation; where it has not got one, the error."""
    found = {}
    for name, transformation in OF_JAX.items():
        try:
            jax.eval_shape(lambda x, t=transformation: t(case.theirs, x), case.x)
        except jax.errors.ConcretizationTypeError:
            found[name] = without_compiler(transformation, case)
        except REFUSALS as error:
            found[name] = error
    compiled = OF_JAX.keys() - found.keys()
    try:
        return found | compile_all(sorted(compiled), case)
    except REFUSALS:  # one of them alone may be what the compiler does not take
        return found | {name: without_compiler(OF_JAX[name], case) for name in compiled}


def compile_all(names, case):
    """The numbers of several transformations, by one compilation: most of what this test takes."""

    def all_of_them(x):
        return {name: OF_JAX[name](case.theirs, x) for name in names}

    return jax.jit(all_of_them)(case.x)


def without_compiler(transformation, case):
    try:
        return transformation(case.theirs, case.x)
    except REFUSALS as error:
        return error


def by_loop(case):
    return [real(case.plain, np)(x) for x in lanes_of(case.x)]


def directions(x):
    draw = np.random.default_rng(0)
    return [direction(x), *draw.normal(size=(2, x.size))]


def flat(y):
    return np.concatenate([np.ravel(part) for part in leaves(y)] or [np.zeros(0)])


def is_derivative(found, function, x):
    """Whether a matrix is the derivative wherever differences say that there is one."""
    matrix = np.concatenate([np.reshape(part, (-1, x.size)) for part in leaves(found)])
    for x_dot in directions(x):
        oracle = directional(lambda t: flat(function(t)), x, x_dot)
        got = matrix @ x_dot
        if np.any(oracle.exists & mismatch(got, oracle.value, 1e-6, 100 * oracle.error + 1e-12)):
            return False
    return True


def is_series(found, case):
    """Whether derivatives along a direction are those of nested forward mode."""
    function, expected = real(case.ours, np), []
    for _ in range(ORDER + 1):
        expected.append(function(case.x))
        function = along(function, direction(case.x))
    return all(map(agree, leaves(found), leaves(list(zip(*expected, strict=True)))))


def along(function, x_dot):
    return lambda x: jvp(function, (x,), (x_dot,))[1]


IS_RIGHT = {
    "value": lambda found, case: same(found, real(case.plain, np)(case.x)),
    "vmap": lambda found, case: same(found, list(map(np.stack, zip(*by_loop(case), strict=True)))),
    "jacfwd": lambda found, case: is_derivative(found, real(case.plain, np), case.x),
    "jacrev": lambda found, case: is_derivative(found, real(case.plain, np), case.x),
    "hessian": lambda found, case: is_derivative(found, grad(weighted(case.ours, np)), case.x),
    "jet": is_series,
}


def same(found, expected):
    """Whether two results have the same parts."""
    found, expected = leaves(found), leaves(expected)
    return len(found) == len(expected) and all(map(agree, found, expected))


def agree(found, expected):
    """Whether two parts have the same shape and numbers."""
    expected = np.asarray(expected)
    size = np.max(np.abs(expected), initial=1.0, where=np.isfinite(expected))
    same_shape = np.shape(found) == expected.shape
    return same_shape and np.allclose(found, expected, rtol=1e-7, atol=1e-8 * size, equal_nan=True)


def samples(dtype):
    """All calls in a dtype that JAX may have, too, and whether they are the first of a function."""
    seen = set()
    for case in filter(may_be_compared, engine_cases(dtypes=[dtype])):
        if Case(case, dtype).places:
            yield case, case.primal not in seen
            seen.add(case.primal)


def may_be_compared(case):
    is_once = case.mode == "reverse" and case.sample.error is None
    return is_once and case.primal not in FACTS and namesake(case.primal)


def with_one_argument(case, dtype):
    """The sample as a function of its first argument alone, and JAX's numbers of that."""
    made = Case(case, dtype)
    theirs = by_jax(made)
    if isinstance(theirs["value"], Exception) and len(made.places) > 1:
        alone = Case(case, dtype, only=made.places[0].path[0])
        of_one = by_jax(alone)
        if not isinstance(of_one["value"], Exception):
            return alone, of_one
    return made, theirs


def comparable(case):
    """The transformations of a sample: results of integers alone have no derivative.

    Second derivatives are those of sines, which have no digits left of large values.
    """
    floating = [y for y in leaves(case.plain(case.x)) if kind(y) in DIFFERENTIABLE]
    if not floating:
        return ("value", "vmap")
    if any(np.max(np.abs(y), initial=0.0, where=np.isfinite(y)) > LARGE for y in floating):
        return tuple([name for name in OF_OURS if name != "hessian"])
    return tuple(OF_OURS)


def compared(case, theirs):
    """The transformations that JAX refuses, and those in which its numbers are others than ours.

    Ours are held to differences where JAX's are others, if there is a derivative.
    """
    refused, different = set(), set()
    for name in comparable(case):
        if isinstance(theirs[name], Exception):
            refused.add(name)
            continue
        is_defined = case.is_smooth() or name in ("value", "vmap")
        try:
            found = OF_OURS[name](case.ours, case.x)
        except NotDifferentiableError:
            assert not is_defined
            continue
        if not same(found, theirs[name]):
            different.add(name)
            assert not is_defined or IS_RIGHT[name](found, case), (
                case.id,
                name,
                found,
                theirs[name],
            )
    return refused, different


OFTEN = ("sin", "sum", "where", "matmul")
CALLS = [
    (case, dtype, is_first)
    for dtype in ("float64", "complex128")
    for case, is_first in samples(dtype)
]


def parameters():
    """One test for the first sample of each function and dtype, one for all others of a function."""
    others = {}
    for case, dtype, is_first in CALLS:
        name = qualified_name(case.primal)
        if is_first:
            label = f"{name}-{dtype}"
            if case.primal.__name__ in OFTEN:
                marks = []
            elif crc32(label.encode()) % 5 == 0:
                marks = pytest.mark.long
            else:
                marks = pytest.mark.slow
            yield pytest.param([(case, dtype)], id=label, marks=marks)
        else:
            others.setdefault(name, []).append((case, dtype))
    for name, calls in others.items():
        yield pytest.param(calls, id=f"{name}-others", marks=pytest.mark.slow)


@pytest.mark.parametrize("calls", list(parameters()))
@pytest.mark.filterwarnings("ignore")
def test_transformations_agree_with_those_of_jax(calls):
    for case, dtype in calls:
        with jax.enable_x64(True), np.errstate(all="ignore"):
            made, theirs = with_one_argument(case, dtype)
            refused, different = compared(made, theirs)
        if made.primal.__name__ in OFTEN and not any(type(arg) is list for arg in made.args):
            assert not refused, made.id
        assert refused <= {*REFUSED.get(made.name, ()), "jet"}, (made.id, theirs)
        if made.is_smooth():
            assert different <= set(DIFFERENT.get(made.name, ((), ""))[0]), (made.id, different)


def test_the_table_is_of_functions_that_are_compared():
    names = {qualified_name(case.primal) for case, *_ in CALLS}
    assert len(names) > 380
    assert len(CALLS) > 3000
    assert (REFUSED.keys() | DIFFERENT.keys()) <= names
