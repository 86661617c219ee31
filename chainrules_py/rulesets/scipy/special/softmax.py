"""Sums of exponentials along axes: logsumexp, softmax, log_softmax."""

from typing import Any

from scipy import special

from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.projection import ProjectTo, Space
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.reducing import restore_axes
from chainrules_py.rulesets.reductions.statistics import first_of_two
from chainrules_py.values.arrays import Array, Scalar


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
