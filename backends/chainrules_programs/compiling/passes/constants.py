"""Make constants for passes, each once, apart from the arrays that the recording has."""

from typing import Any

import numpy as np

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
            self.known[key] = _copied(constant)
        return self.known[key]


def _copied(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    repeated = [n > 1 and step == 0 for n, step in zip(array.shape, array.strides, strict=True)]
    if not any(repeated):
        return array.copy(order="K")
    once = array[tuple([slice(1) if is_repeated else slice(None) for is_repeated in repeated])]
    return np.broadcast_to(once.copy(order="K"), array.shape)
