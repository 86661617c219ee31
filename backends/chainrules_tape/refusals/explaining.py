"""Errors of traced functions get notes: this imports what writes them with the first error."""

from typing import Any


def explain_error(level, error: Exception, function: Any = None, args: Any = ()) -> None:
    """Add to an error what tracing has to do with it, or raise the refusal that it came of.

    `function` is the one that was traced, where it is the user's own, and `args` are what it was
    called with.
    """
    from chainrules_tape.refusals import error_notes

    error_notes.explain_error(level, error, function, args)
