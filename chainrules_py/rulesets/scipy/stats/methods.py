"""The rules of the methods of distributions, such as `stats.gamma.logpdf`, one rule per method.

A bound method is the method of its class, called with the distribution as the first argument; the
other ones are x, the shapes, location and scale. With z = (x - location) / scale and f the density,

    log-density   s / scale in x, -s / scale in the location, -(1 + z s) / scale in the scale,
                  where s is (log f)' at z
    cdf F         f, -f, -z f; in a shape the derivative from `families`
    quantile q    1 / f in the probability, 1 and z in location and scale,
                  -(dF/dshape) / f in a shape
    a draw        as the quantile, the probability held, at the state that its generator was in

Outside of the support, where the log-density is -inf, derivatives are zero, as they are in JAX.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from chainrules_py.annotations import Args, Options
from chainrules_py.errors import OptionError
from chainrules_py.makers import LinearMap, axes_rule, linearised_rule, non_differentiable
from chainrules_py.makers.products import in_double, strong_product
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.draws import JUMPS

# these fill the table of families, which the methods read
from chainrules_py.rulesets.scipy.stats import (
    bessel as bessel,
    bounded as bounded,
    counts as counts,
    on_the_line as on_the_line,
    positive as positive,
)
from chainrules_py.rulesets.scipy.stats.families import FAMILIES, shape_names
from chainrules_py.rulesets.scipy.stats.module import stats
from chainrules_py.rulesets.scipy.stats.points import Point, times_if_implemented
from chainrules_py.table.registry import default_rules
from chainrules_py.tangents import ZERO, AbstractTangent, not_implemented
from chainrules_py.values.arrays import Array, Scalar, shape_of

if TYPE_CHECKING:
    Distribution = Any
else:
    Distribution = stats.rv_continuous.__mro__[1]  # rv_generic, which has no public name

BY_COUNTS = not_implemented("the derivative of a distribution by a whole number")

# --- The derivative of each method, by the argument of a name ---


def of_log_density(point: Point, out, name: str) -> Any:
    """The derivative of a log-density, from the tables in standard form; that in x gives location
    and scale, too.
    """
    if not point.continuous and name in ("x", "loc"):
        return ZERO
    is_shape = name in point.shapes
    slope = point.known("log_density", name if is_shape else "x")
    if isinstance(slope, AbstractTangent):
        return slope
    if name == "scale":
        slope = 1 + point.scope["x"] * slope
    sign = -1 if name in ("loc", "scale") else 1
    return point.within(slope if is_shape else sign * slope / point.scale, point.inside)


def of_density(point: Point, out, name: str):
    """The density times the derivative of its logarithm; at the edge of parameters, from a table."""
    slope = times_if_implemented(out, of_log_density(point, out, name))
    if not point.has("pmf", name):
        return slope
    at_edge = point.scope_at(point.x - point.loc).evaluate(point.family.tables["pmf"][name])
    return point.xp.where(point.log_density == -point.xp.inf, at_edge, slope)


def of_cdf(point: Point, out, name: str, sign: int = 1) -> Any:
    """The density for the argument, location and scale; for shapes, from the tables."""
    if name in point.shapes:
        slope = by_shape_of_cdf(point, name)
        if isinstance(slope, AbstractTangent):
            return slope
        return point.within(sign * slope, point.counted)
    if not point.continuous:
        return ZERO
    return sign * along_argument(point, name, point.density)


def by_shape_of_cdf(point: Point, name: str) -> Any:
    """The derivative by a shape, from the table of the distribution function or of its logarithm."""
    if point.has("log_cdf", name):
        return point.ask("cdf") * point.known("log_cdf", name)
    if point.has("log_sf", name):
        return -point.ask("sf") * point.known("log_sf", name)
    return point.known("cdf", name)


def along_argument(point: Point, name: str, slope) -> Any:
    """A derivative by the argument, or by the location or the scale, which move that."""
    if name == "scale":
        return -slope * point.xp.where(slope != 0, point.z, 0)
    return -slope if name == "loc" else slope


def of_log_cdf(point: Point, out, name: str, sign: int = 1):
    """By the tables, or the density over the distribution function: exp of a difference, as both may
    be tiny.
    """
    xp = point.xp
    reached = point.counted & (out > -xp.inf)
    is_shape, table = name in point.shapes, "log_sf" if sign < 0 else "log_cdf"
    if point.has(table, name if is_shape else "x"):
        slope = xp.where(reached, point.known(table, name if is_shape else "x"), 0)
        moved = slope if is_shape else along_argument(point, name, slope / point.scale)
        return point.within(moved, reached)

    finite = xp.where(reached, out, 0)
    if is_shape:
        return times_if_implemented(
            xp.where(reached, xp.exp(-finite), 0), of_cdf(point, out, name, sign)
        )
    if not point.continuous:
        return ZERO
    ratio = xp.where(reached, xp.exp(xp.where(reached, point.log_density, 0) - finite), 0)
    return point.within(sign * along_argument(point, name, ratio), point.inside)


def of_quantile(point: Point, out, name: str, sign: int = 1):
    """By the implicit function theorem, from the distribution function at the quantile.

    That of a discrete distribution goes in steps, which move with the location.
    """
    if not point.continuous:
        return point.xp.ones_like(out) if name == "loc" else ZERO
    if name == "loc":
        return 1.0 + 0.0 * point.z
    if name == "scale":
        return point.z
    if name == "x":
        return sign / point.density
    for table in ("log_cdf", "log_sf")[::sign]:
        if point.has(table, name):
            slope = -point.known(table, name) / point.known(table, "x") * point.scale
            return point.xp.where(point.inside, slope, point.xp.nan)
    return times_if_implemented(-1 / point.density, of_cdf(point, out, name))


def of_mean(point: Point, out, name: str):
    """The mean moves with the location, and from there with the scale."""
    if name == "loc":
        return 1.0
    if name == "scale":
        return (out - point.loc) / point.scale
    return times_if_implemented(point.scale, point.known("mean", name))


def of_variance(point: Point, out, name: str) -> Any:
    """The variance moves with the square of the scale."""
    if name == "loc":
        return ZERO
    if name == "scale":
        return 2 * out / point.scale
    return times_if_implemented(point.scale * point.scale, point.known("var", name))


def of_deviation(point: Point, out, name: str):
    """By the variance, its square."""
    return (
        ZERO
        if name == "loc"
        else times_if_implemented(0.5 / out, of_variance(point, out * out, name))
    )


def of_entropy(point: Point, out, name: str):
    """The entropy moves with the logarithm of the scale."""
    if name == "loc":
        return ZERO
    return 1 / point.scale if name == "scale" else point.known("entropy", name)


Slope = Callable[[Point, Any, str], Any]
OF_ARGUMENT: dict[str, Slope] = {
    "cdf": of_cdf,
    "sf": partial(of_cdf, sign=-1),
    "logcdf": of_log_cdf,
    "logsf": partial(of_log_cdf, sign=-1),
}
CONTINUOUS: dict[str, Slope] = {"logpdf": of_log_density, "pdf": of_density, **OF_ARGUMENT}
QUANTILES: dict[str, Slope] = {"ppf": of_quantile, "isf": partial(of_quantile, sign=-1)}
DISCRETE: dict[str, Slope] = {"logpmf": of_log_density, "pmf": of_density, **OF_ARGUMENT}
OF_PARAMETERS: dict[str, Slope] = {
    "mean": of_mean,
    "var": of_variance,
    "std": of_deviation,
    "entropy": of_entropy,
    "median": of_quantile,
}


# --- The rules ---


def register(primal, of_argument: bool, at_output: bool, slope: Slope) -> None:
    """The rule of a method, from its derivative by each argument that has one.

    Options are those of draws, which `by_position` leaves.
    """

    def distribution_linearised(
        distribution: Distribution, *args: Array | Scalar, out, xp, **options
    ) -> tuple[LinearMap | None, ...]:
        numbers = tuple(map(in_double, args))  # of 200 in uint8, twice as much is 144
        x, parameters = (numbers[0], numbers[1:]) if of_argument else (out, numbers)
        point = Point(distribution, out if at_output else x, parameters, xp)
        names = (*(["x"] if of_argument else []), *shape_names(distribution), "loc", "scale")

        def by_argument(name: str) -> Any:
            return BY_COUNTS if name in point.family.constants else slope(point, out, name)

        pairs = zip(names, args, strict=False)
        return None, *(argument_map(partial(by_argument, name), x, out, xp) for name, x in pairs)

    distribution_linearised.row_of = row_of  # type: ignore[attr-defined]
    linearised_rule(primal)(distribution_linearised)


def row_of(distribution, *args) -> str:
    """The table of the derivatives of a distribution."""
    return FAMILIES[type(distribution)].where if type(distribution) in FAMILIES else ""


def argument_map(slope: Callable[[], Any], x, out, xp) -> LinearMap:
    """The derivative by an argument, which may be zero or not implemented."""

    def push(dot) -> Any:
        found = slope()
        if isinstance(found, AbstractTangent):
            return found
        return strong_product(dot, found) + xp.zeros_like(out)  # in its shape and dtype

    def pull(out_bar) -> Any:
        found = slope()
        if isinstance(found, AbstractTangent):
            return found
        bar = strong_product(out_bar, found)
        return unbroadcast(bar, shape_of(x), xp) if hasattr(bar, "shape") else bar

    return LinearMap(push, pull)


OF_DRAWS = ("size", "random_state")


def by_position(
    distribution, *args, first: str = "", draws: bool = False, **options
) -> tuple[Args, Options]:
    """A call with shapes, location and scale by position, up to the last one that is given."""
    last = ("loc", "scale") if isinstance(distribution, stats.rv_continuous) else ("loc",)
    names = ((first,) if first else ()) + shape_names(distribution) + last
    others = {name: options.pop(name) for name in OF_DRAWS if draws and name in options}
    if draws and len(args) == len(names) + 1 and "size" not in others:
        args, others["size"] = args[:-1], args[-1]
    given = dict(zip(names, args, strict=False))
    given |= {name: options.pop(name) for name in names if name in options and name not in given}
    count = max((names.index(name) + 1 for name in given), default=0)
    values = [given.get(name, 1 if name == "scale" else 0) for name in names[:count]]
    missing = [name for name in names[:count] if name not in given and name not in last]
    if options or missing or len(args) > len(names):
        where = f"scipy.stats.{distribution.name}"
        got = f"got {len(args)} arguments and the options {sorted(options)}"
        instead = f"pass each of its parameters once: {', '.join(names)}"
        raise OptionError(
            where, got, instead, primal=distribution, option=next(iter(options), None), value=args
        )
    return (distribution, *values), others


def declare_methods(cls, methods: dict[str, Slope], first: str, at_output: bool = False) -> None:
    """Register methods of a class, in all their call forms."""
    for name, slope in methods.items():
        primal = getattr(cls, name)
        draws = name == "rvs"
        default_rules.alias(primal, primal, partial(by_position, first=first, draws=draws))
        register(primal, bool(first), at_output or name == "median", slope)
        if not draws:  # of which each of many examples has its own
            # SciPy refuses to compute the entropies of no discrete distributions
            axes_rule(primal, kind="elementwise", takes_arrays=name != "entropy")


declare_methods(stats.rv_continuous, CONTINUOUS, "x")
declare_methods(stats.rv_continuous, QUANTILES, "q", at_output=True)
declare_methods(stats.rv_discrete, DISCRETE, "k")
declare_methods(stats.rv_discrete, QUANTILES, "q", at_output=True)
declare_methods(Distribution, OF_PARAMETERS, "")
declare_methods(Distribution, {"rvs": of_quantile}, "", at_output=True)
non_differentiable(stats.rv_discrete.rvs, constants_only=JUMPS)
# since SciPy 1.18 discrete distributions have methods of their own
for each in (stats.rv_continuous, stats.rv_discrete):
    own = {name for name in OF_PARAMETERS if getattr(each, name) is not getattr(Distribution, name)}
    declare_methods(each, {name: OF_PARAMETERS[name] for name in sorted(own)}, "")
