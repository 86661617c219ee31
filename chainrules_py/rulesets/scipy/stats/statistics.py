"""Statistics of samples, each a number per row that moves by the sum of weights times what the
entries move.

Below, n is the length of a row, away what its entries are from their mean, and out the value.
"""

from math import prod
from typing import Any

import numpy as np

from chainrules_py.errors import OptionError
from chainrules_py.makers import LinearMap, linearised_rule, non_differentiable
from chainrules_py.projection import ProjectTo
from chainrules_py.rulesets.formulas.reducing import reduced_axes, restore_axes
from chainrules_py.rulesets.scipy.stats.module import stats
from chainrules_py.values.arrays import Array


class Rows:
    """An array whose rows along an axis were reduced to `out`."""

    def __init__(self, a: Any, axis: Any, out: Any, keepdims: bool, xp: Any) -> None:
        self.a, self.axis, self.keepdims, self.xp, self.space = a, axis, keepdims, xp, ProjectTo(a)
        self.n = prod(a.shape[each] for each in reduced_axes(axis, a.ndim))
        self.out = restore_axes(out, self.space, axis, keepdims, xp)

    def mean(self, values: Any) -> Any:
        """The mean of each row, with the axis at length one."""
        return self.xp.mean(values, axis=self.axis, keepdims=True)

    def away(self) -> Any:
        """What the entries are from the mean of their row."""
        return self.a - self.mean(self.a)

    def times(self, weights: Any) -> LinearMap:
        """The sum along rows of weights times entries."""

        def pushforward(dot: Any) -> Any:
            return self.xp.sum(weights * dot, axis=self.axis, keepdims=self.keepdims)

        def pullback(out_bar: Any) -> Any:
            return weights * restore_axes(out_bar, self.space, self.axis, self.keepdims, self.xp)

        return LinearMap(pushforward, pullback)


def shares(rows: Rows, weights: Any) -> Any:
    """The weight of each entry in a mean."""
    if weights is None:
        return 1.0 / rows.n
    whole = rows.xp.broadcast_to(weights, rows.a.shape) * 1.0
    return whole / rows.xp.sum(whole, axis=rows.axis, keepdims=True)


@linearised_rule(stats.gmean)
def gmean_linearised(
    a: Array,
    *,
    axis: int | None = 0,
    weights: Any = None,
    keepdims: bool = False,
    out: Any,
    xp: Any,
) -> LinearMap:
    """Of the logarithms, the mean."""
    rows = Rows(a, axis, out, keepdims, xp)
    return rows.times(shares(rows, weights) * rows.out / a)


@linearised_rule(stats.hmean)
def hmean_linearised(
    a: Array,
    *,
    axis: int | None = 0,
    weights: Any = None,
    keepdims: bool = False,
    out: Any,
    xp: Any,
) -> LinearMap:
    """Of the reciprocals, the mean."""
    rows = Rows(a, axis, out, keepdims, xp)
    return rows.times(shares(rows, weights) * (rows.out / a) ** 2)


@linearised_rule(stats.pmean)
def pmean_linearised(
    a: Array,
    *,
    p: float,
    axis: int | None = 0,
    weights: Any = None,
    keepdims: bool = False,
    out: Any,
    xp: Any,
) -> LinearMap:
    """The mean of powers, or of logarithms where p is 0."""
    rows = Rows(a, axis, out, keepdims, xp)
    return rows.times(shares(rows, weights) * (a / rows.out) ** (p - 1.0))


@linearised_rule(stats.sem)
def sem_linearised(
    a: Array, *, axis: int | None = 0, ddof: int = 1, keepdims: bool = False, out: Any, xp: Any
) -> LinearMap:
    """away / (n (n - ddof) out); 0 where all entries are equal."""
    rows = Rows(a, axis, out, keepdims, xp)
    still = rows.out == 0
    return rows.times(
        xp.where(still, 0, rows.away() / (rows.n * (rows.n - ddof) * xp.where(still, 1, rows.out)))
    )


@linearised_rule(stats.variation)
def variation_linearised(
    a: Array, *, axis: int | None = 0, ddof: int = 0, keepdims: bool = False, out: Any, xp: Any
) -> LinearMap:
    """The deviation over the mean."""
    rows = Rows(a, axis, out, keepdims, xp)
    mean = rows.mean(a)
    return rows.times(
        rows.away() / ((rows.n - ddof) * rows.out * mean * mean) - rows.out / (rows.n * mean)
    )


