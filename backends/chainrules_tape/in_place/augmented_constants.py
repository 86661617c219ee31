"""``a *= x`` for a plain array that nobody else holds and a traced `x`, in instrumented code.

Python assigns the result of the operation to the name that it read. Where that name alone holds the
array, nobody can tell a new array in its place from one that was written to, so the new one may be
traced. References are counted; how many there are of an array that one name holds depends on how
the call got here, so a probe takes the same path.

An operator has no name under which another function could be called. So this is one of the two
questions that are still asked of the frame that calls (the other one is in `chainrules_foreign_code.steps`):
NumPy calls `numpy.multiply` with `a` as its `out` for ``numpy.multiply(a, x, out=a)``, too, whose
array others may expect to be written to.
"""

from typing import Any

import numpy as np

from chainrules_py.annotations import Args
from chainrules_py.introspection import (
    holds_what_it_augments,
    is_augmented_assignment,
    uncounted,
)
from chainrules_tape.refusals.code_owners import calling_frame
from chainrules_tape.refusals.instrumented_packages import is_seen_through


class Counted(Exception):
    """How many references there are of a probe."""


class Probe(np.ndarray):
    """An array that is counted, and not written to."""


def value_in_place(primal, target, args: Args, count: float) -> Any:
    """The value of ``target *= x`` where that may take the target's place, else None.

    `count` is of references to the target.
    """
    if type(target) is Probe:
        raise Counted(count)
    if type(target) is not np.ndarray or target.base is not None:
        return None

    frame = calling_frame()
    if not is_seen_through(frame) or not is_augmented_assignment(frame):
        return None
    # an array that a caller has lent to this function is lent to the operation, too
    count += uncounted(target, frame) or -holds_what_it_augments(frame)
    if count > references_of_one_holder(args[1]):
        return None

    y = primal(*args)
    return y if y.shape == target.shape and y.dtype == target.dtype else None


def references_of_one_holder(x) -> float:
    """How many references an array has that one name holds, when it is augmented by a value."""
    probe: Any = np.zeros(1).view(Probe)
    try:
        probe += x
    except Counted as counted:
        return float(counted.args[0])
    return 0
