"""How far a long run of checks is: one line that is drawn again and again."""

from typing import TextIO


class Bar:
    """One line that says how far we are, on terminals only."""

    WIDTH = 30

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream if stream.isatty() else None

    def show(self, done: int, total: int, name: str) -> None:
        """Draw the line."""
        if self.stream is not None:
            filled = "#" * (self.WIDTH * done // max(total, 1))
            self.stream.write(f"\r\x1b[K[{filled:<{self.WIDTH}}] {done}/{total} {name[:60]}")
            self.stream.flush()

    def clear(self) -> None:
        """Remove the line."""
        if self.stream is not None:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
