"""Make constants for passes, each once, apart from the arrays that the recording has."""

from typing import Any

import numpy as np

from chainrules_programs.compiling.constants import without_repetitions
from chainrules_programs.recording.program import key_of


class Constants:
    """Copies of arrays, one for all that are equal."""

    def __init__(self) -> None:
        self.known: dict[Any, np.ndarray[Any, Any]] = {}

    def kept(self, constant) -> Any:
        """Return a copy of an array, the one that was made before where there is an equal one.

        What repeats entries without memory of its own does so in the copy.
        """
        if not isinstance(constant, np.ndarray):
            return constant
        key = key_of(constant)
        if key not in self.known:
            copy = without_repetitions(constant).copy(order="K")
            is_whole = copy.shape == constant.shape
            self.known[key] = copy if is_whole else np.broadcast_to(copy, constant.shape)
        return self.known[key]
