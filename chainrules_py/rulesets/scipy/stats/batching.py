"""Statistics of many samples at once, along axes that are counted from the end, and densities of
many points.
"""

from functools import partial
from typing import Any

from chainrules_py import batched
from chainrules_py.batching.along_axes import from_the_end
from chainrules_py.batching.lanes import Lanes, Same, behind_lanes
from chainrules_py.batching.loop import looped
from chainrules_py.rulesets.scipy.lanes_first import lanes_first
from chainrules_py.rulesets.scipy.stats.module import stats
from chainrules_py.values.arrays import call, shape_of

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


# --- Probabilities of several counts ---


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
