"""What NumPy tells of floating-point errors while a derivative is taken: warnings of the user's
line, and strict results.

NumPy warns of the innermost line of Python, which is one of this library's while a derivative is
taken. So it is made to call a `FloatErrors` instead (see `numpy.seterrcall`), which does what the
caller's error state says, and warns of the innermost line that is somebody else's.

It also raises where zero has met infinity in a *strict result* (see `strictness`). Whoever computes
one says so by a local variable that is `STRICT` meanwhile. To say so takes no time, and only where
something is invalid is it looked for:

    y_dot = STRICT
    try:
        y_dot = y_bar * partial
    except FloatingPointError:
        y_dot = None
        y_dot = careful_product(y_bar, partial)
"""

import sys
import warnings
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

STRICT: Any = type("Strict", (), {})()  # stands for a result that is being computed strictly

KINDS = {
    "divide by zero": "divide",
    "overflow": "over",
    "underflow": "under",
    "invalid value": "invalid",
}
REPORTED = {"warn": "log"}
# whether a result is strict is asked each time
INVALID = {"ignore": "log", "warn": "log", "print": "log", "call": "log"}


class FloatErrors:
    """Does about floating-point errors what an error state says, which is that of `numpy.geterr`
    and `numpy.geterrcall`.
    """

    def __init__(self, modes: Mapping[str, Any], call: Any) -> None:
        self.modes, self.call = modes, call

    def reporting_modes(self) -> dict[str, Any]:
        """The modes in which NumPy calls this object wherever it has something to do."""
        return {
            kind: (INVALID if kind == "invalid" else REPORTED).get(mode, mode)
            for kind, mode in self.modes.items()
        }

    def __call__(self, error: str, flag: int) -> None:
        """Hand on what the caller's mode "call" asks for."""
        self.call(error, flag)

    def write(self, message: str) -> None:
        """Do what the caller's mode says; raise FloatingPointError where a strict result is
        invalid.
        """
        text = message.removeprefix("Warning: ").rstrip("\n")
        error = next(error for error in KINDS if text.startswith(error))
        mode, callers = self.modes[KINDS[error]], list(frames_from(sys._getframe(1)))
        if KINDS[error] == "invalid" and any(map(computes_strictly, callers)):
            raise FloatingPointError(text)
        if mode == "warn":
            outside = next(
                (level for level, frame in enumerate(callers, 2) if not is_ours(frame)), 2
            )
            warnings.warn(text, RuntimeWarning, stacklevel=outside)
        elif mode == "log":
            self.call.write(message)
        elif mode == "call":
            self.call(error, 8)
        elif mode == "print":
            sys.stderr.write(message)


def frames_from(frame: FrameType | None) -> Iterator[FrameType]:
    """A frame, and those that wait for it, the innermost first."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs code of this library, or of a backend or an engine of it: their packages
    are all named so.
    """
    name: str = frame.f_globals.get("__name__", "")
    return name.startswith("chainrules_")


def computes_strictly(frame: FrameType) -> bool:
    """Whether a frame says that it computes a strict result."""
    return frame.f_globals.get("STRICT") is STRICT and any(
        value is STRICT for value in frame.f_locals.values()
    )
