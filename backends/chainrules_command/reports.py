"""Report an error of the program that a command ran, with the lines of that program and not ours."""

import traceback
from traceback import FrameSummary
from types import TracebackType

from chainrules_py.introspection import package_name
from chainrules_py.values.shipped import PACKAGES_OF_OURS

_OF_IMPORTS = ("importlib", "_frozen_importlib", "_frozen_importlib_external")
_NOT_THE_PROGRAMS = PACKAGES_OF_OURS.union(_OF_IMPORTS)
_MOST = 8  # lines of the program


def report(error: BaseException, name: str) -> str:
    """An error in a few lines: where it was raised, what it says, and the calls of the program that
    led there.

    >>> try:
    ...     1 / 0
    ... except ZeroDivisionError as error:
    ...     print(report(error, "model:loss").splitlines()[0])
    chainrules: model:loss: ZeroDivisionError: division by zero
    """
    said = [line.rstrip() for line in traceback.format_exception_only(error)]
    kind, _, message = "\n".join(said).partition(": ")
    head = f"chainrules: {name}: {kind.rpartition('.')[2]}" + (f": {message}" if message else "")
    calls = list(dict.fromkeys(map(as_line, frames_of_program(error.__traceback__))))
    return "\n".join([head, *calls[-_MOST:], "  (--traceback prints all of Python's report)"])


def frames_of_program(trace: TracebackType | None) -> list[FrameSummary]:
    """The frames of a traceback that are neither this library's nor those of an import."""
    found = []
    for frame, line in traceback.walk_tb(trace):
        if package_name(frame) not in _NOT_THE_PROGRAMS:
            found.append(FrameSummary(frame.f_code.co_filename, line, frame.f_code.co_name))
    return found


def as_line(frame: FrameSummary) -> str:
    """One call of the program: its file and line, the function, and the text of the line."""
    return f"  {frame.filename}:{frame.lineno}: {frame.line or frame.name}"
