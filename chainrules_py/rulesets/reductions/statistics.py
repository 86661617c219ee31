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
    composed,
    is_zero,
    linearised_rule,
)
from chainrules_py.annotations import Function
from chainrules_py.makers import Linearised
from chainrules_py.rulesets.formulas.array_likes import ArrayLike, one_of_several
from chainrules_py.rulesets.formulas.known_values import any_at_hand
from chainrules_py.rulesets.formulas.reducing import (
    count_of,
    given,
    mask_of,
    masked,
    reduced_axes,
    restore_axes,
    weighted_sum,
)
from chainrules_py.rulesets.reductions.reductions import every_entry, not_nan


def over_positive(x, y, xp) -> Any:
    """x / y for positive y, else 0; the square of a reciprocal of y may be out of range."""
    return xp.where(y > 0, x / xp.where(y > 0, y, 1), 0)


def variance_weights(a, axis, ddof, where, mean, xp) -> Any:
    """conj(a - mean) / (n - ddof); 0 where too few entries are left to have a variance.

    That the mean moves with the entries changes nothing: the deviations from it sum to zero. From a
    mean in half precision, which is rounded, they do not.
    """
    if a.dtype == np.float16:
        a = a.astype(np.float32)
    if mean is None:
        mean = xp.mean(a, axis=axis, keepdims=True, **given(where=where))
    freedom = count_of(ProjectTo(a), axis, where, xp) - ddof
    if isinstance(freedom, int):  # as nearly always: six operations of NumPy's less
        return masked(xp.conj(a - mean), where, xp) * (1 / freedom if freedom > 0 else 0.0)
    return over_positive(masked(xp.conj(a - mean), where, xp), freedom, xp)


def centre_in(dtype, a, axis, where, mean, xp) -> Any:
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


def real_weighted_sum(weights: Callable[[], Any], x: Space, axis, keepdims: bool, xp) -> LinearMap:
    """A weighted sum of which the output is the real part, also where its dtype is complex."""
    total = weighted_sum(weights, x, axis, keepdims, xp)
    return LinearMap(
        lambda x_dot: xp.real(total.push(x_dot)), lambda y_bar: total.pull(xp.real(y_bar))
    )


def degrees(ddof, correction) -> Any:
    """The degrees of freedom to subtract: `ddof`, which the array API names `correction`."""
    found = ddof if correction is None else correction
    if isinstance(found, complex | np.ndarray) and np.iscomplexobj(found):
        refuse_complex("ddof", found, "pass a real number")
    return found


def refuse_complex(option: str, value, instead: str) -> NoReturn:
    """Raise for an option that makes a variance complex, or that NumPy casts to real numbers."""
    raise OptionError(
        "a variance",
        f"got the complex {option}={value!r}",
        instead,
        primal=None,
        option=option,
        value=value,
    )


def varying(a, y, axis, ddof, keepdims: bool, where, mean, xp) -> LinearMap:
    """The derivative of the variance `y`."""

    def weights():
        return 2 * variance_weights(a, axis, ddof, where, mean, xp)

    return real_weighted_sum(weights, ProjectTo(a), axis, keepdims, xp)


def deviating(a, y, axis, ddof, keepdims: bool, where, mean, xp) -> LinearMap:
    """The derivative of the standard deviation `y`.

    It is that of the variance over 2 y, and 0 where y is 0.
    """
    spec = ProjectTo(a)

    def weights():
        deviation = xp.real(restore_axes(y, spec, axis, keepdims, xp))
        return over_positive(variance_weights(a, axis, ddof, where, mean, xp), deviation, xp)

    return real_weighted_sum(weights, spec, axis, keepdims, xp)


def variance_rule(primal, derivative: Callable[..., LinearMap], counted: Function) -> None:
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
        xp,
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


@composed(np.average)
def average(
    a: Array | Scalar,
    axis: object = None,
    weights: ArrayLike | None = None,
    *,
    returned: bool = False,
    keepdims: Any = False,
    xp,
):
    """sum(w a) / sum(w)."""
    keep = keepdims is not np._NoValue and bool(keepdims)
    if weights is None:
        y = xp.mean(a, axis=axis, keepdims=keep)
        if not returned:
            return y
        counts = xp.full_like(y, a.size // max(y.size, 1))
        return y, counts if y.ndim else counts[()]  # numbers beside a number

    w = aligned_weights(weights, a.shape, axis, xp)
    dtype = np.result_type(a.dtype, w.dtype, *(["f8"] if a.dtype.kind in "biu" else []))
    total = xp.sum(w, axis=axis, keepdims=keep, dtype=dtype)
    if any_at_hand(total == 0.0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    y = xp.sum(a.astype(dtype) * w.astype(dtype), axis=axis, keepdims=keep) / total
    if not returned:
        return y
    return y, total if total.shape == y.shape else xp.copy(xp.broadcast_to(total, y.shape))


def aligned_weights(weights, shape: tuple[int, ...], axis, xp) -> Any:
    """Weights with an axis for each of an array of this shape; those along some axes go there."""
    if weights.shape == shape:
        return weights
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    axes = reduced_axes(axis, len(shape))
    if weights.shape != tuple([shape[k] for k in axes]):
        raise ValueError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    order = sorted(range(len(axes)), key=axes.__getitem__)
    own = tuple(length if k in axes else 1 for k, length in enumerate(shape))
    return xp.reshape(xp.transpose(weights, order), own)


def first_of_two(linear: LinearMap) -> LinearMap:
    """A map to the first of two outputs, of which the second does not move."""
    return one_of_several(linear, 0, 2)


def both(first: LinearMap, second: LinearMap) -> LinearMap:
    """Two maps as one to two outputs."""

    def pull(y_bar) -> Any:
        pairs = zip((first, second), y_bar, strict=True)
        return sum((linear.pull(bar) for linear, bar in pairs if not is_zero(bar)), start=ZERO)

    return LinearMap(lambda dot: (first.push(dot), second.push(dot)), pull)
