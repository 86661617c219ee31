"""Statistics of samples with what is said about them: correlations, regressions, t-tests, as SciPy
returns them.

SciPy computes these in Python, which asks its arguments for plain arrays. Here they are written in
operations that have rules; what is looked up or validated is taken from SciPy's own result for the
plain values.
"""

from collections.abc import Callable
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


def p_value(t, freedom, alternative: str) -> Any:
    """The probability of a statistic as far out as t, of Student's distribution."""
    if alternative == "two-sided":
        return 2 * special.stdtr(freedom, -np.abs(t))
    return special.stdtr(freedom, t if alternative == "less" else -t)


@by_others(stats.linregress)
def linregress(
    x,
    y,
    alternative: str = "two-sided",
    *,
    axis: int = 0,
    nan_policy: str = "propagate",
    **options,
) -> Any:
    """`scipy.stats.linregress` of vectors."""
    require_defaults(stats.linregress, options)
    known_policy = {} if nan_policy == "propagate" else {"nan_policy": nan_policy}
    taken = example if np.size(x) > 2 else constant  # two points decide about the p-value
    plain: Any = stats.linregress(taken(x), taken(y), alternative, **known_policy)
    x, y = floats(x), floats(y)
    if x.ndim != 1 or y.ndim != 1:
        raise traced_option_error(stats.linregress, "axis", axis, "pass vectors")
    x, y = without_nan(stats.linregress, nan_policy, x, y)
    dx, dy = x - np.mean(x), y - np.mean(y)
    xx, xy, yy = np.mean(dx * dx), np.mean(dx * dy), np.mean(dy * dy)
    freedom = x.shape[0] - 2
    slope = xy / xx
    error, known = 0.0, plain.pvalue  # of a line through two points nothing is uncertain
    if freedom > 0:
        error = np.sqrt((yy - slope * xy) / xx / freedom)
        known = p_value(slope / error, freedom, alternative)
    values = {
        "slope": slope,
        "intercept": np.mean(y) - slope * np.mean(x),
        "rvalue": xy / np.sqrt(xx * yy),
        "pvalue": known,
        "stderr": error,
        "intercept_stderr": error * np.sqrt(np.mean(x * x)) if freedom > 0 else 0.0,
    }
    return Result(plain, values)


@by_others(stats.pearsonr)
def pearsonr(x, y, *, alternative: str = "two-sided", method: Any = None, axis: Any = 0) -> Any:
    """`scipy.stats.pearsonr`, by the samples."""
    require_defaults(stats.pearsonr, {"method": method})
    plain: Any = stats.pearsonr(example(x), example(y), alternative=alternative, axis=axis)
    x, y, axis = as_samples(x, y, axis)
    dx, dy = (v - np.mean(v, axis=axis, keepdims=True) for v in (x, y))
    xx, xy, yy = (np.sum(products, axis=axis) for products in (dx * dx, dx * dy, dy * dy))
    r = xy / np.sqrt(xx * yy)
    freedom = x.shape[axis] - 2
    known = plain.pvalue
    if freedom > 0:
        known = p_value(r * np.sqrt(freedom / ((1 - r) * (1 + r))), freedom, alternative)
    return Result(plain, {"statistic": r, "pvalue": known, "correlation": r})


def as_samples(x, y, axis: int | None) -> tuple[Any, Any, int]:
    """Two samples as arrays, and the axis along which they are; without one, each in one row.

    Axes are counted where both have as many: those that one lacks are in front.
    """
    x, y = floats(x), floats(y)
    if axis is None:
        return np.reshape(x, -1), np.reshape(y, -1), 0
    if x.ndim and y.ndim:
        rank = max(x.ndim, y.ndim)
        x, y = (v if v.ndim == rank else np.reshape(v, in_rank(v.shape, rank)) for v in (x, y))
    return x, y, axis


def in_rank(shape: tuple[int, ...], rank: int) -> tuple[int, ...]:
    """A shape with axes of length one in front, so that there are `rank`."""
    return (1,) * (rank - len(shape)) + shape


# --- t-tests ---


Formula = Callable[..., tuple[Any, Any, Any]]


