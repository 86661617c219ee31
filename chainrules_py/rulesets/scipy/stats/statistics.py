"""Statistics of samples: one number per row, whose derivative is a weighted sum of the entries'.

Below, n is the length of a row, away what its entries are from their mean, and out the value.
"""

from collections.abc import Callable
from math import log, prod
from typing import Any

import numpy as np
from scipy import special

from chainrules_py import composed
from chainrules_py.errors import OptionError
from chainrules_py.makers import LinearMap, linearised_rule, non_differentiable
from chainrules_py.projection import ProjectTo
from chainrules_py.rulesets.formulas.array_likes import ArrayLike, one_of_several
from chainrules_py.rulesets.formulas.known_values import any_at_hand
from chainrules_py.rulesets.formulas.reducing import reduced_axes, restore_axes
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.rulesets.scipy.stats.module import stats
from chainrules_py.values.arrays import Array, call


class Rows:
    """An array whose rows along an axis were reduced to `out`.

    Where entries are `missing`, they count in no sum, and stand as 1 in `a`.
    """

    def __init__(self, a, axis, out, keepdims: bool, xp, missing: Any = None) -> None:
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
        self.axis = axis if a.ndim else None  # of a number, SciPy takes the axis 0
        self.keepdims, self.xp, self.space = keepdims, xp, ProjectTo(a)
        self.missing = missing
        self.a = a if missing is None else xp.where(missing, 1.0, a)
        self.n = self.length(a.shape)
        self.out = restore_axes(out, self.space, axis, keepdims, xp)

    def length(self, shape: tuple[int, ...]) -> Any:
        """How many entries count in a row: a number, or one for each row; 1 for rows without any."""
        if self.missing is None:
            return prod(shape[each] for each in reduced_axes(self.axis, len(shape))) or 1
        count = self.xp.sum(~self.missing, axis=self.axis, keepdims=True)
        return self.xp.maximum(count, 1) * 1.0

    def present(self, values) -> Any:
        """Values of the entries, 0 for those that do not count."""
        return values if self.missing is None else self.xp.where(self.missing, 0.0, values)

    def total(self, values) -> Any:
        """The sum of each row, with the axis at length one."""
        return self.xp.sum(self.present(values), axis=self.axis, keepdims=True)

    def mean(self, values) -> Any:
        """The mean of each row, with the axis at length one."""
        if self.missing is None:
            return self.xp.mean(values, axis=self.axis, keepdims=True)
        return self.total(values) / self.n

    def away(self) -> Any:
        """The differences of the entries from the mean of their row."""
        return self.a - self.mean(self.a)

    def times(self, weights) -> LinearMap:
        """The sum along rows of weights times entries."""
        weights = self.present(weights)

        def pushforward(dot):
            return self.xp.sum(weights * dot, axis=self.axis, keepdims=self.keepdims)

        def pullback(out_bar):
            return weights * restore_axes(out_bar, self.space, self.axis, self.keepdims, self.xp)

        return LinearMap(pushforward, pullback)


def missing_in(policy: str, xp, *arrays) -> Any:
    """Where some array has no number, if the option `nan_policy` omits that; else None."""
    if policy != "omit":  # SciPy raises where it is "raise"
        return None
    first, *others = [xp.isnan(a) for a in arrays]
    return sum(others, first)


def shares(rows: Rows, weights) -> Any:
    """The weight of each entry in a mean."""
    if weights is None:
        return 1.0 / rows.n
    whole = rows.xp.broadcast_to(weights, rows.a.shape) * 1.0
    if rows.missing is not None:
        whole = rows.xp.where(rows.xp.isnan(whole), 0.0, whole)
    return whole / rows.total(whole)


Weights = Callable[[Rows, Options], Any]


def statistic(function, names: str) -> Callable[[Weights], Weights]:
    """Declare a statistic by the weights that entries have in its derivative; a decorator.

    `names` are its options beside `axis`, `keepdims` and `nan_policy`.
    """

    def declare(weights: Weights) -> Weights:
        @linearised_rule(function)
        @with_options(function, f"axis keepdims nan_policy {names}")
        def statistic_linearised(a: Array, *, options: Options, out, xp) -> LinearMap:
            missing = missing_in(options.nan_policy, xp, a)
            rows = Rows(a, options.axis, out, options.keepdims, xp, missing)
            return rows.times(weights(rows, options))

        return weights

    return declare


@statistic(stats.gmean, "weights")
def gmean_weights(rows: Rows, options: Options):
    """Of the logarithms, the mean."""
    return shares(rows, options.weights) * rows.out / rows.a


