"""How long compiling a program may take: a loop whose steps go different ways is many short ones."""

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import thread_time

MANY = 100  # questions: a program whose loops repeat the same asks some thirty, of any length


class OutOfTimeError(Exception):
    """A program has been worked on for as long as it may."""


class Patience(threading.local):
    """The time of the thread at which its patience ends, and what then says how long it is."""

    begun, end = 0.0, math.inf
    asked = 0
    known: Callable[[], float] | None = None

    @contextmanager
    def of(self, seconds: float, known: Callable[[], float]) -> Iterator[None]:
        """Be patient for so long at least, and then for the seconds that `known` returns."""
        begun = thread_time()
        self.begun, self.end, self.known = begun, begun + seconds, known
        self.asked = 0
        try:
            yield
        finally:
            self.end, self.known = math.inf, None

    def ask(self) -> None:
        """Raise where it has ended, and so many have asked that the loops are short."""
        self.asked += 1
        if self.asked < MANY:
            return
        if thread_time() > self.end and self.known is not None:
            known, self.known = self.known, None
            self.end = self.begun + known()
        if thread_time() > self.end:
            raise OutOfTimeError


patience = Patience()