def t_test(function, *own_options: str, are_paired: bool = False) -> Callable[[Formula], Any]:
    """Decorate the formula of one of SciPy's t-tests: a difference, its error, and the degrees of
    freedom.

    It is given two samples, whose entries may be paired, and their axis, and the options that are
    named.
    """

    def decorate(formula: Formula):
        def test(*args, **options) -> Result:
            given = named_arguments(function, *args, **options)
            plain_given = {name: example(value) for name, value in given.items()}
            x, y = (given.pop(name) for name in list(given)[:2])
            is_number = type(y) in (int, float)  # one of Python's, which adapts to the sample
            x, y, axis = as_samples(x, y, given.pop("axis"))
            y = y.astype(x.dtype) if is_number else y
            alternative = given.pop("alternative")
            own = {name: given.pop(name) for name in own_options}
            policy = given.pop("nan_policy")
            require_defaults(function, given)
            plain = function(**plain_given)
            if are_paired:
                x, y = without_nan(function, policy, x, y)
            else:
                (x,), (y,) = (without_nan(function, policy, each) for each in (x, y))
            difference, error, freedom = formula(x, y, axis, **own)
            t = difference / error
            known = p_value(t, freedom, alternative)
            each = freedom + np.zeros(np.shape(t))[()]  # as SciPy has it
            return Result(plain, {"statistic": t, "pvalue": known, "df": each})

        return by_others(function)(test)

    return decorate


def variance(x, axis: int) -> tuple[Any, int]:
    """The variance of samples, and how many numbers each has."""
    return np.var(x, axis=axis, ddof=1), x.shape[axis]


@t_test(stats.ttest_1samp)
def ttest_1samp(a, popmean, axis: int) -> tuple[Any, Any, Any]:
    """`scipy.stats.ttest_1samp`, by the sample and the mean."""
    if popmean.ndim and popmean.ndim == a.ndim:  # one mean for each sample
        popmean = np.squeeze(popmean, axis=axis)
    v, n = variance(a, axis)
    return np.mean(a, axis=axis) - popmean, np.sqrt(v / n), n - 1


@t_test(stats.ttest_rel, are_paired=True)
def ttest_rel(a, b, axis: int) -> tuple[Any, Any, Any]:
    """`scipy.stats.ttest_rel`, by both samples."""
    v, n = variance(a - b, axis)
    return np.mean(a - b, axis=axis), np.sqrt(v / n), n - 1


@t_test(stats.ttest_ind, "equal_var")
def ttest_ind(a, b, axis: int, equal_var: bool) -> tuple[Any, Any, Any]:
    """`scipy.stats.ttest_ind`, by both samples."""
    (v1, n1), (v2, n2) = variance(a, axis), variance(b, axis)
    difference = np.mean(a, axis=axis) - np.mean(b, axis=axis)
    if equal_var:
        freedom = n1 + n2 - 2
        pooled = ((n1 - 1) * v1 + (n2 - 1) * v2) / freedom
        return difference, np.sqrt(pooled * (1 / n1 + 1 / n2)), freedom
    s1, s2 = v1 / n1, v2 / n2  # Welch's test, whose degrees of freedom depend on the samples
    freedom = (s1 + s2) ** 2 / (s1**2 / (n1 - 1) + s2**2 / (n2 - 1))
    return difference, np.sqrt(s1 + s2), freedom


@by_others(stats.trim_mean)
def trim_mean(
    a, proportiontocut: float, axis: Any = 0, *, nan_policy: str = "propagate", **options
) -> Any:
    """`scipy.stats.trim_mean`: the mean without a share of the least and of the largest entries."""
    require_defaults(stats.trim_mean, options)
    known_policy = {} if nan_policy == "propagate" else {"nan_policy": nan_policy}
    stats.trim_mean(example(a), proportiontocut, axis, **known_policy)  # raises where SciPy does
    a = floats(a)
    a, along = (np.reshape(a, -1), 0) if axis is None else (a, axis)
    (a,) = without_nan(stats.trim_mean, nan_policy, a)
    count = a.shape[along]
    low = int(proportiontocut * count)
    ranked = np.moveaxis(np.sort(a, axis=along), along, 0)
    mean = np.mean(ranked[low : count - low], axis=0)
    # nan is sorted to the end, where it may be cut off
    has_nan = np.isnan(ranked[-1])
    if not is_in_lanes(a) and not np.any(has_nan):
        return mean
    return mean * np.where(has_nan, np.nan, 1.0)
