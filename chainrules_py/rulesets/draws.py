"""Random draws of numpy.random, differentiated at the state that the generator is in.

Draws without parameters are constants. What draws entries of data gathers them. A draw that NumPy
makes of a simpler one has that as its body, here at the same state: a location and a scale move and
stretch a standard draw. Others move as their quantile does, the probability held (M. Figurnov, S.
Mohamed and A. Mnih, Implicit Reparameterization Gradients, 2018), by -(dF/dparameter) / F'; those of
which F is in SciPy are in `scipy.draws`. Whole numbers jump, and their parameters have to be
constants.

Each is there twice: the generator's, and that of the legacy state behind numpy.random's functions.
Of many examples, each has a draw of its own, one after the other.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from chainrules_py import (
    Array,
    LinearMap,
    OptionError,
    Scalar,
    composed,
    ignore_derivatives,
    linearised_rule,
    non_differentiable,
)
from chainrules_py.annotations import Function
from chainrules_py.makers import Linearised
from chainrules_py.projection import unbroadcast
from chainrules_py.rulesets.formulas.known_values import any_known
from chainrules_py.values.arrays import call
from chainrules_py.values.discovery import is_installed
from chainrules_py.values.identity import existing, qualified_name

if TYPE_CHECKING:
    Parameter = Any
    Parameters = Any
    Data = Any
else:  # what rules dispatch on: bare classes
    Parameter = Array | Scalar
    Parameters = Array | list
    Data = Array | list | int
SOURCES = (np.random.Generator, np.random.RandomState)
CONSTANTS = (
    *("random", "bytes", "rand", "randn", "random_sample"),
    *("standard_cauchy", "standard_exponential", "standard_normal"),
)
WHOLE_NUMBERS = (
    *("binomial", "geometric", "hypergeometric", "integers", "logseries", "multinomial"),
    *("multivariate_hypergeometric", "negative_binomial", "poisson", "randint", "zipf"),
)
UNKNOWN = ("noncentral_f",)
IN_PLACE = ("shuffle",)
OF_DATA = ("choice", "permutation", "permuted")
BY_LOCATION_AND_SCALE = ("normal", "laplace", "logistic", "gumbel")
BY_SCALE = ("exponential", "rayleigh")
BY_GAMMAS = ("chisquare", "dirichlet", "f", "gamma")
BY_QUANTILE = ("pareto", "power", "triangular", "weibull")
OF_SCIPY = {  # and how many parameters
    "beta": 2,
    "noncentral_chisquare": 2,
    "standard_gamma": 1,
    "standard_t": 1,
    "vonmises": 2,
    "wald": 2,
}
DRAWS = (
    *(*CONSTANTS, *WHOLE_NUMBERS, *UNKNOWN, *IN_PLACE, *OF_DATA, *BY_LOCATION_AND_SCALE, *BY_SCALE),
    *(*BY_GAMMAS, *BY_QUANTILE, *OF_SCIPY, "lognormal", "multivariate_normal", "uniform"),
)


def draws_of(names: tuple[str, ...]) -> list[Any]:
    """The methods of these names, of both sources."""
    return [draw for source in SOURCES for draw in existing(source, *names)]


WRITES = "it writes into its argument; permutation(x) returns the order that shuffle(x) leaves in x"
JUMPS = "a draw of whole numbers jumps: no path of it leads to the derivative of a mean"
non_differentiable(*draws_of(CONSTANTS))
non_differentiable(*draws_of(WHOLE_NUMBERS), constants_only=JUMPS)
non_differentiable(*draws_of(UNKNOWN), constants_only=True)
non_differentiable(*draws_of(IN_PLACE), constants_only=WRITES)
if not is_installed("scipy"):
    non_differentiable(
        *draws_of(tuple(OF_SCIPY)), constants_only="its derivative needs functions of SciPy's"
    )


# --- Bodies ---


def of_data(cls: Any, draw) -> Function:
    """Make the body of a method that draws entries of an array: it draws their places."""

    def gather(source: object, x: Data, **options):
        if not hasattr(x, "shape"):  # how many whole numbers there are
            return call(draw, source, x, **options)
        if options.get("out") is not None:
            raise output_refused(draw, options["out"])
        places = np.arange(x.size).reshape(x.shape) + of_each(x) * 0
        return np.reshape(x, -1)[call(draw, source, places, **options)]

    return gather


def by_location_and_scale(cls: Any, draw) -> Function:
    """Make the body of a draw that is ``loc + scale * z`` of a standard one."""

    def moved(
        source: object,
        loc: Parameter = 0.0,
        scale: Parameter = 1.0,
        *,
        size: Any = None,
    ):
        check(draw, source, loc, scale)
        z = call(draw, source, of_each(loc) * 0.0, of_each(scale) * 0.0 + 1.0, size=size)
        return loc + scale * z

    return moved


def by_ends(cls: Any, draw) -> Function:
    """Make the body of a draw from an interval."""

    def between(
        source: object,
        low: Parameter = 0.0,
        high: Parameter = 1.0,
        *,
        size: Any = None,
    ):
        check(draw, source, low, high)
        u = call(draw, source, of_each(low) * 0.0, of_each(high) * 0.0 + 1.0, size=size)
        return low + (high - low) * u

    return between


def by_logarithm(cls: Any, draw) -> Function:
    """Make the body of a draw of which the logarithm is normal."""

    def exponential(
        source: object,
        mean: Parameter = 0.0,
        sigma: Parameter = 1.0,
        *,
        size: Any = None,
    ):
        check(draw, source, mean, sigma)
        z = call(cls.normal, source, of_each(mean) * 0.0, of_each(sigma) * 0.0 + 1.0, size=size)
        return np.exp(mean + sigma * z)

    return exponential


def by_scale(cls: Any, draw) -> Function:
    """Make the body of a draw that is a multiple of a standard one."""

    def stretched(source: object, scale: Parameter = 1.0, *, size: Any = None):
        check(draw, source, scale)
        return scale * call(draw, source, of_each(scale) * 0.0 + 1.0, size=size)

    return stretched


def gamma(cls: Any, draw) -> Function:
    """Make the body of a gamma draw, a multiple of a standard one."""

    def stretched(
        source: object,
        shape: Parameter,
        scale: Parameter = 1.0,
        *,
        size: Any = None,
    ):
        check(draw, source, shape, scale)
        return scale * call(cls.standard_gamma, source, shape + of_each(scale) * 0.0, size=size)

    return stretched


def chisquare(cls: Any, draw) -> Function:
    """Make the body of a chi-squared draw, twice one of gamma."""

    def doubled(source: object, df: Parameter, *, size: Any = None):
        check(draw, source, df)
        return 2.0 * call(cls.standard_gamma, source, df / 2.0, size=size)

    return doubled


def ratio(cls: Any, draw) -> Function:
    """Make the body of a draw of F's, a ratio of draws that follow each other."""

    def of_gammas(source: object, dfnum: Parameter, dfden: Parameter, *, size: Any = None):
        check(draw, source, dfnum, dfden)
        shape = np.broadcast_shapes(np.shape(dfnum), np.shape(dfden)) if size is None else size
        pair = np.stack(np.broadcast_arrays(dfnum, dfden), axis=-1)
        draws = 2.0 * call(cls.standard_gamma, source, pair / 2.0, size=(*lengths(shape), 2))
        return (draws[..., 0] * dfden) / (draws[..., 1] * dfnum)

    return of_gammas


