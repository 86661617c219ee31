"""The value that a rule returns is the value of the primal."""

from typing import Any

import numpy as np

from chainrules_py.rules.rule import Mode
from chainrules_py.testing.coordinates import number_dtype, to_numpy
from chainrules_py.testing.failures import Diagnosis
from chainrules_py.testing.trial import Trial, describe_value
from chainrules_py.values.structure import fields, is_structural


def require_same_value(trial: Trial, mode: Mode, y) -> None:
    """`y` is what the primal returns: class, shape, dtype and numbers."""
    problem = value_problem(y, trial.y, trial.tolerance.oracle)
    if problem is not None:
        raise trial.failure("primal", mode, Diagnosis("primal", problem))


def value_problem(got, expected, relative: float) -> str | None:
    """Say in words how two values differ, or return None."""
    if is_structural(expected):
        return _structural_problem(got, expected, relative)
    if number_dtype(expected) is None and not isinstance(expected, np.ndarray | np.generic):
        is_same = _equal(got, expected)
    elif describe_kind(got) != describe_kind(expected):
        return f"the value is {describe_value(got)}, the primal's is {describe_value(expected)}"
    else:
        is_same = _close(to_numpy(got), to_numpy(expected), relative)
    return None if is_same else f"the value is {got!r}, the primal's is {expected!r}"


def _close(got, expected, relative: float) -> bool:
    if bool((got == expected).all()):  # as a rule, and ten times as quick
        return True
    return got.dtype.kind in "fc" and bool(
        np.allclose(got, expected, rtol=relative, atol=1e-3 * relative, equal_nan=True)
    )


def describe_kind(value) -> tuple[Any, ...]:
    """Return the shape and dtype, which have to agree exactly; scalars count as 0-d arrays."""
    dtype = getattr(value, "dtype", None)
    if dtype is None and isinstance(value, int | float | complex):
        dtype = np.dtype(type(value))
    return dtype, np.shape(value)


def _structural_problem(got, expected, relative: float) -> str | None:
    if type(got) is not type(expected):
        return f"the value is a {type(got).__name__}, the primal's is a {type(expected).__name__}"
    have, want = fields(got), fields(expected)
    if have.keys() != want.keys():
        return f"the value has the fields {list(have)}, the primal's has {list(want)}"
    found = (value_problem(have[key], want[key], relative) for key in want)
    return next((problem for problem in found if problem is not None), None)


def _equal(got, expected) -> bool:
    return got is expected or bool(type(got) is type(expected) and got == expected)
