"""Tests of whether a sample is normal, and two statistics of ranks that are programs of others."""

from typing import Any

import numpy as np
from scipy import special, stats

from chainrules_tape.core.levels import call_traced
from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.scipy.objects import example, floats, signature
from chainrules_tape.scipy.stats.samples import (
    Formula,
    Result,
    of_samples,
    p_value,
    require_defaults,
)


def skewness(a, axis: int) -> Any:
    """The third moment in units of the deviation."""
    return call_traced(stats.skew, (a,), {"axis": axis})


def kurtosis(a, axis: int) -> Any:
    """The fourth moment in units of the variance: 3 for normal samples."""
    return call_traced(stats.kurtosis, (a,), {"axis": axis, "fisher": False})


def score_of_skewness(a, axis: int) -> Any:
    """The skewness as a normal variable (D'Agostino, 1970)."""
    n = a.shape[axis]
    y = skewness(a, axis) * np.sqrt((n + 1) * (n + 3) / (6 * (n - 2)))
    y = np.where(y == 0, 1.0, y)  # as SciPy has it
    spread = 3 * (n**2 + 27 * n - 70) * (n + 1) * (n + 3)
    spread /= (n - 2) * (n + 5) * (n + 7) * (n + 9)
    square = np.sqrt(2 * (spread - 1)) - 1
    return np.arcsinh(y * np.sqrt((square - 1) / 2)) / np.sqrt(np.log(square) / 2)


def score_of_kurtosis(a, axis: int) -> Any:
    """The kurtosis as a normal variable (Anscombe and Glynn, 1983)."""
    n = a.shape[axis]
    variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    x = (kurtosis(a, axis) - 3 * (n - 1) / (n + 1)) / np.sqrt(variance)
    skew = 6 * (n**2 - 5 * n + 2) / ((n + 7) * (n + 9))
    skew *= np.sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    freedom = 6 + 8 / skew * (2 / skew + np.sqrt(1 + 4 / skew**2))
    least = 2 / (9 * freedom)
    ratio = (1 - 2 / freedom) / (1 + x * np.sqrt(2 / (freedom - 4)))
    return (1 - least - np.cbrt(ratio)) / np.sqrt(least)


def of_both_scores(a, axis: int) -> Any:
    """The sum of the squares of both scores."""
    return score_of_skewness(a, axis) ** 2 + score_of_kurtosis(a, axis) ** 2


def of_both_moments(a, axis: int) -> Any:
    """The statistic of Jarque and Bera."""
    squares = skewness(a, axis) ** 2 + (kurtosis(a, axis) - 3) ** 2 / 4
    return a.shape[axis] / 6 * squares


def normality_test(function, formula: Formula) -> Any:
    """One of SciPy's tests for normal samples, by its formula."""
    own = ("alternative",) if "alternative" in signature(function).parameters else ()

    def test(a, axis: int, alternative: str | None = None) -> dict[str, Any]:
        statistic = formula(a, axis)
        # without alternatives, it is the sum of two squares of normal scores
        known = (
            np.exp(-statistic / 2)
            if alternative is None
            else p_value(special.ndtr, statistic, alternative)
        )
        return {"statistic": statistic, "pvalue": known}

    return of_samples(function, 1, *own)(test)


skewtest = normality_test(stats.skewtest, score_of_skewness)
kurtosistest = normality_test(stats.kurtosistest, score_of_kurtosis)
normaltest = normality_test(stats.normaltest, of_both_scores)
jarque_bera = normality_test(stats.jarque_bera, of_both_moments)


@by_others(stats.expectile)
def expectile(a, alpha: float = 0.5, *, weights: Any = None) -> Any:
    """`scipy.stats.expectile`, by the sample and the weights.

    It is the mean in which entries below it have the weight 1 - alpha, and those above it alpha: the
    largest of such means of ordered entries, or the smallest one where alpha is below a half.
    """
    if not 0 <= alpha <= 1:
        raise ValueError(f"scipy.stats.expectile: got alpha={alpha}; pass a number from 0 to 1")
    a = floats(a)
    weights = np.ones_like(a) if weights is None else np.broadcast_to(floats(weights), a.shape)
    a, weights = np.reshape(a, -1), np.reshape(weights, -1)
    order = np.argsort(a)
    a, weights = (np.take_along_axis(x, order, 0) for x in (a, weights))

    def weighted(terms) -> Any:
        below = np.concatenate([np.zeros_like(terms[:1]), np.cumsum(terms)])
        return (1 - alpha) * below + alpha * (below[-1] - below)

    is_high = alpha >= 0.5
    own = slice(-1) if is_high else slice(1, None)  # of these, an entry itself counts
    sums, totals = weighted(weights * a)[own], weighted(weights)[own]
    is_empty = totals == 0  # only weights of zero count: SciPy takes the entry
    means = np.where(is_empty, a, sums / np.where(is_empty, 1.0, totals))
    return np.max(means) if is_high else np.min(means)


@by_others(stats.siegelslopes)
def siegelslopes(y, x: Any = None, method: str = "hierarchical", **options) -> Any:
    """`scipy.stats.siegelslopes` of vectors: the median of the medians of the slopes to each point."""
    given = {} if x is None else {"x": example(x)}
    plain = stats.siegelslopes(example(y), method=method, **given, **options)
    require_defaults(stats.siegelslopes, options)
    y = np.reshape(floats(y), -1)
    x = np.arange(y.shape[0], dtype=float) if x is None else np.reshape(floats(x), -1)

    run = x - x[:, None]
    is_vertical = run == 0
    run = np.where(is_vertical, 1.0, run)

    def median_of_medians(values) -> Any:
        return np.median(np.nanmedian(np.where(is_vertical, np.nan, values / run), axis=1))

    slope = median_of_medians(y - y[:, None])
    intercept = np.median(y - slope * x)
    if method == "separate":
        intercept = median_of_medians(y[:, None] * x - x[:, None] * y)
    return Result(plain, {"slope": slope, "intercept": intercept})