def dirichlet(cls: Any, draw) -> Function:
    """Make the body of a draw of weights, which are gamma draws over their sum.

    Small ones are broken off a stick one after the other by the generator.
    """

    def weights(source: object, alpha: Parameters, *, size: Any = None):
        call(draw, source, ignore_derivatives(alpha), size=0)
        shape = (*lengths(size), alpha.shape[0])
        is_small = np.all(ignore_derivatives(alpha) < 0.1)
        if cls is np.random.Generator and any_known(is_small) and is_small:
            return broken_off(source, alpha, shape)
        draws = call(cls.standard_gamma, source, alpha, size=shape)
        return draws * (1.0 / np.cumsum(draws, axis=-1)[..., -1:])  # NumPy adds in this order

    return weights


def broken_off(source, alpha, shape: tuple[int, ...]) -> Any:
    """Weights that are parts of what the ones before have left."""
    rest = np.cumsum(alpha[::-1])[::-1][1:]
    *lead, count = shape
    parts = call(np.random.Generator.beta, source, alpha[:-1], rest, size=(*lead, count - 1))
    whole = np.ones((*lead, 1))
    left = np.concatenate([whole, np.cumprod(1.0 - parts, axis=-1)], axis=-1)
    return left * np.concatenate([parts, whole], axis=-1)


def multivariate_normal(cls: Any, draw) -> Function:
    """Make the body of a normal draw of many variables, standard ones times a root of the
    covariances.
    """

    def moved(
        source: object,
        mean: Parameters,
        cov: Parameters,
        *,
        size: Any = None,
        **options,
    ):
        call(draw, source, *map(ignore_derivatives, (mean, cov)), size=0, **options)
        zeros = of_each(mean) * 0.0 + of_each(cov[0]) * 0.0
        z = call(cls.normal, source, zeros, 1.0, size=(*lengths(size), mean.shape[0]))
        return mean + z @ root_of_covariances(cls, cov, **options)

    return moved


def root_of_covariances(cls: Any, cov, *, method: str = "svd", **checks) -> Any:
    """A matrix of which the transpose times itself is a matrix of covariances, as NumPy has it."""
    if method == "cholesky":
        return np.linalg.cholesky(cov).T
    if method == "eigh":
        s, u = np.linalg.eigh(cov)
        return (u * np.sqrt(abs(s))).T
    u, s, v = np.linalg.svd(cov, full_matrices=False)
    legacy = cls is np.random.RandomState
    return np.sqrt(s)[:, None] * v if legacy else (u * np.sqrt(s)).T


