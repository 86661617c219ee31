"""Variances, weighted averages and covariances."""

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from chainrules_py import (
    ZERO,
    Array,
    LinearMap,
    OptionError,
    ProjectTo,
    Scalar,
    Space,
    is_zero,
    linearised_rule,
)
from chainrules_py.makers import Linearised
from chainrules_py.projection import unbroadcast
from chainrules_py.rulesets.formulas.array_likes import one_of_several
from chainrules_py.rulesets.formulas.reducing import (
    count_of,
    given,
    mask_of,
    masked,
    reduced_axes,
    restore_axes,
    weighted_sum,
)
from chainrules_py.rulesets.reductions.reductions import averaging, every_entry, not_nan
from chainrules_py.values.arrays import shape_of


def reciprocal_or_zero(x: Any, xp: Any) -> Any:
    """1 / x for positive x, else 0: a strong zero for what multiplies it."""
    return xp.where(x > 0, 1 / xp.where(x > 0, x, 1), 0)


def variance_weights(a: Any, axis: Any, ddof: Any, where: Any, mean: Any, xp: Any) -> Any:
    """conj(a - mean) / (n - ddof); 0 where too few entries are left to have a variance.

    That the mean moves with the entries changes nothing: the deviations from it sum to zero.
    """
    if mean is None:
        mean = xp.mean(a, axis=axis, keepdims=True, **given(where=where))
    freedom = count_of(ProjectTo(a), axis, where, xp) - ddof
    if isinstance(freedom, int):  # as nearly always: six operations of NumPy's less
        return masked(xp.conj(a - mean), where, xp) * (1 / freedom if freedom > 0 else 0.0)
    freedom = xp.maximum(freedom, 0)
    return masked(xp.conj(a - mean), where, xp) * reciprocal_or_zero(freedom, xp)


def centre_in(dtype: Any, a: Any, axis: Any, where: Any, mean: Any, xp: Any) -> Any:
    """The mean from which a variance is taken, or None where it is that of the entries.

    NumPy takes the real part of the mean of complex entries in a real dtype.
    """
    is_complex = xp.iscomplexobj(a)
    if mean is not None:
        if xp.iscomplexobj(mean) and not is_complex:
            refuse_complex("mean", mean, "pass the mean of these real entries")
        return mean
    if is_complex and dtype is not None and np.dtype(dtype).kind in "fiu":
        return xp.real(xp.mean(a, axis=axis, keepdims=True, **given(where=where)))
    return None


def real_weighted_sum(
    weights: Callable[[], Any], x: Space, axis: Any, keepdims: bool, xp: Any
) -> LinearMap:
    """A weighted sum of which the output is the real part, also where its dtype is complex."""
    total = weighted_sum(weights, x, axis, keepdims, xp)
    return LinearMap(
        lambda x_dot: xp.real(total.push(x_dot)), lambda y_bar: total.pull(xp.real(y_bar))
    )


def degrees(ddof: Any, correction: Any) -> Any:
    """The degrees of freedom to subtract: `ddof`, which the array API names `correction`."""
    found = ddof if correction is None else correction
    if isinstance(found, complex | np.ndarray) and np.iscomplexobj(found):
        refuse_complex("ddof", found, "pass a real number")
    return found


def refuse_complex(option: str, value: Any, instead: str) -> NoReturn:
    """Raise for an option that makes a variance complex, or that NumPy casts to real numbers."""
    raise OptionError(
        "a variance",
        f"got the complex {option}={value!r}",
        instead,
        primal=None,
        option=option,
        value=value,
    )


def varying(
    a: Any, y: Any, axis: Any, ddof: Any, keepdims: bool, where: Any, mean: Any, xp: Any
) -> LinearMap:
    """The derivative of the variance `y`."""

    def weights() -> Any:
        return 2 * variance_weights(a, axis, ddof, where, mean, xp)

    return real_weighted_sum(weights, ProjectTo(a), axis, keepdims, xp)


def deviating(
    a: Any, y: Any, axis: Any, ddof: Any, keepdims: bool, where: Any, mean: Any, xp: Any
) -> LinearMap:
    """The derivative of the standard deviation `y`.

    It is that of the variance over 2 y, and 0 where y is 0.
    """
    spec = ProjectTo(a)

    def weights() -> Any:
        return variance_weights(a, axis, ddof, where, mean, xp) * reciprocal_or_zero(
            xp.real(restore_axes(y, spec, axis, keepdims, xp)), xp
        )

    return real_weighted_sum(weights, spec, axis, keepdims, xp)


