"""Errors of traced functions get notes, and refusals that they have caught raise or warn. What
writes notes is imported with the first refusal.
"""

import warnings
from typing import Any

from chainrules_tape.refusals.errors import LostGradientError, LostGradientWarning, Refusal
from chainrules_tape.refusals.unseen import is_seen_by_itself, text_about


def explain_error(level, error: Exception, function: Any = None, args: Any = ()) -> None:
    """Add to an error what tracing has to do with it, or raise the refusal that it came of.

    `function` is the one that was traced, where it is the user's own, and `args` are what it was
    called with.
    """
    from chainrules_tape.refusals import error_notes

    error_notes.explain_error(level, error, function, args)


def warn_of_refusals(level) -> None:
    """Warn where a `LostGradientError` was caught: with plain values there is none.

    Raise where what caught it went on with nan, or where its code can be seen through by itself.
    """
    refused: Refusal | None = level.refused
    if refused is None:
        return
    operation = refused.operation
    from chainrules_tape.refusals.error_notes import unseen_of

    unseen = unseen_of(refused)
    if unseen is not None and is_seen_by_itself(text_about(unseen, unseen.package or "")):
        got = "refused, and the error was caught, so other lines ran than for plain values"
        raise LostGradientError(
            operation,
            got,
            refused.instead,
            operation=operation,
            value=None,
            unseen=unseen._replace(is_caught=True),
        )
    if refused.answered_by is not None:
        got = f"refused, and the error was caught by {refused.answered_by}, which goes on with nan"
        raise LostGradientError(operation, got, refused.instead, operation=operation, value=None)
    message = (
        f"{operation}: refused, and the error was caught, which plain values do not raise; ask"
        " before converting"
    )
    warnings.warn_explicit(message, LostGradientWarning, refused.filename, refused.line)
