"""Sums of exponentials along axes: logsumexp, softmax, log_softmax."""

from functools import partial
from typing import Any

import numpy as np
from scipy import special

from chainrules_py import batched
from chainrules_py.batching.along_axes import from_the_end
from chainrules_py.batching.lanes import Lanes, behind_lanes
from chainrules_py.batching.loop import looped
from chainrules_py.makers import LinearMap, axes_rule, linearised_rule
from chainrules_py.makers.products import is_handle, selected_product
from chainrules_py.projection import ProjectTo, Space
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.reducing import restore_axes
from chainrules_py.rulesets.reductions.statistics import both, first_of_two
from chainrules_py.values.arrays import Array, Scalar, call, shape_of


@linearised_rule(special.logsumexp)
def logsumexp_linearised(
    a: Array | Scalar,
    axis: object = None,
    b: Array | Scalar | None = None,
    *,
    keepdims: bool = False,
    return_sign: bool = False,
    out,
    needs: tuple[bool, ...],
    xp,
) -> tuple[LinearMap, None, LinearMap | None]:
    """Entries count by their share in the sum, of which the logarithm and the sign are given.

    With the shares w: out_dot = sum w a_dot. Of complex entries `return_sign` gives the real part
    of that, and a sign that moves: sign_dot = i Im(sum w a_dot) sign. What has a factor of zero is
    left out, however large it is.
    """
    out, given_sign = out if return_sign else (out, 1.0)
    terms, factors = xp.asarray(a), xp.asarray(1.0 if b is None else b)
    whole = ProjectTo(terms + factors)
    out = restore_axes(out, whole, axis, keepdims, xp)
    sign: Any = restore_axes(given_sign, whole, axis, keepdims, xp) if return_sign else 1.0
    turns = return_sign and sign.dtype.kind == "c"
    counted = terms
    if b is not None and not needs[2] and not is_handle(factors):
        counted = xp.where(factors == 0, -np.inf, terms)  # its exponential may overflow
    finite, of_nothing = xp.isfinite(out), xp.real(out) == -np.inf
    # infinite terms share equally; the logarithm of 0 stays one, whatever is added to its terms
    attained = counted == out
    shares = xp.where(finite, xp.exp(counted - xp.where(finite, out, 0)), attained)
    shares = xp.where(of_nothing, xp.where(attained, 0 * shares, np.inf), shares)
    # rounding of a large logarithm is one factor of all
    total = xp.sum(selected_product(shares, factors), axis=axis, keepdims=True)
    shares = shares / xp.where((total == 0) | of_nothing, 1, total)

    def weighted(weights, own: Space) -> LinearMap:
        def pushforward(dot):
            return xp.sum(xp.broadcast_to(weights * dot, whole.shape), axis=axis, keepdims=keepdims)

        def pullback(out_bar):
            bar = xp.conj(weights) * restore_axes(out_bar, whole, axis, keepdims, xp)
            return unbroadcast(xp.broadcast_to(bar, whole.shape), own.shape, xp)

        linear = LinearMap(pushforward, pullback)
        if turns:
            return length_and_sign(linear, given_sign, xp)
        return first_of_two(linear) if return_sign else linear

    of_terms = weighted(selected_product(shares, factors), ProjectTo(terms))
    return of_terms, None, None if b is None else weighted(shares, ProjectTo(factors))


def length_and_sign(of_logarithm: LinearMap, sign, xp) -> LinearMap:
    """From the map to a complex logarithm, that to its real part and to the sign."""
    of_length = LinearMap(lambda dot: xp.real(of_logarithm.push(dot)), of_logarithm.pull)
    of_sign = LinearMap(
        lambda dot: 1j * xp.imag(of_logarithm.push(dot)) * sign,
        lambda bar: of_logarithm.pull(1j * xp.imag(xp.conj(sign) * bar)),
    )
    return both(of_length, of_sign)


@batched.register(special.logsumexp)
def logsumexp_batched(lanes: Lanes, a: object, *others: object, **options):
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


def less_mean(change, shares, axis, xp) -> Any:
    """change - sum shares change, in differences from the change of what has nearly the whole share:
    1 - share has no digits.
    """
    common = xp.sum(xp.where(dominates(shares), change, 0), axis=axis, keepdims=True)
    return change - common - xp.sum(shares * (change - common), axis=axis, keepdims=True)


def dominates(shares) -> Any:
    """Which entry has more than half of the whole; none of complex numbers."""
    return shares > (np.inf if shares.dtype.kind == "c" else 0.5)


@linearised_rule(special.softmax)
def softmax_linearised(x: Array | Scalar, *, axis: Any = None, out, xp) -> LinearMap:
    """out (x_dot - sum out x_dot), whose adjoint is that of the conjugate."""
    return LinearMap(
        lambda x_dot: out * less_mean(x_dot, out, axis, xp),
        lambda y_bar: xp.conj(out) * less_mean(y_bar, xp.conj(out), axis, xp),
    )


@linearised_rule(special.log_softmax)
def log_softmax_linearised(x: Array | Scalar, *, axis: Any = None, out, xp) -> LinearMap:
    """x_dot - sum softmax x_dot."""
    shares = xp.exp(out)

    def log_softmax_pullback(y_bar):
        x_bar = y_bar - xp.conj(shares) * xp.sum(y_bar, axis=axis, keepdims=True)
        first = dominates(shares)  # all cotangents together are zero
        others = xp.sum(xp.where(first, 0, x_bar), axis=axis, keepdims=True)
        return xp.where(first, -others, x_bar)

    return LinearMap(lambda x_dot: less_mean(x_dot, shares, axis, xp), log_softmax_pullback)
