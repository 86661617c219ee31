"""Which function with a rule of its own was being traced, rather than differentiated by its rule, when an error came."""

from traceback import walk_tb
from types import FrameType
from typing import Any

from chainrules_py.identity import qualified_name
from chainrules_py.registry import RuleTable


def note_bypassed_rules(table: RuleTable, error: Exception) -> None:
    """Say with an error in the body of a function which has a rule how that rule is used instead of the body."""
    frames: dict[Any, FrameType] = {frame.f_code: frame for frame, _ in walk_tb(error.__traceback__)}
    for primal in dict.fromkeys(rule.primal for rule in table.rules()):
        frame = frames.get(getattr(primal, "__code__", None))
        if frame is not None and is_call_of(primal, frame):
            name, instead = qualified_name(primal), f"call primitive({primal.__name__}) in its place"
            note = f"{name} has a rule, but only calls of primitives and of NumPy's functions can be seen; {instead}"
            if note not in getattr(error, "__notes__", ()):
                error.add_note(note)


def is_call_of(primal: Any, frame: FrameType) -> bool:
    """Whether a frame with the code of a function is a call of it: functions that one decorator made share theirs."""
    cells = zip(primal.__code__.co_freevars, primal.__closure__ or (), strict=True)
    return all(frame.f_locals.get(name) is cell.cell_contents for name, cell in cells)
