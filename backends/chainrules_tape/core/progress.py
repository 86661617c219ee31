"""How far a long computation is: one line on the terminal, which goes when it ends.

Nothing is written in the first seconds, nor where the standard error is no terminal.
"""

import sys
from time import monotonic

PATIENCE = 2.0  # seconds without a word


class Progress:
    """Counts what is done, in a context that takes the line away.

    >>> with Progress("columns", 2) as progress:
    ...     progress.at(1)
    """

    __slots__ = ("begin", "count", "is_shown", "what")

    def __init__(self, what: str, count: int) -> None:
        self.what, self.count = what, count
        self.begin = monotonic()
        self.is_shown = False

    def __enter__(self) -> "Progress":
        return self

    def at(self, done: int) -> None:
        """Show how many are done, if it takes long and somebody looks."""
        seconds = monotonic() - self.begin
        if seconds > PATIENCE and sys.stderr is not None and sys.stderr.isatty():
            self.is_shown = True
            self.write(f"{done} of {self.count} {self.what}, {seconds:.0f} s")

    def __exit__(self, *_: object) -> None:
        if self.is_shown:
            self.write("")

    def write(self, line: str) -> None:
        """Write over the line that is there."""
        sys.stderr.write(f"\r{line}\x1b[K")
        sys.stderr.flush()
