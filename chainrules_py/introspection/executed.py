"""Which instructions of chosen functions a run executes.

`sys.settrace` tells, once per instruction. Where another tool traces the thread, a debugger say,
nothing is noted.
"""

import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any


class Executed:
    """The offsets of the instructions that ran, by code; None stands for all of a code.

    `is_followed` chooses functions, by the name of their module.

    >>> executed = Executed(lambda module: module == __name__)
    >>> executed.run(lambda x: x + 1, 2)
    3
    >>> executed.count() > 3
    True
    """

    def __init__(self, is_followed: Callable[[Any], bool]) -> None:
        self.is_followed = is_followed
        self.offsets: dict[CodeType, set[int] | None] = {}
        self.has_run = False
        self._others: set[CodeType] = set()

    def count(self) -> int:
        """How many instructions are noted; more after a run that went another path."""
        return len(self.offsets) + sum(len(each) for each in self.offsets.values() if each)

    def of(self, code: CodeType) -> set[int] | None:
        """The offsets of a code's instructions that ran, maybe none; None for all."""
        return self.offsets.get(code, set())

    def run(self, function: Callable[..., Any], *args, **options) -> Any:
        """Call a function, and note what runs meanwhile."""
        # Python 3.12 tells of instructions where a frame had asked before this call
        sys._getframe().f_trace_opcodes = True
        sys.settrace(self._called)
        try:
            return function(*args, **options)
        finally:
            sys.settrace(None)
            self.has_run = True

    def _called(self, frame: FrameType, event: str, arg) -> Any:
        code = frame.f_code
        if code in self._others:
            return None
        if code not in self.offsets:
            if not self.is_followed(frame.f_globals.get("__name__")):
                self._others.add(code)
                return None
            self.offsets[code] = set()
        ran = self.offsets[code]
        if ran is None:
            return None
        is_told = False

        def note(frame: FrameType, event: str, arg):
            nonlocal is_told
            if event == "opcode":
                is_told = True
                ran.add(frame.f_lasti)
            elif event == "return" and not is_told:  # of a Python that tells of no instructions
                self.offsets[code] = None
            return note

        frame.f_trace = note  # before the next line, which Python 3.13 does not heed otherwise
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return note


def is_traced() -> bool:
    """Whether a tool traces this thread, so that nobody else can."""
    return sys.gettrace() is not None
