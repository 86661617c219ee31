"""A tape on which several threads record at once, for interpreters that may switch threads between
the steps of a record.

CPython with its global lock does not, as soon as it has specialised the lines that record, and a
lock would cost each operation 7 %, asking which thread it is 2 %. Where a debugger, a profiler or a
coverage tool watches threads, nothing is specialised, and without a global lock threads do not take
turns: there slow dispatch is taken, with a lock.
"""

from threading import Lock
from typing import Any

from chainrules_tape.core.levels import SlowDispatchOnly
from chainrules_tape.core.plans import Engine
from chainrules_tape.core.tape import Tape


class LockedTape(Tape):
    """A tape that gives out slots under a lock; its operations take slow dispatch."""

    __slots__ = ("lock",)

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.stages = SlowDispatchOnly()
        self.lock = Lock()

    def record(self, y, pull, residuals, parents) -> Any:
        """Write an operation on the tape while no other thread does, and make the handle on its
        value.
        """
        with self.lock:
            return super().record(y, pull, residuals, parents)