@statistic(stats.hmean, "weights")
def hmean_weights(rows: Rows, options: Options):
    """Of the reciprocals, the mean; out / a is one over the sum of share * a / others."""
    xp, share = rows.xp, shares(rows, options.weights)
    is_zero = rows.a == 0
    a = xp.where(is_zero, 1, rows.a)
    of_zeros = rows.total(xp.where(is_zero, share, 0))
    of_others = rows.total(xp.where(is_zero, 0, share / a))
    at_zero = 1 / xp.where(is_zero, of_zeros + rows.a * of_others, 1)
    return share * xp.where(is_zero, at_zero, rows.out / a) ** 2


@statistic(stats.pmean, "p weights")
def pmean_weights(rows: Rows, options: Options):
    """The mean of powers, or of logarithms where p is 0."""
    return shares(rows, options.weights) * (rows.a / rows.out) ** (options.p - 1.0)


def over(away, scale, rows: Rows) -> Any:
    """Quotients by a multiple of the deviation; 0 where all entries of a row are equal."""
    equal = rows.out == 0
    return rows.xp.where(equal, 0, away / rows.xp.where(equal, 1, scale))


@statistic(stats.sem, "ddof")
def sem_weights(rows: Rows, options: Options):
    """away / (n (n - ddof) out); 0 where all entries are equal."""
    return over(rows.away(), rows.n * (rows.n - options.ddof) * rows.out, rows)


@statistic(stats.variation, "ddof")
def variation_weights(rows: Rows, options: Options):
    """The deviation, which does not move where all entries are equal, over the mean."""
    n, mean = rows.n, rows.mean(rows.a)
    by_deviation = over(rows.away(), (n - options.ddof) * rows.out * mean * mean, rows)
    return by_deviation - rows.out / (n * mean)


@statistic(stats.moment, "order center")
def moment_weights(rows: Rows, options: Options):
    """The mean of powers of what entries are from their mean, or from a number."""
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
        return order / rows.n * (rows.a - center) ** max(order - 1, 0)
    powers = rows.away() ** max(order - 1, 0)
    return order / rows.n * (powers - rows.mean(powers))


def unbiased(rows: Rows, of_row, freedom) -> Any:
    """The factor that takes the bias off; 1 for rows that are too short, as SciPy has it."""
    is_long = freedom > 0
    return rows.xp.where(is_long, of_row / rows.xp.where(is_long, freedom, 1), 1.0)


@statistic(stats.skew, "bias")
def skew_weights(rows: Rows, options: Options):
    """The third moment over the third power of the deviation."""
    n, away = rows.n, rows.away()
    square = rows.mean(away * away)
    factor = 1.0 if options.bias else unbiased(rows, (n * (n - 1)) ** 0.5, n - 2)
    by_moment = factor * (away * away - square) / square**1.5
    return 3 / n * (by_moment - rows.out * away / square)


@statistic(stats.kurtosis, "fisher bias")
def kurtosis_weights(rows: Rows, options: Options):
    """The fourth moment over the square of the variance, and, without bias, linear in that."""
    n, away = rows.n, rows.away()
    square, cube = rows.mean(away * away), rows.mean(away**3)
    ratio = rows.mean(away**4) / (square * square)
    factor = 1.0 if options.bias else unbiased(rows, n * n - 1, (n - 2) * (n - 3))
    by_moment = (away**3 - cube) / (square * square)
    return factor * 4 / n * (by_moment - ratio * away / square)


@composed(stats.zscore)
def zscore(a: Array, *, axis: int | None = 0, ddof: int = 0, nan_policy: str = "propagate", xp):
    """What entries are from their mean, in units of the deviation; nan where all are equal."""
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


@linearised_rule(stats.mode)
@with_options(stats.mode, "axis keepdims nan_policy")
def mode_linearised(a: Array, *, options: Options, out, xp) -> LinearMap:
    """The mode is one of the entries, the least where all differ: it moves with those that are
    equal to it, in equal shares. How many these are does not move.
    """
    missing = missing_in(options.nan_policy, xp, a)
    rows = Rows(a, options.axis, out[0], options.keepdims, xp, missing)
    are_equal = (rows.a == rows.out) | (xp.isnan(rows.a) & xp.isnan(rows.out))
    chosen = rows.present(are_equal * 1.0)
    return one_of_several(rows.times(chosen / rows.total(chosen)), 0, 2)


non_differentiable(stats.rankdata, stats.percentileofscore, stats.tiecorrect)
