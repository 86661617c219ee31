"""How far a long computation is: one line on the terminal, which goes when it ends.

Nothing is written in the first seconds, nor where the stream, the standard error, is no terminal.
"""

import sys
from time import monotonic
from typing import TextIO

PATIENCE = 2.0  # seconds without a word


class Progress:
    """Counts what is done, in a context that takes the line away.

    >>> with Progress("columns", 2) as progress:
    ...     progress.at(1)
    """

    __slots__ = ("begin", "count", "is_shown", "stream", "what")

    def __init__(self, what: str, count: int, stream: TextIO | None = None) -> None:
        self.what, self.count, self.stream = what, count, stream or sys.stderr
        self.begin = monotonic()
        self.is_shown = False

    def __enter__(self) -> "Progress":
        return self

    def at(self, done: int) -> None:
        """Show how many are done, if it takes long and somebody looks."""
        seconds = monotonic() - self.begin
        if seconds > PATIENCE and self.stream is not None and self.stream.isatty():
            self.is_shown = True
            self.write(f"{done} of {self.count} {self.what}, {seconds:.0f} s")

    def __exit__(self, *_: object) -> None:
        if self.is_shown:
            self.write("")

    def write(self, line: str) -> None:
        """Write over the line that is there."""
        self.stream.write(f"\r{line}\x1b[K")
        self.stream.flush()
