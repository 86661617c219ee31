"""NumPy's floating-point errors while a derivative is taken.

They become warnings of the user's line, and a FloatingPointError in strict results. NumPy itself
warns of the innermost line of Python, which is one of this library's then. So it is made to call a
`FloatErrors` instead (see `numpy.seterrcall`), which does what the caller's error state says, and
warns of the innermost line that is somebody else's.

Where zero has met infinity in a *strict result* (see `strictness`), it raises. Whether a thread
computes one is said by its `Strictness`.
"""

import sys
import warnings
from collections.abc import Mapping
from typing import Any

from chainrules_py.introspection import frame_above, users_level

KINDS = {
    "divide by zero": "divide",
    "overflow": "over",
    "underflow": "under",
    "invalid value": "invalid",
}
REPORTED = {"warn": "log"}
# always reported, because only then it is known whether the result is strict
INVALID = {"ignore": "log", "warn": "log", "print": "log", "call": "log"}


class Strictness:
    """Whether a thread computes a strict result; each thread has one (`strictness.this_thread`).

    `applies` is True while it does. `error_state` is the error state in which NumPy reports to
    this thread's `FloatErrors`, and `callers_state` the one that it was made for; `known_states`
    are others that have been made, by the modes of the caller.
    """

    __slots__ = ("applies", "callers_state", "error_state", "known_states")

    def __init__(self) -> None:
        self.applies = False
        self.error_state: Any = object()
        self.callers_state: Any = object()
        self.known_states: dict[tuple[Any, ...], Any] = {}


class FloatErrors:
    """Treats floating-point errors as the caller's error state says.

    `modes` are those of `numpy.geterr`, and `call` is that of `numpy.geterrcall`.
    """

    def __init__(self, modes: Mapping[str, Any], call, strictness: Strictness) -> None:
        self.modes = modes
        self.call = call
        self.strictness = strictness

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
        """Do what the caller's mode says; raise where a strict result is invalid."""
        text = message.removeprefix("Warning: ").rstrip("\n")
        error = next(error for error in KINDS if text.startswith(error))
        kind = KINDS[error]
        if kind == "invalid" and self.strictness.applies:
            raise FloatingPointError(text)
        mode = self.modes[kind]
        if mode == "warn":
            warnings.warn(text, RuntimeWarning, stacklevel=users_level(frame_above(1)))
        elif mode == "log":
            self.call.write(message)
        elif mode == "call":
            self.call(error, 8)  # NumPy's flag of "invalid": it calls for the others itself
        elif mode == "print":
            sys.stderr.write(message)
