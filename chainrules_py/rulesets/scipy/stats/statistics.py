"""Statistics of samples: one number per row."""

from collections.abc import Callable
from math import log
from typing import Any

import numpy as np
from scipy import special

from chainrules_py import composed
from chainrules_py.errors import OptionError
from chainrules_py.makers import LinearMap, linearised_rule, non_differentiable
from chainrules_py.projection import ProjectTo
from chainrules_py.rulesets.formulas.array_likes import ArrayLike, one_of_several
from chainrules_py.rulesets.formulas.known_values import any_at_hand
from chainrules_py.rulesets.formulas.reducing import (
    reduced_axes,
    restore_axes,
    weighted_sum,
)
from chainrules_py.rulesets.formulas.without_cancellation import root_flat_at_zero
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.rulesets.scipy.stats.module import stats
from chainrules_py.values.arrays import Array, call


def require_rows(a, axis) -> None:
    """Raise for complex numbers, and for axes that SciPy's functions read differently."""
    if a.dtype.kind == "c":
        raise TypeError(
            "scipy.stats: got complex numbers, whose statistics have no rule; pass real and"
            " imaginary parts, or write the statistic in NumPy's functions"
        )
    if axis == ():
        raise ValueError(
            "scipy.stats: got axis=(), which some functions take for all entries and others do"
            " not; write axis=None for all entries"
        )


Statistic = Callable[[Any, Options], Any]


class Rows:
    """The rows of an array along an axis, with the weights of its entries.

    Where entries are `missing`, they count in no sum, and stand as 1 in `a`.
    """

    def __init__(self, a, options: Options, xp) -> None:
        self.axis = options.axis if a.ndim else None  # of a number, SciPy takes the axis 0
        self.a, self.xp, weights = a, xp, options.get("weights")
        self.weights = 1.0 if weights is None else weights
        self.missing = missing_in(options.nan_policy, xp, a, self.weights)
        if self.missing is not None:
            self.a = xp.where(self.missing, 1, a)
        self.count = self.total(xp.ones(a.shape))

    def total(self, values) -> Any:
        """The weighted sum of each row, with the axis at length one."""
        values = self.weights * values
        if self.missing is not None:
            values = self.xp.where(self.missing, 0, values)
        return self.xp.sum(values, axis=self.axis, keepdims=True)

    def mean(self, values) -> Any:
        """The weighted mean of each row, with the axis at length one."""
        return self.total(values) / self.count

    def away(self) -> Any:
        """The distances of entries from the mean of their row."""
        return self.a - self.mean(self.a)

    def deviation(self, ddof) -> Any:
        """The standard deviation of each row, which does not move where all entries are equal."""
        away = self.away()
        square = self.total(away * away) / (self.count - ddof)
        return root_flat_at_zero(square, self.xp)

    def moments(self, order: int) -> tuple[Any, Any]:
        """The variance, nan where entries are equal, and the mean of a power of the differences."""
        away = self.away()
        square = self.mean(away * away)
        equal = square <= (np.finfo(square.dtype).eps * self.mean(self.a)) ** 2
        return self.xp.where(equal, np.nan, square), self.mean(away**order)


def missing_in(policy: str, xp, *arrays) -> Any:
    """The places where some array is nan, if the option `nan_policy` omits them; else None."""
    if policy != "omit":
        return None
    first, *others = [xp.isnan(a) for a in arrays]
    return sum(others, first)


def statistic(function, names: str) -> Callable[[Statistic], Statistic]:
    """Decorator: the function is the body of a statistic, given the rows and the options.

    `names` are its options beside `axis`, `keepdims` and `nan_policy`.
    """

    def declare(body: Statistic) -> Statistic:
        @with_options(function, f"axis keepdims nan_policy {names}", composed)
        def statistic_of_rows(a: Array, *, options: Options, xp) -> Any:
            require_rows(a, options.axis)
            require_no_nan(function.__name__, options.nan_policy, a)
            rows = Rows(a, options, xp)
            dtype = np.result_type(a.dtype, getattr(rows.weights, "dtype", rows.weights))
            y = body(rows, options).astype(dtype)
            return y if options.keepdims else xp.squeeze(y, reduced_axes(rows.axis, a.ndim))[()]

        return body

    return declare


def zeros_apart(rows: Rows) -> tuple[Any, Any, Any]:
    """The share of the entries that are zero, the mean of these and zeros, or 1 where there are none,
    and the entries with 1 in their place.
    """
    is_zero, xp = rows.a == 0, rows.xp
    share = rows.mean(is_zero)
    zero = xp.where(share == 0, 1, rows.mean(xp.where(is_zero, rows.a, 0)))
    return share, zero, xp.where(is_zero, 1, rows.a)


@statistic(stats.gmean, "weights")
def gmean(rows: Rows, options: Options):
    """The exponential of the mean of logarithms; zeros give zero, with an infinite slope."""
    share, zero, others = zeros_apart(rows)
    return zero**share * rows.xp.exp(rows.mean(rows.xp.log(others)))


@statistic(stats.hmean, "weights")
def hmean(rows: Rows, options: Options):
    """One over the mean of the reciprocals, times that of the zeros."""
    share, zero, others = zeros_apart(rows)
    return zero / (share * share + zero * (rows.mean(1 / others) - share))


@statistic(stats.pmean, "p weights")
def pmean(rows: Rows, options: Options):
    """The mean of powers, or of logarithms where p is 0."""
    if options.p == 0:
        return gmean(rows, options)
    return rows.mean(rows.a ** (1.0 * options.p)) ** (1 / options.p)


