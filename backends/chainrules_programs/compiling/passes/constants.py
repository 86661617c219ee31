"""Make constants for passes, each once, apart from the arrays that the recording has."""

from typing import Any

import numpy as np

FEW = 1024  # bytes of a constant that is compared with others by its contents


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


def key_of(constant) -> Any:
    """Return a key that two constants share if they may stand for each other.

    Zeros of either sign differ, True differs from 1, and large arrays go by their identity.
    """
    if isinstance(constant, np.ndarray):
        is_large = constant.nbytes > FEW and not _repeats_one_number(constant)
        if is_large or constant.dtype.hasobject:
            return id(constant)
        first = constant.tobytes() if constant.nbytes <= FEW else constant.flat[0].tobytes()
        return constant.shape, constant.strides, constant.dtype, first
    if isinstance(constant, tuple | list):
        return type(constant), *map(key_of, constant)
    if isinstance(constant, slice):
        return slice, key_of(constant.start), key_of(constant.stop), key_of(constant.step)
    if isinstance(constant, dict):
        return dict, *[(key, key_of(part)) for key, part in constant.items()]
    if isinstance(constant, int | float | complex | np.generic):
        return type(constant), repr(constant)
    if isinstance(constant, str | bytes | np.dtype | type | None):
        return type(constant), constant
    return id(constant)


def _repeats_one_number(array: np.ndarray[Any, Any]) -> bool:
    return not any(array.strides)
