"""The lines of the user's program that steps come from."""

from collections.abc import Hashable
from typing import Any

from chainrules_programs.recording.program import Call, Place, Step, Value
from chainrules_py.introspection import assigned_variable, line_of, place_in_code, user_frame
from chainrules_tape.refusals.code_owners import ENGINE

# none of whose lines is the user's
_LIBRARIES = ("numpy", "scipy", "optree", "plum", "contextlib", "functools")
OWN = frozenset({*ENGINE, "chainrules_py", "chainrules_numpy", *_LIBRARIES})
# Frames beyond those of these modules are of code that asked for the recording, or for a derivative:
# sums of cotangents have no line, as pullbacks have none.
BENEATH = frozenset({"chainrules_programs.recording.record", "chainrules_tape.core.sweep"})


class Places:
    """Find the line of the user's code that runs just now.

    It is asked for at each step, and so `known` and `lines` remember what was found for a code and
    for an instruction.

    `variables` has the variable to which the result of a place is assigned, by the number of the
    place: one instruction has one place.
    """

    def __init__(self) -> None:
        self.known: dict[int, Any] = {}
        self.lines: dict[Hashable, Place] = {}
        self.variables: dict[int, str] = {}

    def place(self) -> Place | None:
        """File and line of the innermost call of code that is the user's; None where there is none."""
        # the three above are of the recording
        frame = user_frame(OWN, self.known, beneath=BENEATH, depth=3)
        if frame is None:
            return None
        key = place_in_code(frame)
        place = self.lines.get(key)
        if place is None:
            place = self.lines[key] = line_of(frame)
            variable = assigned_variable(frame)
            if variable is not None:
                self.variables[id(place)] = variable
        return place


def name_results(steps: list[Step], places: Places) -> None:
    """Name the values that the user's code assigns to variables.

    Several steps may come from one instruction: the last of them makes what is assigned.
    """
    following: Place | None = None
    for step in reversed(steps):
        place = step.place
        if place is not None and place is not following and isinstance(step, Call):
            variable = places.variables.get(id(place))
            if variable is not None and isinstance(step.results, Value):
                step.results.name = variable
        following = place
