"""Check that a function gives the same result when it runs again.

A function that draws random numbers computes something else the second time, and the gradient would
be that of neither run. That changes most entries, so that a few of them tell: where a result is not
kept, a sample of it is. Roundoff may differ between a plain run and a traced one. Values on devices
are not read, because that would wait for them: of those the shape has to do.
"""

from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.values.arrays import stood_for
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import fields, is_container
from chainrules_tape.core.values import PLAIN
from chainrules_tape.refusals.errors import OutputError, RecomputationError
from chainrules_tape.refusals.handles import plain

ENTRIES = 32


def sample(y) -> Any:
    """The shape of a value with a few of its entries; of a container, by its keys."""
    y = plain(y)
    held = stood_for(y)
    y = y if held is None else held
    if is_container(y):
        return {key: sample(part) for key, part in fields(y).items()}
    if not issubclass(type(y), np.ndarray):
        if isinstance(y, float | complex | np.inexact):
            return (np.shape(y), np.array([y]))
        return (getattr(y, "shape", None), None)
    return y.shape, y.flat[:: y.size // ENTRIES + 1] if y.dtype.kind in "fc" else None


def is_same_sample(one, other) -> bool:
    """Whether two samples are those of the same value, up to half of the digits."""
    if isinstance(one, dict) or isinstance(other, dict):
        return (
            type(one) is type(other)
            and one.keys() == other.keys()
            and all(is_same_sample(one[key], other[key]) for key in one)
        )
    (shape, a), (other_shape, b) = one, other
    if shape != other_shape:
        return False
    return a is None or b is None or is_close(a, b)


def is_close(one, other) -> bool:
    """Whether two values agree up to half of the digits of the largest entry; nan is equal to nan."""
    if np.array_equal(one, other):
        return True
    if np.shape(one) != np.shape(other):
        return False
    largest = np.max(np.abs(one)[np.isfinite(one)], initial=0.0)
    tolerance = np.sqrt(np.finfo(np.result_type(one, 1.0)).eps) * largest
    return np.allclose(one, other, rtol=0.0, atol=tolerance, equal_nan=True)


def refuse_other_result(function: Function, first, y) -> None:
    """Raise where the function's result is not the one of which `first` is a sample."""
    if not is_same_sample(first, sample(y)):
        raise RecomputationError(
            f"checkpoint({qualified_name(function)})",
            "another result in the second run, in reverse: the function draws random numbers, or"
            " reads what has changed",
            "draw outside, and pass the draws and all else that changes as arguments",
            function=function,
            value=y,
        )


def require_same_values(function: Function, before: list[Any], after: list[Any]) -> None:
    """Raise where a function that runs several times has other values in a later run."""
    for one, other in zip(before, after, strict=False):
        if type(one) is type(other) and type(one) in PLAIN and not is_close(one, other):
            raise OutputError(
                f"a derivative of {qualified_name(function)}, which runs several times",
                "other values in another run, at the same arguments",
                "write into copies of arrays from outside, y = y.copy(), and draw random numbers"
                " before",
                function=function,
                value=other,
            )
