"""Augmented assignment: ``x += v`` writes into an array, and whoever holds that array, or a view of it, sees what was written.

Nothing is written here: the old value may be what a pullback needs. The handle takes the new value, so that each name of it has
that. Views of the old one are handles of their own; they would go on showing it, where NumPy shows the new one. So the level
remembers which memory was to be written, and an operation that reads such memory by another handle raises. To be asked that,
the operations of the level take the general way from then on.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_tape.core.handles import TracedArray, plain
from chainrules_tape.core.levels import GeneralWayOnly
from chainrules_tape.core.overwritten import OverwrittenMemory


def augmented(x: Any, operation: Callable[[Any, Any], Any], other: Any) -> bool:
    """Whether the handle `x` could take the value of ``operation(x, other)``, and has it now."""
    level, old = x.level, plain(x)
    if type(old) is not np.ndarray or x.is_buffer:
        return False
    y = operation(x, other)
    if not issubclass(type(y), TracedArray) or y.level is not level:
        return False  # a constant, or a value of an inner level
    if y.shape != old.shape:
        return False
    if y.dtype != old.dtype:
        if not np.can_cast(y.dtype, old.dtype, "same_kind"):
            return False  # what NumPy does not write into this array
        y = y.astype(old.dtype)
    if level.overwritten is None:
        level.overwritten, level.stages = OverwrittenMemory(), GeneralWayOnly()
    level.overwritten.add(old)
    x.value = y.value
    for name in type(x).__slots__:  # its slot on the tape, or its tangent
        setattr(x, name, getattr(y, name))
    return True
