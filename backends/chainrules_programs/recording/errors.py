"""The errors of recording, and of running a recorded program again."""

from traceback import walk_tb
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


# words of a ValueError that is about shapes, which all calls that a program covers have
_OF_SHAPES = (
    *("shape", "broadcast", "dimension", "axis", "axes", "size", "length", "sequence"),
    *("ambiguous", "unpack", "read-only"),
)


def is_of_numbers(error: BaseException) -> bool:
    """Whether numbers decide about an error: a program may have it in one run, and not in another."""
    if isinstance(error, ArithmeticError | np.linalg.LinAlgError | IndexError | RuntimeWarning):
        return True
    if type(error) is RuntimeError:  # of a solver of SciPy's that does not converge
        raised_in = [
            str(frame.f_globals.get("__name__")) for frame, _ in walk_tb(error.__traceback__)
        ]
        return any(module.startswith("scipy.") for module in raised_in)
    said = str(error)
    return type(error) is ValueError and not any(word in said for word in _OF_SHAPES)


def refuse_recording(operation: str, got: str, instead: str) -> Never:
    """Raise, because an operation cannot be written down."""
    raise NotRecordedError(f"recording {operation}", got, instead, operation=operation)
