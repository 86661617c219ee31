"""Functions of NumPy's that move entries, repeat them and put zeros between: NumPy moves their
numbers, and each entry of the result is read by its number.
"""

from typing import Any

import numpy as np

from chainrules_array_api.entries import read_or_zero
from chainrules_array_api.standard_array import StandardArray, on_standard, wrapped
from chainrules_py.annotations import Function

NAMES = ("diag", "diagonal", "rot90", "delete")


def moved(name: str) -> Function:
    """NumPy's function by this name, of one array that comes first."""
    function: Function = getattr(np, name)

    def compute_moved(a, *args, **options):
        return read_numbered(a, function(numbers_of(a), *args, **options))

    return on_standard(compute_moved, function)


def numbers_of(a: StandardArray) -> np.ndarray:
    """The numbers of the entries, from one on."""
    return np.arange(1, a.size + 1).reshape(a.shape)


def read_numbered(a: StandardArray, numbers) -> Any:
    """The entries with these numbers, in their shape; zero for the number zero."""
    if isinstance(numbers, list | tuple):
        return type(numbers)([read_numbered(a, part) for part in numbers])
    # the one past the last is zero
    positions = np.where(numbers > 0, numbers - 1, a.size)
    flat = a.xp.reshape(a.array, (-1,))
    return wrapped(a.xp.reshape(read_or_zero(a.xp, flat, positions.reshape(-1)), numbers.shape))


FUNCTIONS = {name: moved(name) for name in NAMES}
