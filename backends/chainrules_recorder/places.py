"""The lines of the user's program that steps come from."""

from chainrules_py.introspection import line_outside
from chainrules_recorder.program import Place

OWN = frozenset(
    {
        *("chainrules_py", "chainrules_tape", "chainrules_recorder", "chainrules_numpy"),
        *("numpy", "scipy", "optree", "plum", "contextlib", "functools"),
    }
)


# what hands a call of the user's over to the recording
PASSING_ON = frozenset({"chainrules_recorder", "numpy"})


class Places:
    """The line of the user's that runs just now; asked at each step, and so remembered by code."""

    __slots__ = ("known",)

    def __init__(self) -> None:
        self.known: dict[object, bool] = {}

    def place(self) -> Place | None:
        """File and line of the innermost call of code that is the user's; None where there is none."""
        return line_outside(OWN, self.known)
