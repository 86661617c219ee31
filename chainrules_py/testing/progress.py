"""One line for terminals that shows how far a long run of checks is."""

from collections.abc import Callable
from time import monotonic
from typing import TextIO


class Bar:
    """A line that shows the share done and the time left, on terminals only."""

    WIDTH = 30

    def __init__(self, stream: TextIO, clock: Callable[[], float] = monotonic) -> None:
        self.stream = stream if stream.isatty() else None
        self.clock, self.begin = clock, clock()

    def show(self, done: int, total: int, name: str) -> None:
        """Draw the line."""
        if self.stream is not None:
            filled = "#" * (self.WIDTH * done // max(total, 1))
            left = self.left(done, total)
            self.stream.write(f"\r\x1b[K[{filled:<{self.WIDTH}}] {done}/{total}{left} {name[:60]}")
            self.stream.flush()

    def left(self, done: int, total: int) -> str:
        """Estimate the time left from the pace so far; nothing in the first second."""
        spent = self.clock() - self.begin
        if spent < 1 or not done:
            return ""
        minutes, seconds = divmod(round(spent / done * (total - done)), 60)
        return f", {f'{minutes} min {seconds:02} s' if minutes else f'{seconds} s'} left"

    def clear(self) -> None:
        """Remove the line."""
        if self.stream is not None:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
