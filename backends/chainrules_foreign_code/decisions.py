"""Note decisions by traced values, comparisons and signs; `bisections` uses the notes."""

import re
from itertools import takewhile
from math import isfinite
from types import FrameType
from typing import Any

import numpy as np

from chainrules_foreign_code.bisections import (
    note_branch,
    note_constant_entries,
    note_decision,
)
from chainrules_foreign_code.lanes import (
    beneath_lanes,
    in_any_lane,
    without_derivative,
)
from chainrules_py.annotations import Args
from chainrules_py.introspection import frame_above, frame_outside, frames_outward, module_name
from chainrules_py.values.arrays import as_known
from chainrules_tape.in_place.lane_memory import lane_sizes
from chainrules_tape.refusals.code_owners import ENGINE, calling_frame
from chainrules_tape.refusals.handles import TracedArray, plain

# rules that compare, or take signs, because a program does so with values of an inner level
_ON_BEHALF = (
    *("chainrules_py.batching.", "chainrules_py.makers."),
    "chainrules_py.values.python_numbers",
)


def note_equality(level, operands: Args) -> None:
    """Note a traced number, or entries of an array, that equal another number.

    Of two traced numbers it is their difference that what is differentiated may move.
    """
    x, other = operands if level.owns(operands[0]) else operands[::-1]
    if x is other:
        return
    frame = asking_frame()
    if is_asked_by_a_formula(frame):
        return
    name = module_name(frame)
    is_of_memory = name.startswith("chainrules_tape.in_place.")
    if name.startswith("chainrules_") and not is_of_memory:  # rules ask, too, at higher orders
        return
    x, compared = beneath_lanes(x), plain(other)
    constant = as_known(compared)
    is_number = issubclass(type(constant), float | int) and isfinite(constant)
    if not issubclass(type(x), TracedArray) or not is_number:
        return
    value = without_derivative(x)
    equal = value == compared  # which a recording may see
    if not in_any_lane(equal):
        return
    if is_of_memory:
        frame = asking_frame()
    if x.shape == () and not lane_sizes(value):
        is_traced = issubclass(type(other), TracedArray)
        moved = x - other if is_traced else x
        note_branch(moved.level, frame, moved, constant, not is_traced)
    elif value.dtype.kind == "f":
        note_constant_entries(
            x, equal, frame, f"x == {constant:.6g} for entries of x, a branch for this number alone"
        )


def is_asked_by_a_formula(asking: FrameType) -> bool:
    """Whether a comparison comes from the written formula of a rule, such as a maximum."""
    between = takewhile(lambda frame: frame is not asking, frames_outward(frame_above(2)))
    files = [frame.f_code.co_filename for frame in between]
    return any(file.startswith("<") and not _OF_EQUALITY.match(file) for file in files)


# of the operations of numbers, those that are comparisons themselves
_OF_EQUALITY = re.compile("<(python_)?(eq|ne|equal|not_equal) ")


def asking_frame() -> FrameType:
    """The frame that asks for a comparison or a step.

    Where all lanes take one, or a derivative of a derivative, rules ask on behalf of the program.
    """
    found = calling_frame()
    if not module_name(found).startswith(_ON_BEHALF):
        return found
    asking = frame_outside({*ENGINE, "chainrules_py"}, found)
    between = takewhile(lambda frame: frame is not asking, frames_outward(found))
    return next(filter(is_of_a_rule, between), asking)


def is_of_a_rule(frame: FrameType) -> bool:
    """Whether a frame is that of a rule, or of a body, that decides by itself."""
    return module_name(frame).startswith("chainrules_py.rulesets.")


def note_comparison(frame: FrameType, x, other) -> None:
    """Note a decision by real numbers, or entries of arrays, of which the first is traced."""
    x, other = beneath_lanes(x), beneath_lanes(other)
    if not issubclass(type(x), TracedArray):
        x, other = other, x
    if not issubclass(type(x), TracedArray):
        return
    a, b = without_derivative(x), without_derivative(other)
    now_a, now_b = as_known(a), as_known(b)
    if not isinstance(now_a, float | np.ndarray) or not isinstance(now_b, float | int | np.ndarray):
        return
    if issubclass(type(now_a), float) and issubclass(type(now_b), float | int):
        is_above = bool(now_a > now_b)
        distance, sides = abs(now_a - now_b), (is_above, not is_above)
        is_recorded = now_a is not a or now_b is not b
    else:
        distance, sides = farthest(a, b), (True, True)  # entries of arrays have either answer
        is_recorded = distance is not as_known(distance)
    if isfinite(as_known(distance)):
        note_decision(x.level, frame, distance, sides, (x, other), is_recorded)


def farthest(a, b) -> Any:
    """The largest difference of real entries, in all lanes; infinite if there is none."""
    differences = plain(np.abs(a - b))
    known = np.asarray(as_known(differences))
    return np.max(differences) if known.dtype.kind == "f" and known.size else np.inf
