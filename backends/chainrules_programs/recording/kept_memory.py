"""Which memory the rules of derivatives may keep for their pullbacks, so that nobody may write there.

An array that the user's code has made and filled, before it met a traced value, is nobody else's.
What tells is the stack: whatever is called from code of the engine belongs to an operation.
"""

from numpy import ndarray

from chainrules_py.introspection import callers, module_name
from chainrules_tape.refusals.code_owners import ENGINE

# Code of ours that only passes a call of the user's on, or runs the user's function.
_PASSING_ON = (
    *("chainrules_programs.", "chainrules_foreign_code.", "chainrules_tape.xp."),
    *("chainrules_tape.numpy.", "chainrules_tape.arguments"),
    *("chainrules_tape.gradients", "chainrules_tape.core.tracing", "chainrules_tape.transforms"),
    *("chainrules_tape.derivatives", "chainrules_tape.matrices", "chainrules_tape.vectors"),
    *("chainrules_tape.vmap", "chainrules_py.introspection."),
)
_OF_OPERATIONS = frozenset({*ENGINE, "chainrules_py", "chainrules_numpy"})
_OUTERMOST = "chainrules_programs.recording.record"
_CONSTANT = "chainrules_py.makers.declarations"  # rules without a derivative, which keep nothing


class KeptMemory:
    """The memory that operations have read or made so far, by the identity of the owning array."""

    __slots__ = ("_belong", "owners")

    def __init__(self) -> None:
        self.owners: dict[int, ndarray] = {}
        self._belong: dict[str, bool] = {}  # to operations: modules

    def note(self, arrays: list[ndarray]) -> None:
        """Note what a call reads and makes, if it is one of an operation."""
        if self._is_of_operation():
            self.owners |= {id(array): array for array in arrays}

    def _is_of_operation(self) -> bool:
        is_constant = False  # what the engine was asked for, as far as the frames are its own
        for frame in callers(3):
            name = module_name(frame)
            if name == _OUTERMOST:
                return False
            if name == _CONSTANT:
                is_constant = True
                continue
            found = self._belong.get(name)
            if found is None:
                is_ours = name.partition(".")[0] in _OF_OPERATIONS
                found = self._belong[name] = is_ours and not name.startswith(_PASSING_ON)
            is_constant = is_constant and found and name.startswith("chainrules_tape.")
            if found and not is_constant:
                return True
        return False
