"""Errors of traced functions get notes: this imports what writes them with the first error."""

from typing import Any


def explain_error(level: Any, error: Exception) -> None:
    """Add to an error what tracing has to do with it, or raise the refusal that it came of."""
    from chainrules_tape.refusals import error_notes

    error_notes.explain_error(level, error)