@statistic(stats.sem, "ddof")
def sem(rows: Rows, options: Options):
    """The deviation over the root of the length."""
    return rows.deviation(options.ddof) / rows.count**0.5


@statistic(stats.variation, "ddof")
def variation(rows: Rows, options: Options):
    """The deviation over the mean."""
    return rows.deviation(options.ddof) / rows.mean(rows.a)


@statistic(stats.moment, "order center")
def moment(rows: Rows, options: Options):
    """The mean of powers of the distances of entries from their mean, or from a number."""
    order, center = options.order, options.center
    if np.ndim(order):
        raise OptionError(
            "scipy.stats.moment",
            f"order={order!r}",
            "call it for each order",
            primal=stats.moment,
            option="order",
            value=order,
        )
    if center is not None:
        return rows.mean((rows.a - center) ** order)
    if order == 1:
        return 0 * rows.mean(rows.a)  # without rounding, as in SciPy
    return rows.mean(rows.away() ** order)


@statistic(stats.skew, "bias")
def skew(rows: Rows, options: Options):
    """The third moment over the third power of the deviation."""
    square, cube = rows.moments(3)
    found, n = cube / square**1.5, rows.count
    if options.bias:
        return found
    is_long = n > 2  # others have their bias, as in SciPy
    return found * rows.xp.where(
        is_long, (n * (n - 1)) ** 0.5 / rows.xp.where(is_long, n - 2, 1), 1
    )


@statistic(stats.kurtosis, "fisher bias")
def kurtosis(rows: Rows, options: Options):
    """The fourth moment over the square of the variance, and, without bias, linear in that."""
    square, fourth = rows.moments(4)
    found, n = fourth / square**2 - 3.0, rows.count
    if not options.bias:
        is_long = n > 3
        freedom = rows.xp.where(is_long, (n - 2) * (n - 3), 1)
        found = rows.xp.where(is_long, (n - 1) / freedom * ((n + 1) * found + 6.0), found)
    return found if options.fisher else found + 3.0


@composed(stats.zscore)
def zscore(a: Array, *, axis: int | None = 0, ddof: int = 0, nan_policy: str = "propagate", xp):
    """The distances of entries from their mean, in units of the deviation; nan if all are equal."""
    require_no_nan("zscore", nan_policy, a)
    mean_of, variance_of = (xp.nanmean, xp.nanvar) if nan_policy == "omit" else (xp.mean, xp.var)
    mean = mean_of(a, axis=axis, keepdims=True)
    deviation = xp.sqrt(variance_of(a, axis=axis, ddof=ddof, keepdims=True))
    z = (a - mean) / deviation
    equal = deviation <= np.finfo(z.dtype).eps * xp.abs(mean)
    return xp.where(equal, np.nan, z)


@composed(stats.entropy)
def entropy(
    pk: ArrayLike,
    qk: ArrayLike | None = None,
    *,
    base: float | None = None,
    axis: int | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
    xp,
):
    """-sum p log p, or sum p log(p / q), of numbers that are divided by their sums first."""
    given = [xp.asarray(x) for x in (pk, qk) if x is not None]
    require_no_nan("entropy", nan_policy, *given)
    missing = missing_in(nan_policy, xp, *given)

    def shares(x) -> Any:
        x = xp.broadcast_to(x, np.broadcast_shapes(*[each.shape for each in given]))
        if missing is None:
            return x / xp.sum(x, axis=axis, keepdims=True)
        total = xp.sum(xp.where(missing, 0.0, x), axis=axis, keepdims=True)
        return xp.where(missing, 1.0, x / xp.where(total == 0, np.nan, total))

    p, *others = map(shares, given)
    terms = call(special.rel_entr, p, *others) if others else call(special.entr, p)
    if missing is not None:
        terms = xp.where(missing, 0.0, terms)
        terms = xp.where(xp.all(missing, axis=axis, keepdims=True), np.nan, terms)
    y = xp.sum(terms, axis=axis, keepdims=keepdims)
    if base is None:
        return y
    if base <= 0:
        raise ValueError(f"scipy.stats.entropy: got base={base}; pass a positive one, or None")
    return y / log(base)


def require_no_nan(name: str, policy: str, *arrays) -> None:
    """Raise where the option `nan_policy` says so, and some entry is no number."""
    if policy == "raise" and any(any_at_hand(np.isnan(a)) for a in arrays):
        raise ValueError(f"scipy.stats.{name}: the input contains nan; pass nan_policy='omit'")


@with_options(stats.mode, "axis keepdims nan_policy", linearised_rule)
def mode_linearised(a: Array, *, options: Options, out, xp) -> LinearMap:
    """The mode is one of the entries, the least where all differ: it moves with those that are
    equal to it, in equal shares. How many these are does not move.
    """
    require_rows(a, options.axis)
    rows, space = Rows(a, options, xp), ProjectTo(a)
    mode = restore_axes(out[0], space, rows.axis, options.keepdims, xp)
    are_equal = (rows.a == mode) | (xp.isnan(rows.a) & xp.isnan(mode))
    if rows.missing is not None:
        are_equal = are_equal & ~rows.missing
    shares = are_equal / rows.total(are_equal * 1.0)
    along = weighted_sum(lambda: shares, space, rows.axis, options.keepdims, xp)
    return one_of_several(along, 0, 2)


non_differentiable(stats.rankdata, stats.percentileofscore, stats.tiecorrect)
