"""Statistics of many samples at once, along axes that are counted from the end, and densities of
many points.
"""

from functools import partial
from typing import Any

from scipy import special

from chainrules_py import batched
from chainrules_py.batching.along_axes import from_the_end
from chainrules_py.batching.lanes import Lanes, Same, behind_lanes
from chainrules_py.batching.loop import looped
from chainrules_py.rulesets.formulas.known_values import greatest_known
from chainrules_py.rulesets.scipy.lanes_first import lanes_first
from chainrules_py.rulesets.scipy.linalg.batching import lane_is_missing, of_no_stacks
from chainrules_py.rulesets.scipy.stats.module import stats
from chainrules_py.rulesets.scipy.stats.multivariate import NORMAL, STUDENT
from chainrules_py.values.arrays import Array, call, library_of_types, shape_of

# --- Along axes ---


def statistic_in_lanes(options: dict[str, Any], rank: int) -> dict[str, Any]:
    """The option `axis`, counted from the end; None stands for all axes."""
    return {**options, "axis": from_the_end(options.get("axis", 0), rank)}


lanes_first(
    *(stats.gmean, stats.hmean, stats.pmean, stats.sem, stats.variation, stats.moment),
    *(stats.skew, stats.kurtosis, stats.mode),
    change=statistic_in_lanes,
)


# --- Where distributions are ---


@batched.register(stats.rv_continuous.support)  # that of all distributions
def support_batched(lanes: Lanes, distribution, *parameters) -> tuple[Any, Any]:
    """The first and the last point, each the same for all unless it moves with a parameter."""
    own = [(lane, arg) for lane, arg in zip(lanes[1:], parameters, strict=True)]
    rank = max(len(shape_of(arg)) - lane for lane, arg in own)
    aligned = [behind_lanes(arg, rank) if lane else arg for lane, arg in own]
    first, last = call(type(distribution).support, distribution, *aligned)
    return (first if shape_of(first) else Same(first), last if shape_of(last) else Same(last))


# --- Densities of several variables ---


def densities(primal) -> None:
    """Register a density of points with a mean and a matrix.

    Points and means in lanes are points around the origin; matrices in lanes are a loop.
    """

    @batched.register(primal)
    def density_batched(lanes: Lanes, distribution: object, *args, **options):
        x, *parameters = args
        mean = parameters[0] if parameters else None
        size = size_of(mean, parameters[1] if len(parameters) > 1 else 1)
        of_x, of_mean, *beside = (*lanes[1:], False)[:2] + lanes[3:]
        run = partial(call, primal)
        if lane_is_missing(lanes[1:], args):
            return of_no_stacks(primal, run, lanes, (distribution, *args), options)
        rank = len(shape_of(x)) - of_x
        if any(beside) or size is None or rank < 1 or (rank == 1 and size == 1):
            return looped(run, lanes, (distribution, *args), options)
        xp = library_of_types((type(x), type(mean))).namespace
        away = x
        if mean is not None:
            own = behind_lanes(x, rank) if of_x else x
            away = own - (behind_lanes(mean, rank) if of_mean else mean)
        rows = away.reshape((-1, size))
        y = call(primal, distribution, rows, xp.zeros(size), *parameters[1:], **options)
        return xp.asarray(y).reshape(away.shape[:-1])


def size_of(mean, matrix) -> int | None:
    """How many variables there are, told by the matrix; None where it does not tell."""
    shape = shape_of(matrix)
    return shape[-1] if shape else None


for _name in ("pdf", "logpdf"):
    densities(getattr(NORMAL, _name))
    densities(getattr(STUDENT, _name))


def probabilities(primal) -> None:
    """Register a probability of counts, whose arguments broadcast before the last axis."""

    @batched.register(primal)
    def probability_batched(lanes: Lanes, distribution: object, *args):
        x, n, p = args
        ranks = [
            len(shape_of(arg)) - lane - core
            for lane, arg, core in zip(lanes[1:], args, (1, 0, 1), strict=True)
        ]
        counts = [arg.shape[0] for lane, arg in zip(lanes[1:], args, strict=True) if lane]
        if min(ranks) < 0 or not counts[0]:
            return looped(partial(call, primal), lanes, (distribution, *args), {})
        most = max(ranks)
        aligned = [
            behind_lanes(arg, most + core) if lane else arg
            for lane, arg, core in zip(lanes[1:], args, (1, 0, 1), strict=True)
        ]
        y = call(primal, distribution, *aligned)
        return y if shape_of(y) else y.reshape((1,))


for _name in ("pmf", "logpmf"):
    probabilities(getattr(type(stats.multinomial), _name))


def dirichlet_densities(name: str) -> None:
    """Register a density of Dirichlet's distribution.

    SciPy takes the parameters of one example, so that its formula stands here. What SciPy refuses,
    the loop lets it refuse.
    """
    primal = getattr(type(stats.dirichlet), name)

    @batched.register(primal)
    def dirichlet_batched(lanes: Lanes, distribution: object, x: Array, alpha: Array):
        points: Any = x if lanes[1] else x[None]
        alphas: Any = alpha if lanes[2] else alpha[None]
        shape, size = shape_of(points), shape_of(alphas)[-1]
        is_known = len(shape_of(alphas)) == 2 and len(shape) in (2, 3)
        if not is_known or shape[1] not in (size, size - 1) or not size:
            return looped(partial(call, primal), lanes, (distribution, x, alpha), {})

        xp = library_of_types((type(x), type(alpha))).namespace
        if shape[1] < size:
            last = 1 - xp.sum(points, axis=1, keepdims=True)
            points = xp.concatenate([points, last], axis=1)
        alphas = alphas.reshape((alphas.shape[0], size) + (1,) * (len(shape) - 2))
        is_inside = (points > 0) | ((points == 0) & (alphas >= 1))
        is_whole = xp.abs(xp.sum(points, axis=1) - 1) <= 1e-9
        is_taken = xp.all(is_inside & (points <= 1)) & xp.all(is_whole) & xp.all(alphas > 0)
        if not greatest_known(is_taken):
            return looped(partial(call, primal), lanes, (distribution, x, alpha), {})

        of_gammas = xp.sum(call(special.gammaln, alphas), axis=1)
        constant = call(special.gammaln, xp.sum(alphas, axis=1)) - of_gammas
        y = constant + xp.sum(call(special.xlogy, alphas - 1, points), axis=1)
        y = y.reshape((y.shape[0], *[length for length in y.shape[1:] if length != 1]))
        return y if name == "logpdf" else xp.exp(y)


for _name in ("pdf", "logpdf"):
    dirichlet_densities(_name)