@linearised_rule(stats.moment)
def moment_linearised(
    a: Array,
    *,
    order: int = 1,
    axis: int | None = 0,
    center: Any = None,
    keepdims: bool = False,
    out: Any,
    xp: Any,
) -> LinearMap:
    """The mean of powers of what entries are from their mean, or from a number."""
    if np.ndim(order):
        instead = "call it for each order"
        raise OptionError(
            "scipy.stats.moment",
            f"order={order!r}",
            instead,
            primal=stats.moment,
            option="order",
            value=order,
        )
    rows = Rows(a, axis, out, keepdims, xp)
    if center is not None:
        return rows.times(order / rows.n * (a - center) ** max(order - 1, 0))
    powers = rows.away() ** max(order - 1, 0)
    return rows.times(order / rows.n * (powers - rows.mean(powers)))


@linearised_rule(stats.skew)
def skew_linearised(
    a: Array, *, axis: int | None = 0, bias: bool = True, keepdims: bool = False, out: Any, xp: Any
) -> LinearMap:
    """The third moment over the third power of the deviation."""
    rows = Rows(a, axis, out, keepdims, xp)
    away = rows.away()
    square, n = rows.mean(away * away), rows.n
    factor = 1.0 if bias else (n * (n - 1)) ** 0.5 / (n - 2)
    return rows.times(
        3 / n * (factor * (away * away - square) / square**1.5 - rows.out * away / square)
    )


@linearised_rule(stats.kurtosis)
def kurtosis_linearised(
    a: Array,
    *,
    axis: int | None = 0,
    fisher: bool = True,
    bias: bool = True,
    keepdims: bool = False,
    out: Any,
    xp: Any,
) -> LinearMap:
    """The fourth moment over the square of the variance, and, without bias, linear in that."""
    rows = Rows(a, axis, out, keepdims, xp)
    away, n = rows.away(), rows.n
    square, cube = rows.mean(away * away), rows.mean(away**3)
    ratio = rows.mean(away**4) / (square * square)
    factor = 1.0 if bias else (n * n - 1) / ((n - 2) * (n - 3))
    return rows.times(
        factor * 4 / n * ((away**3 - cube) / (square * square) - ratio * away / square)
    )


@linearised_rule(stats.zscore)
def zscore_linearised(
    a: Array, *, axis: int | None = 0, ddof: int = 0, out: Any, xp: Any
) -> LinearMap:
    """The Jacobian is (1 - mean - z z^T / (n - ddof)) / deviation, and symmetric."""
    n = prod(a.shape[each] for each in reduced_axes(axis, a.ndim))
    deviation = xp.std(a, axis=axis, ddof=ddof, keepdims=True)

    def moved(t: Any) -> Any:
        along = xp.sum(out * t, axis=axis, keepdims=True) / (n - ddof)
        return (t - xp.mean(t, axis=axis, keepdims=True) - out * along) / deviation

    return LinearMap(moved, moved)


@linearised_rule(stats.entropy)
def entropy_linearised(
    pk: Array,
    qk: Array | None = None,
    *,
    base: float | None = None,
    axis: int = 0,
    keepdims: bool = False,
    out: Any,
    xp: Any,
) -> tuple[LinearMap, LinearMap | None]:
    """-sum p log p, or sum p log(p / q), of numbers that are divided by their sums first."""
    rows = Rows(pk, axis, out, keepdims, xp)
    unit, total = 1.0 if base is None else xp.log(base), xp.sum(pk, axis=axis, keepdims=True)
    p = pk / total
    if qk is None:
        return rows.times(-(xp.log(p) / unit + rows.out) / total), None
    q_total = xp.sum(qk, axis=axis, keepdims=True)
    q = qk / q_total
    return rows.times((xp.log(p / q) / unit - rows.out) / total), rows.times(
        (1 - p / q) / (unit * q_total)
    )


non_differentiable(
    stats.mode,
    stats.rankdata,
    stats.percentileofscore,
    stats.tiecorrect,
    stats.cumfreq,
    stats.relfreq,
)
