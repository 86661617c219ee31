"""Statistics of samples with what is said about them: correlations and regressions, as SciPy returns
them.

SciPy computes these in Python, which asks its arguments for plain arrays. Here they are written in
operations that have rules; what is looked up or validated is taken from SciPy's own result for the
plain values.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import special, stats

from chainrules_py.annotations import Function, Options
from chainrules_py.errors import OptionError
from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.scipy.objects import (
    constant,
    example,
    floats,
    named_arguments,
    signature,
    traced_option_error,
)

Formula = Function


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
}


def require_defaults(function, options: Options) -> None:
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


def of_samples(function) -> Callable[[Formula], Any]:
    """Decorate the formula of one of SciPy's functions of two samples, whose entries belong together:
    the parts of its result by name. It is given the samples, their axis, and the alternative.
    """

    def decorate(formula: Formula):
        def statistic(*args, **options) -> Any:
            given = named_arguments(function, *args, **options)
            plain = function(**{name: example(value) for name, value in given.items()})
            axis, policy = given.pop("axis", 0), given.pop("nan_policy", "propagate")
            alternative = given.pop("alternative")
            samples, axis = as_samples([given.pop(name) for name in list(given)[:2]], axis)
            require_defaults(function, given)
            samples = without_nan(function, policy, *samples)
            return Result(plain, formula(*samples, axis, alternative))

        return by_others(function)(statistic)

    return decorate


def as_samples(samples: Sequence[Any], axis: int | None) -> tuple[Sequence[Any], int]:
    """Samples as arrays, and the axis along which they are; without one, each in one row.

    Axes are counted where all have as many: those that one lacks are in front.
    """
    found = list(map(floats, samples))
    if axis is None:
        return [np.reshape(x, -1) for x in found], 0
    rank = max(map(np.ndim, found))
    return [np.reshape(x, (1,) * (rank - x.ndim) + x.shape) for x in found], axis


def p_value(freedom: int, statistic, alternative: str) -> Any:
    """The probability of a statistic as far out, where it has Student's distribution."""
    if alternative == "two-sided":
        return 2 * special.stdtr(freedom, -np.abs(statistic))
    return special.stdtr(freedom, statistic if alternative == "less" else -statistic)


@of_samples(stats.linregress)
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
        known = p_value(freedom, slope / error, alternative)
    return {
        "slope": slope,
        "intercept": np.mean(y) - slope * np.mean(x),
        "rvalue": xy / np.sqrt(xx * yy),
        "pvalue": known,
        "stderr": error,
        "intercept_stderr": error * np.sqrt(np.mean(x * x)) if freedom > 0 else 0.0,
    }


@of_samples(stats.pearsonr)
def pearsonr(x, y, axis: int, alternative: str) -> dict[str, Any]:
    """`scipy.stats.pearsonr`, by the samples."""
    dx, dy = (v - np.mean(v, axis=axis, keepdims=True) for v in (x, y))
    xx, xy, yy = (np.sum(products, axis=axis) for products in (dx * dx, dx * dy, dy * dy))
    r = xy / np.sqrt(xx * yy)
    freedom = x.shape[axis] - 2
    known = np.ones_like(r)[()]
    if freedom > 0:
        t = r * np.sqrt(freedom / ((1 - r) * (1 + r)))
        known = p_value(freedom, t, alternative)
    return {"statistic": r, "pvalue": known, "correlation": r}