def output_refused(draw, out) -> OptionError:
    """The error for an array to write into, which the places would be written to."""
    got, instead = "out=, an array to write into", "leave it out, and use what is returned"
    return OptionError(qualified_name(draw), got, instead, primal=draw, option="out", value=out)


def of_each(x) -> Any:
    """A truth for each number of an array, and for each example."""
    return np.not_equal(x, x)


def check(draw, source, *parameters) -> None:
    """Have NumPy look at parameters, and raise for those of no distribution: it draws nothing."""
    shape = np.broadcast_shapes(*map(np.shape, parameters))
    call(draw, source, *map(ignore_derivatives, parameters), size=(0, *shape))


def lengths(size) -> tuple[int, ...]:
    """A size as a shape."""
    if size is None:
        return ()
    return tuple(size) if hasattr(size, "__len__") else (size,)


# --- By the quantile ---

# the derivative of each number that was drawn, given the parameters, these numbers and a namespace
Slope = Function


def by_one(slope: Slope) -> Function:
    """Make the derivative of a draw with one parameter."""

    def held(source: object, a: Parameter, *, out, xp, size: Any = None) -> Linearised:
        return None, along_parameter(partial(slope, a, out, xp), a, xp)

    return held


def by_two(by_first: Slope, by_second: Slope) -> Function:
    """Make the derivative of a draw with two parameters."""

    def held(
        source: object, a: Parameter, b: Parameter, *, out, xp, size: Any = None
    ) -> Linearised:
        first, second = (partial(slope, a, b, out, xp) for slope in (by_first, by_second))
        return None, along_parameter(first, a, xp), along_parameter(second, b, xp)

    return held


def in_scipy(name: str, parameter: int) -> Slope:
    """The derivative of a draw by one of its parameters, which needs functions of SciPy's."""

    def slope(*args) -> Any:
        slopes = import_module("chainrules_py.rulesets.scipy.draws").SLOPES
        return slopes[name][parameter](*args)

    return slope


def along_parameter(slope: Callable[[], Any], x, xp) -> LinearMap:
    """The derivative by a parameter, which broadcasts, given that of each number."""
    shape = np.shape(x)
    return LinearMap(
        lambda dot: dot * slope(), lambda y_bar: unbroadcast(y_bar * slope(), shape, xp)
    )


def triangular(
    source: object,
    left: Parameter,
    mode: Parameter,
    right: Parameter,
    *,
    out,
    xp,
    size: Any = None,
) -> Linearised:
    """A draw divides its side of the triangle as the square root of a probability.

    So the logarithm of its distance from the near end moves by half of those of the side and of
    the whole.
    """
    is_low = out < mode

    def rates() -> tuple[Any, Any, Any]:
        distance = xp.where(is_low, out - left, out - right)
        side = xp.where(is_low, mode - left, mode - right)
        of_side = 0.5 * distance / xp.where(side == 0, 1.0, side)
        of_whole = 0.5 * distance / (right - left)
        return is_low, of_side, of_whole

    def by_left():
        is_low, of_side, of_whole = rates()
        return xp.where(is_low, 1.0 - of_side - of_whole, -of_whole)

    def by_mode():
        return rates()[1]

    def by_right():
        is_low, of_side, of_whole = rates()
        return xp.where(is_low, of_whole, 1.0 - of_side + of_whole)

    return (
        None,
        along_parameter(by_left, left, xp),
        along_parameter(by_mode, mode, xp),
        along_parameter(by_right, right, xp),
    )


def of_power(a, y, xp):
    """Of a power 1 / a of what does not move."""
    return -y * xp.log(xp.where(y > 0, y, 1.0)) / a


def of_pareto(a, y, xp):
    """Of such a power less 1."""
    return -(1.0 + y) * xp.log1p(y) / a


MAKERS: dict[str, Callable[[Any, Any], Function]] = {
    **dict.fromkeys(OF_DATA, of_data),
    **dict.fromkeys(BY_LOCATION_AND_SCALE, by_location_and_scale),
    **dict.fromkeys(BY_SCALE, by_scale),
    "uniform": by_ends,
    "lognormal": by_logarithm,
    "gamma": gamma,
    "chisquare": chisquare,
    "f": ratio,
    "dirichlet": dirichlet,
    "multivariate_normal": multivariate_normal,
}
for _cls in SOURCES:
    for _name, _make in MAKERS.items():
        for _draw in existing(_cls, _name):
            composed(_draw, one_by_one=True)(_make(_cls, _draw))
linearised_rule(*draws_of(("power", "weibull")))(by_one(of_power))
linearised_rule(*draws_of(("pareto",)))(by_one(of_pareto))
linearised_rule(*draws_of(("triangular",)))(triangular)
if is_installed("scipy"):
    for _name, _count in OF_SCIPY.items():
        _slopes = [in_scipy(_name, k) for k in range(_count)]
        linearised_rule(*draws_of((_name,)))((by_one if _count == 1 else by_two)(*_slopes))
