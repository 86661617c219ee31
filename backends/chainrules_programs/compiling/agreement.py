"""Whether two recordings of one call are the same program, constants bit for bit.

They are not where the run drew a random number, or read a clock.
"""

from types import MethodType
from typing import Any

import numpy as np

from chainrules_programs.compiling.kinds_of_values import is_same_constant, is_users
from chainrules_programs.recording.operations import same_bits
from chainrules_programs.recording.program import (
    Call,
    Guard,
    Program,
    Step,
    Value,
    values_of,
)
from chainrules_py.values.structure import fields, is_container

Renamed = dict[int, Any]  # by the identity of a Value of one program: that of the other


def difference(one: Program, other: Program) -> Step | str | None:
    """The first step in which two recordings differ, or a sentence; None where they agree."""
    if len(one.inputs) != len(other.inputs):
        return "the number of its inputs"
    renamed: Renamed = {id(a): b for a, b in zip(one.inputs, other.inputs, strict=True)}
    for step, twin in zip(one.steps, other.steps, strict=False):
        if not is_same_step(step, twin, renamed):
            return step
    if len(one.steps) != len(other.steps):
        return "the number of its operations"
    return None if is_same(one.result, other.result, renamed) else "its result"


def is_same_step(step: Step, twin: Step, renamed: Renamed) -> bool:
    """Whether two steps do the same with values that correspond; notes what results correspond."""
    if type(step) is Call and type(twin) is Call:
        return is_same_call(step, twin, renamed)
    if type(step) is not Guard or type(twin) is not Guard:
        return False
    asked, again = ((guard.question, guard.operand, guard.answer) for guard in (step, twin))
    return is_same(asked, again, renamed)


def is_same_call(step: Call, twin: Call, renamed: Renamed) -> bool:
    """Whether two calls do the same with values that correspond."""
    if step.primal is not twin.primal and step.primal != twin.primal:
        return False
    if step.strict is not twin.strict or len(step.args) != len(twin.args):
        return False
    for one, other in zip(step.args, twin.args, strict=True):
        known = renamed.get(id(one))  # nearly always a value: 0.1 us, by `is_same` 0.3 us
        if known is not other if known is not None else not is_same(one, other, renamed):
            return False
    if (step.options or twin.options) and not is_same(step.options, twin.options, renamed):
        return False
    if step.into is not twin.into and not is_same(step.into, twin.into, renamed):
        return False
    if type(step.results) is type(twin.results) is Value:  # nearly always
        return renamed.setdefault(id(step.results), twin.results) is twin.results
    for made, other in zip(values_of(step.results), values_of(twin.results), strict=False):
        renamed.setdefault(id(made), other)
    return is_same(step.results, twin.results, renamed)


def is_same(one, other, renamed: Renamed) -> bool:
    """Whether two operands are the same: values that correspond, equal constants, or functions and
    objects that each run has made anew.
    """
    if isinstance(one, Value):
        return renamed.get(id(one)) is other
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return is_same_array(one, other)
    if isinstance(one, tuple | list):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(is_same(a, b, renamed) for a, b in pairs)
    if isinstance(one, dict):
        return list(one) == list(other) and all(is_same(one[k], other[k], renamed) for k in one)
    if isinstance(one, slice):
        ends, others = (one.start, one.stop, one.step), (other.start, other.stop, other.step)
        return is_same(ends, others, renamed)
    if isinstance(one, MethodType):
        return one.__func__ is other.__func__ and is_same(one.__self__, other.__self__, renamed)
    if is_container(one):
        return is_same(attributes_of(one), attributes_of(other), renamed)
    return is_same_constant(one, other) or is_made_alike(one, other, renamed)


def attributes_of(x) -> dict[Any, Any]:
    """All that a container holds, be it differentiated or not."""
    return getattr(x, "__dict__", None) or fields(x)


def is_same_array(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    """Whether two constant arrays have the same type, shape and entries, bit for bit."""
    if one.dtype.hasobject and one.shape == other.shape:
        return bool(np.all(one == other))
    return same_bits(one, other)


def is_made_alike(one, other, renamed: Renamed) -> bool:
    """Whether two functions have one code, or two objects of an installed package hold the same: what
    is called is kept as a copy.
    """
    if id(one) in renamed:  # an object that leads to itself
        return renamed[id(one)] is other
    code = getattr(one, "__code__", None)
    if code is not None:
        return code is getattr(other, "__code__", None)
    state = getattr(one, "__dict__", None)
    if type(state) is not dict or not state or is_users(type(one).__module__):
        return False
    renamed[id(one)] = other
    return is_same(state, other.__dict__, renamed)
