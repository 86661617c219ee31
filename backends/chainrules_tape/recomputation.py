"""Whether a function that was run again did the same again: a few entries of its first result are
kept, and compared.

A function that draws random numbers computes something else the second time, and the gradient would
be that of neither run. That changes most entries, so a few of them tell, at a cost that does not
grow with the result. Roundoff may differ between a plain run and a traced one. Values on devices
are not read, because that would wait for them: of those the shape has to do.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.values.arrays import stood_for
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import fields, is_container
from chainrules_tape.refusals.errors import RecomputationError
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


def is_same(one, other) -> bool:
    """Whether two samples are those of the same value, up to half of the digits."""
    if isinstance(one, dict) or isinstance(other, dict):
        return (
            type(one) is type(other)
            and one.keys() == other.keys()
            and all(is_same(one[key], other[key]) for key in one)
        )
    (shape, a), (other_shape, b) = one, other
    if shape != other_shape or a is None or b is None:
        return bool(shape == other_shape)
    return bool((a == b).all()) or is_close(a, b)


def is_close(a, b) -> bool:
    """Whether entries agree up to half of the digits of the largest; nan is equal to nan."""
    finite = np.isfinite(a)
    tolerance = np.sqrt(np.finfo(a.dtype).eps) * np.max(np.abs(a[finite]), initial=0.0)
    same = (a == b) | ((a != a) & (b != b))
    same[finite] |= np.abs(a[finite] - b[finite]) <= tolerance
    return bool(same.all())


def refuse_other_result(function: Callable[..., Any], first, y) -> None:
    """Raise where the function's result is not the one of which `first` is a sample."""
    if not is_same(first, sample(y)):
        raise RecomputationError(
            f"checkpoint({qualified_name(function)})",
            "another result when it was run again in the sweep: it draws random numbers, or"
            " reads what has changed",
            "draw outside, and pass the draws and all else that changes as arguments",
            function=function,
            value=y,
        )
