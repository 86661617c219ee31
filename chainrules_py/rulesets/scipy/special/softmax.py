"""Sums of exponentials along axes: logsumexp, softmax, log_softmax."""

from functools import partial
from typing import Any

from scipy import special

from chainrules_py import batched
from chainrules_py.batching.along_axes import from_the_end
from chainrules_py.batching.lanes import Lanes, behind_lanes
from chainrules_py.batching.loop import looped
from chainrules_py.makers import LinearMap, axes_rule, linearised_rule
from chainrules_py.projection import ProjectTo, Space
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.reducing import restore_axes
from chainrules_py.rulesets.reductions.statistics import first_of_two
from chainrules_py.values.arrays import Array, Scalar, call, shape_of


@linearised_rule(special.logsumexp)
def logsumexp_linearised(
    a: Array | Scalar,
    axis: object = None,
    b: Array | Scalar | None = None,
    *,
    keepdims: bool = False,
    return_sign: bool = False,
    out: Any,
    xp: Any,
) -> tuple[LinearMap, None, LinearMap | None]:
    """Entries count by their share in the sum, of which the logarithm and the sign are given."""
    out, sign = out if return_sign else (out, None)
    terms, factors = xp.asarray(a), xp.asarray(1.0 if b is None else b)
    whole = ProjectTo(terms + factors)
    out = restore_axes(out, whole, axis, keepdims, xp)
    sign = restore_axes(sign, whole, axis, keepdims, xp) if return_sign else 1.0
    shares = sign * xp.exp(terms - xp.where(xp.isfinite(out), out, 0))

    def weighted(weights: Any, own: Space) -> LinearMap:
        def pushforward(dot: Any) -> Any:
            return xp.sum(xp.broadcast_to(weights * dot, whole.shape), axis=axis, keepdims=keepdims)

        def pullback(out_bar: Any) -> Any:
            bar = xp.conj(weights) * restore_axes(out_bar, whole, axis, keepdims, xp)
            return unbroadcast(xp.broadcast_to(bar, whole.shape), own.shape, xp)

        linear = LinearMap(pushforward, pullback)
        return first_of_two(linear) if return_sign else linear

    of_terms = weighted(shares * factors, ProjectTo(terms))
    return of_terms, None, None if b is None else weighted(shares, ProjectTo(factors))


@batched.register(special.logsumexp)
def logsumexp_batched(lanes: Lanes, a: object, *others: object, **options: Any) -> Any:
    """Terms and factors broadcast behind the lanes, and axes are counted from the end."""
    axis, b = (*others, None, None)[:2]
    of_terms, of_factors = lanes[0], lanes[2:] == (True,)
    rank = max(getattr(a, "ndim", 0) - of_terms, getattr(b, "ndim", 0) - of_factors)
    terms = behind_lanes(a, rank) if of_terms else a
    factors = behind_lanes(b, rank) if of_factors else b
    if 0 in (shape_of(terms) or shape_of(factors))[:1]:  # of nothing, SciPy knows no axes
        return looped(partial(call, special.logsumexp), lanes, (a, *others), options)
    return call(special.logsumexp, terms, from_the_end(axis, rank), factors, **options)


axes_rule(special.softmax, special.log_softmax, kind="mixes")


@linearised_rule(special.softmax)
def softmax_linearised(x: Array | Scalar, *, axis: Any = None, out: Any, xp: Any) -> LinearMap:
    """out (x_dot - sum out x_dot), which is its own adjoint."""

    def around_mean(change: Any) -> Any:
        return out * (change - xp.sum(out * change, axis=axis, keepdims=True))

    return LinearMap(around_mean, around_mean)


@linearised_rule(special.log_softmax)
def log_softmax_linearised(x: Array | Scalar, *, axis: Any = None, out: Any, xp: Any) -> LinearMap:
    """x_dot - sum softmax x_dot."""
    shares = xp.exp(out)
    return LinearMap(
        lambda x_dot: x_dot - xp.sum(shares * x_dot, axis=axis, keepdims=True),
        lambda y_bar: y_bar - shares * xp.sum(y_bar, axis=axis, keepdims=True),
    )
