"""The errors of recording, and of running a recorded program again."""

from typing import Any, Never

import numpy as np

from chainrules_py.errors import ChainRulesError


class NotRecordedError(ChainRulesError, NotImplementedError):
    """A program does something that cannot be written down: `operation` says what."""

    operation: str


class GuardFailedError(ChainRulesError, RuntimeError):
    """A recorded program met what it did not see while it was recorded: `guard` is the question, or
    None where zero has met infinity.
    """

    guard: Any


# how Python and SciPy say that a number is not finite, or not one that a function takes
_OF_NUMBERS = (
    *("cannot convert float NaN", "array must not contain infs or NaNs"),
    *("math domain error", "expected a "),
)


def is_of_numbers(error: BaseException) -> bool:
    """Whether numbers decide about an error: a program may have it in one run, and not in another."""
    if isinstance(error, ArithmeticError | np.linalg.LinAlgError | IndexError | RuntimeWarning):
        return True
    return type(error) is ValueError and str(error).startswith(_OF_NUMBERS)


def refuse_recording(operation: str, got: str, instead: str) -> Never:
    """Raise, because an operation cannot be written down."""
    raise NotRecordedError(f"recording {operation}", got, instead, operation=operation)