def variance_rule(
    primal: Any, derivative: Callable[..., LinearMap], counted: Callable[..., Any]
) -> None:
    """Register the rule of a variance or standard deviation.

    `counted` makes the mask of the entries that count: all of them, or all but nan.
    """
    name = primal.__name__

    @linearised_rule(primal)
    def variance_linearised(
        a: Array | Scalar,
        *,
        axis: Any = None,
        dtype: Any = None,
        ddof: Any = 0,
        keepdims: bool = False,
        where: Any = True,
        mean: Any = None,
        correction: Any = None,
        xp: Any,
    ) -> Linearised:
        ddof, where = degrees(ddof, correction), mask_of(where, xp)
        y = getattr(xp, name)(
            a, axis=axis, ddof=ddof, keepdims=keepdims, **given(dtype=dtype, where=where, mean=mean)
        )
        counting = counted(a, where, xp)
        centre = centre_in(dtype, a, axis, counting, mean, xp)
        return y, derivative(a, y, axis, ddof, keepdims, counting, centre, xp)


for _primal, _derivative, _counted in (
    (np.var, varying, every_entry),
    (np.nanvar, varying, not_nan),
    (np.std, deviating, every_entry),
    (np.nanstd, deviating, not_nan),
):
    variance_rule(_primal, _derivative, _counted)


def aligned(weights: Any, a: Space, axis: Any, xp: Any) -> Any:
    """Weights with one axis per axis of `a`.

    Those along some axes only are put there, in that order.
    """
    if shape_of(weights) == a.shape:
        return weights
    axes = reduced_axes(axis, a.ndim)
    ordered = xp.transpose(weights, tuple(sorted(range(len(axes)), key=axes.__getitem__)))
    return xp.reshape(ordered, _shape_of_aligned(a, axis))


def unaligned(aligned_bar: Any, weights: Space, axis: Any, ndim: int, xp: Any) -> Any:
    """The adjoint of `aligned`."""
    if aligned_bar.shape == weights.shape:
        return aligned_bar
    axes = reduced_axes(axis, ndim)
    order = sorted(range(len(axes)), key=axes.__getitem__)
    ordered = xp.reshape(aligned_bar, tuple(weights.shape[i] for i in order))
    return xp.transpose(ordered, tuple(sorted(range(len(axes)), key=order.__getitem__)))


@linearised_rule(np.average)
def average_linearised(
    a: Array | Scalar,
    axis: object = None,
    weights: Array | Scalar | None = None,
    *,
    returned: bool = False,
    keepdims: bool = False,
    xp: Any,
) -> Linearised:
    """y = sum(w a) / sum(w): linear in a; w_dot moves it by (a - y) / sum(w)."""
    spec, weights_spec = ProjectTo(a), ProjectTo(weights)
    found = xp.average(a, axis=axis, weights=weights, returned=returned, keepdims=keepdims)
    y = found[0] if returned else found
    if weights is None:
        of_entries = averaging(spec, axis, keepdims, None, xp)
        return found, first_of_two(of_entries) if returned else of_entries, None, None
    w = xp.broadcast_to(aligned(weights, spec, axis, xp), spec.shape)
    total = xp.sum(w, axis=axis, keepdims=True)

    def summed_with(factors: Callable[[], Any]) -> LinearMap:
        return weighted_sum(factors, spec, axis, keepdims, xp)

    def deviations() -> Any:
        return (a - restore_axes(y, spec, axis, keepdims, xp)) / total

    of_entries = summed_with(lambda: w / total)
    of_weights = in_weights(summed_with(deviations), weights_spec, spec, axis, xp)
    if not returned:
        return found, of_entries, None, of_weights
    of_total = in_weights(summed_with(lambda: xp.ones_like(w)), weights_spec, spec, axis, xp)
    return found, first_of_two(of_entries), None, both(of_weights, of_total)


def in_weights(linear: LinearMap, weights: Space, spec: Space, axis: Any, xp: Any) -> LinearMap:
    """A linear map of one weight per entry as one of the weights that were given."""

    def weights_pullback(y_bar: Any) -> Any:
        shape = spec.shape if weights.shape == spec.shape else _shape_of_aligned(spec, axis)
        return unaligned(unbroadcast(linear.pull(y_bar), shape, xp), weights, axis, spec.ndim, xp)

    return LinearMap(
        lambda w_dot: linear.push(xp.broadcast_to(aligned(w_dot, spec, axis, xp), spec.shape)),
        weights_pullback,
    )


def _shape_of_aligned(spec: Space, axis: Any) -> tuple[int, ...]:
    axes = reduced_axes(axis, spec.ndim)
    return tuple(length if i in axes else 1 for i, length in enumerate(spec.shape))


def first_of_two(linear: LinearMap) -> LinearMap:
    """A map to the first of two outputs, of which the second does not move."""
    return one_of_several(linear, 0, 2)


def both(first: LinearMap, second: LinearMap) -> LinearMap:
    """Two maps as one to two outputs."""

    def pull(y_bar: Any) -> Any:
        pairs = zip((first, second), y_bar, strict=True)
        return sum((linear.pull(bar) for linear, bar in pairs if not is_zero(bar)), start=ZERO)

    return LinearMap(lambda dot: (first.push(dot), second.push(dot)), pull)
