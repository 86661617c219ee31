"""Statistics of samples with what is said about them: correlations, regressions, t-tests, as SciPy
returns them.

SciPy computes these in Python, which asks its arguments for plain arrays. Here they are written in
operations that have rules; what is looked up or validated is taken from SciPy's own result for the
plain values.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy import special, stats

from chainrules_py.errors import OptionError
from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.scipy.objects import (
    constant,
    example,
    floats,
    is_in_lanes,
    named_arguments,
    signature,
    traced_option_error,
)

Formula = Callable[..., Any]


class Result(tuple):  # type: ignore[type-arg]
    """The result of one of SciPy's functions with traced values, which has the attributes and parts
    of SciPy's.
    """

    def __new__(cls, plain, values: dict[str, Any]) -> "Result":
        """A result like `plain`, whose first parts are the first of the values."""
        made = super().__new__(cls, list(values.values())[: len(plain)])
        made.__dict__.update(values, plain=plain)
        return made

    def __getattr__(self, name: str) -> Any:
        plain = self.__dict__.get("plain")
        if plain is None or name.startswith("_") or not hasattr(plain, name):
            raise AttributeError(name)
        cls = type(plain)
        where = f"scipy.stats: {cls.__name__}"
        got = f"{name!r} of the result of traced values"
        instead = "compute it from the numbers of the result"
        raise OptionError(where, got, instead, primal=cls, option=name, value=self)

    def __repr__(self) -> str:
        values = self.__dict__.items()
        shown = ", ".join(f"{name}={value!r}" for name, value in values if name != "plain")
        return f"{type(self.plain).__name__}({shown})"


# What to do in the place of options that ask for something else than the formulas here.
INSTEAD = {
    "nan_policy": "leave out what is no number before the call",
    "keepdims": "reshape the result",
    "trim": "trim the samples before the call",
}


def require_defaults(function, options: dict[str, Any]) -> None:
    """Raise where an option has another value than by default."""
    parameters = signature(function).parameters
    for name, value in options.items():
        if value != parameters[name].default:
            raise traced_option_error(function, name, value, INSTEAD.get(name, "leave it out"))


def without_nan(function, policy: str, *samples) -> tuple[Any, ...]:
    """Samples whose entries belong together, without those of which one is no number.

    That is where the policy is to omit them; to raise an error has been SciPy's.
    """
    missing = [np.isnan(constant(each)) for each in samples]
    if policy != "omit" or not any(map(np.any, missing)):
        return samples
    if any(each.ndim != 1 for each in samples):
        raise traced_option_error(function, "nan_policy", policy, INSTEAD["nan_policy"])
    are_numbers = ~np.logical_or.reduce(missing)
    return tuple([each[are_numbers] for each in samples])


def of_samples(
    function, count: int, *own_options: str, are_paired: bool = False
) -> Callable[[Formula], Any]:
    """Decorate the formula of one of SciPy's functions of samples: the parts of its result by name, or
    an array.

    It is given so many samples, whose entries may be paired, their axis, and the options that are
    named.
    """

    def decorate(formula: Formula):
        def statistic(*args, **options) -> Any:
            given = named_arguments(function, *args, **options)
            plain = function(**{name: example(value) for name, value in given.items()})
            axis, policy = given.pop("axis", 0), given.pop("nan_policy", "propagate")
            samples, axis = as_samples([given.pop(name) for name in list(given)[:count]], axis)
            own = {name: given.pop(name) for name in own_options}
            require_defaults(function, given)
            together = [samples] if are_paired else [[each] for each in samples]
            samples = [x for each in together for x in without_nan(function, policy, *each)]
            found = formula(*samples, axis, **own)
            return Result(plain, found) if type(found) is dict else found

        return by_others(function)(statistic)

    return decorate


def as_samples(samples: Sequence[Any], axis: int | None) -> tuple[list[Any], int]:
    """Samples as arrays, and the axis along which they are; without one, each in one row.

    Axes are counted where all have as many: those that one lacks are in front. Numbers of Python's
    adapt to the others.
    """
    found = [x if type(x) in (int, float) else floats(x) for x in samples]
    if axis is None:
        return [x if type(x) in (int, float) else np.reshape(x, -1) for x in found], 0
    rank = max(map(np.ndim, found))
    return [np.reshape(x, in_rank(x.shape, rank)) if np.ndim(x) else x for x in found], axis


def in_rank(shape: tuple[int, ...], rank: int) -> tuple[int, ...]:
    """A shape with axes of length one in front, so that there are `rank`."""
    return (1,) * (rank - len(shape)) + shape


def p_value(share: Callable[[Any], Any], statistic, alternative: str) -> Any:
    """The probability of a statistic as far out, by the share of a symmetric distribution below."""
    if alternative == "two-sided":
        return 2 * share(-np.abs(statistic))
    return share(statistic if alternative == "less" else -statistic)


def of_student(freedom) -> Callable[[Any], Any]:
    """The share of Student's distribution that is below a number."""
    return partial(special.stdtr, freedom)


