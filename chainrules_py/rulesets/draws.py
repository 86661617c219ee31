"""Random draws of numpy.random, differentiated at the state that the generator is in.

Draws without parameters are constants, and so are whole numbers. What draws entries of data gathers
them; what has a location and a scale is that of a standard draw, moved and stretched. All others
have no rule yet: their parameters have to be constants.

Each is there twice: the generator's, and that of the legacy state behind numpy.random's functions.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py import Array, LinearMap, Scalar, linearised_rule, non_differentiable
from chainrules_py.projection import unbroadcast
from chainrules_py.rulesets.entries.scatter import scatter_add

# what a parameter is that is left out
_ZERO: Any = 0.0
_ONE: Any = 1.0
SOURCES = (np.random.Generator, np.random.RandomState)
CONSTANTS = (
    *("random", "integers", "bytes", "rand", "randn", "randint", "random_sample"),
    *("standard_cauchy", "standard_exponential", "standard_normal"),
    *("binomial", "geometric", "hypergeometric", "logseries", "multinomial", "negative_binomial"),
    *("multivariate_hypergeometric", "poisson", "zipf"),
)
OF_DATA = ("choice", "permutation", "permuted")
BY_LOCATION_AND_SCALE = ("normal", "laplace", "logistic", "gumbel")
BY_SCALE = ("exponential", "rayleigh")
OF_CONSTANTS = (
    *(
        "beta",
        "chisquare",
        "dirichlet",
        "f",
        "gamma",
        "multivariate_normal",
        "noncentral_chisquare",
    ),
    *("noncentral_f", "pareto", "power", "shuffle", "standard_gamma", "standard_t", "triangular"),
    *("vonmises", "wald", "weibull"),
)
DRAWS = (
    *(*CONSTANTS, *OF_DATA, *BY_LOCATION_AND_SCALE, *BY_SCALE),
    *("uniform", "lognormal", *OF_CONSTANTS),
)


def draws_of(names: tuple[str, ...]) -> list[Any]:
    """The methods of these names, of both sources."""
    return [getattr(source, name) for source in SOURCES for name in names if hasattr(source, name)]


non_differentiable(*draws_of(CONSTANTS))
non_differentiable(*draws_of((*OF_DATA, *OF_CONSTANTS)), constants_only=True)


def gathering(draw) -> Callable[..., Any]:
    """Make the derivative of a method that draws entries of an array: it draws their places."""

    def gather(source: object, x: Array, *, xp, **options) -> Any:
        places = draw(source, np.arange(x.size).reshape(x.shape), **options)

        def push(x_dot) -> Any:
            return xp.reshape(x_dot, (x.size,))[places]

        def pull(y_bar) -> Any:
            return xp.reshape(scatter_add(y_bar, places, (x.size,), x.dtype), x.shape)

        return push(x), None, LinearMap(push, pull)

    return gather


def by_location_and_scale(draw) -> Callable[..., Any]:
    """Make the derivative of a draw that is ``loc + scale * z`` of a standard one."""

    def moved(
        source: object,
        loc: Array | Scalar = _ZERO,
        scale: Array | Scalar = _ONE,
        *,
        size: Any = None,
        xp,
    ) -> Any:
        z, a, b = standard(draw, source, size, loc, scale)
        return a + b * z, None, along(np.ones_like(z), a, xp), along(z, b, xp)

    return moved


def by_ends(draw) -> Callable[..., Any]:
    """Make the derivative of a draw from an interval."""

    def between(
        source: object,
        low: Array | Scalar = _ZERO,
        high: Array | Scalar = _ONE,
        *,
        size: Any = None,
        xp,
    ) -> Any:
        u, a, b = standard(draw, source, size, low, high)
        return a + (b - a) * u, None, along(1 - u, a, xp), along(u, b, xp)

    return between


def by_logarithm(draw) -> Callable[..., Any]:
    """Make the derivative of a draw of which the logarithm has a location and a scale."""

    def exponential(
        source: object,
        mean: Array | Scalar = _ZERO,
        sigma: Array | Scalar = _ONE,
        *,
        size: Any = None,
        xp,
    ) -> Any:
        draws, a, b = standard(draw, source, size, mean, sigma)
        z = xp.log(draws)
        y = xp.exp(a + b * z)
        return y, None, along(y, a, xp), along(y * z, b, xp)

    return exponential


def by_scale(draw) -> Callable[..., Any]:
    """Make the derivative of a draw that is a multiple of a standard one."""

    def stretched(source: object, scale: Array | Scalar = _ONE, *, size: Any = None, xp) -> Any:
        z, b = standard(draw, source, size, scale)
        return b * z, None, along(z, b, xp)

    return stretched


def standard(draw, source, size, *given) -> tuple[Any, ...]:
    """A draw around 0 or from 0 to 1, of as many numbers as with those that were given; and these."""
    if size is None:
        size = np.broadcast_shapes(*map(np.shape, given)) or None
    return draw(source, *(0.0, 1.0)[-len(given) :], size), *given


def along(slope, x, xp) -> LinearMap:
    """The derivative by a parameter, which broadcasts, given that of each number."""
    shape = np.shape(x)
    return LinearMap(lambda dot: dot * slope, lambda y_bar: unbroadcast(y_bar * slope, shape, xp))


for _names, _make in (
    (OF_DATA, gathering),
    (BY_LOCATION_AND_SCALE, by_location_and_scale),
    (("uniform",), by_ends),
    (("lognormal",), by_logarithm),
    (BY_SCALE, by_scale),
):
    for _draw in draws_of(_names):
        linearised_rule(_draw)(_make(_draw))
