"""The errors of recording, and of running a recorded program again."""

from typing import Any, Never

from chainrules_py.errors import ChainRulesError


class NotRecordedError(ChainRulesError, NotImplementedError):
    """A program does something that cannot be written down: `operation` says what."""

    operation: str


class GuardFailedError(ChainRulesError, RuntimeError):
    """A recorded program met what it did not see while it was recorded: `guard` is the question, or
    None where zero has met infinity.
    """

    guard: Any


def refuse_recording(operation: str, got: str, instead: str) -> Never:
    """Raise, because an operation cannot be written down."""
    raise NotRecordedError(f"recording {operation}", got, instead, operation=operation)