@of_samples(stats.linregress, 2, "alternative", are_paired=True)
def linregress(x, y, axis: int, alternative: str) -> dict[str, Any]:
    """`scipy.stats.linregress` of vectors."""
    if x.ndim != 1 or y.ndim != 1:
        raise traced_option_error(stats.linregress, "axis", axis, "pass vectors")
    dx, dy = x - np.mean(x), y - np.mean(y)
    xx, xy, yy = np.mean(dx * dx), np.mean(dx * dy), np.mean(dy * dy)
    freedom = x.shape[0] - 2
    slope = xy / xx
    # of a line through two points nothing is uncertain
    error, known = 0.0, np.where(y[0] == y[-1], 1.0, 0.0)[()]
    if freedom > 0:
        error = np.sqrt((yy - slope * xy) / xx / freedom)
        known = p_value(of_student(freedom), slope / error, alternative)
    return {
        "slope": slope,
        "intercept": np.mean(y) - slope * np.mean(x),
        "rvalue": xy / np.sqrt(xx * yy),
        "pvalue": known,
        "stderr": error,
        "intercept_stderr": error * np.sqrt(np.mean(x * x)) if freedom > 0 else 0.0,
    }


@of_samples(stats.pearsonr, 2, "alternative", are_paired=True)
def pearsonr(x, y, axis: int, alternative: str) -> dict[str, Any]:
    """`scipy.stats.pearsonr`, by the samples."""
    dx, dy = (v - np.mean(v, axis=axis, keepdims=True) for v in (x, y))
    xx, xy, yy = (np.sum(products, axis=axis) for products in (dx * dx, dx * dy, dy * dy))
    r = xy / np.sqrt(xx * yy)
    freedom = x.shape[axis] - 2
    known = np.ones_like(r)[()]
    if freedom > 0:
        t = r * np.sqrt(freedom / ((1 - r) * (1 + r)))
        known = p_value(of_student(freedom), t, alternative)
    return {"statistic": r, "pvalue": known, "correlation": r}


# --- t-tests ---


def t_test(difference, error, freedom, alternative: str) -> dict[str, Any]:
    """The result of a test of a difference, given its error and the degrees of freedom."""
    t = difference / error
    known = p_value(of_student(freedom), t, alternative)
    each = freedom + np.zeros(np.shape(t))[()]  # as SciPy has it
    return {"statistic": t, "pvalue": known, "df": each}


def variance(x, axis: int) -> tuple[Any, int]:
    """The variance of samples, and how many numbers each has."""
    return np.var(x, axis=axis, ddof=1), x.shape[axis]


def of_one_sample(a, popmean, axis: int, alternative: str) -> dict[str, Any]:
    """The test of the mean of a sample against a number."""
    if np.ndim(popmean) and np.ndim(popmean) == a.ndim:  # one mean for each sample
        popmean = np.squeeze(popmean, axis=axis)
    v, n = variance(a, axis)
    return t_test(np.mean(a, axis=axis) - popmean, np.sqrt(v / n), n - 1, alternative)


@of_samples(stats.ttest_rel, 2, "alternative", are_paired=True)
def ttest_rel(a, b, axis: int, alternative: str) -> dict[str, Any]:
    """`scipy.stats.ttest_rel`, by both samples."""
    return of_one_sample(a - b, 0.0, axis, alternative)


@of_samples(stats.ttest_ind, 2, "alternative", "equal_var")
def ttest_ind(a, b, axis: int, alternative: str, equal_var: bool) -> dict[str, Any]:
    """`scipy.stats.ttest_ind`, by both samples."""
    (v1, n1), (v2, n2) = variance(a, axis), variance(b, axis)
    difference = np.mean(a, axis=axis) - np.mean(b, axis=axis)
    if equal_var:
        freedom = n1 + n2 - 2
        pooled = ((n1 - 1) * v1 + (n2 - 1) * v2) / freedom
        return t_test(difference, np.sqrt(pooled * (1 / n1 + 1 / n2)), freedom, alternative)
    s1, s2 = v1 / n1, v2 / n2  # Welch's test, whose degrees of freedom depend on the samples
    freedom = (s1 + s2) ** 2 / (s1**2 / (n1 - 1) + s2**2 / (n2 - 1))
    return t_test(difference, np.sqrt(s1 + s2), freedom, alternative)


ttest_1samp = of_samples(stats.ttest_1samp, 2, "alternative")(of_one_sample)


@of_samples(stats.trim_mean, 1, "proportiontocut")
def trim_mean(a, axis: int, proportiontocut: float) -> Any:
    """`scipy.stats.trim_mean`: the mean without a share of the least and of the largest entries."""
    count = a.shape[axis]
    low = int(proportiontocut * count)
    ranked = np.moveaxis(np.sort(a, axis=axis), axis, 0)
    mean = np.mean(ranked[low : count - low], axis=0)
    # nan is sorted to the end, where it may be cut off
    has_nan = np.isnan(ranked[-1])
    if not is_in_lanes(a) and not np.any(has_nan):
        return mean
    return mean * np.where(has_nan, np.nan, 1.0)
