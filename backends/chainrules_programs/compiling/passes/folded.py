"""Compute once what does not depend on the inputs, and leave out what changes nothing."""

import operator
from typing import Any

import numpy as np

from chainrules_programs.compiling.passes.constants import Constants
from chainrules_programs.compiling.passes.memory import Memory, is_like, is_view
from chainrules_programs.recording.program import (
    Call,
    Count,
    Guard,
    Program,
    Value,
    parts_of_operand,
    values_of,
)
from chainrules_programs.recording.repetitions import Uneven
from chainrules_programs.recording.steps import is_pure, makes, reads, rewritten

LARGEST = 1 << 20  # bytes of a constant; larger ones are made anew in each run
# Their result depends on the first operand's shape and dtype alone; of the others on the value.
OF_SHAPES = {np.zeros_like, np.ones_like, np.full_like, np.shape, np.ndim, np.size, np.result_type}
# What is returned may be a copy of the operand that is no other than it.
COPIES = {
    *(np.array, np.copy, np.asarray, np.ascontiguousarray, np.positive, np.real),
    *(np.ndarray.copy, np.ndarray.astype, np.astype),
    *(np.asanyarray, np.reshape, np.ndarray.reshape, np.ravel, np.ndarray.ravel, np.require),
    *(np.broadcast_to, np.ndarray.flatten, np.squeeze, np.atleast_1d, np.atleast_2d),
}
CONJUGATES = {np.conjugate, np.ndarray.conj, np.ndarray.conjugate}
ONE_COMES_SECOND = {np.divide, operator.truediv, np.power, operator.pow}
ONE_CHANGES_NOTHING = {np.multiply, operator.mul} | ONE_COMES_SECOND


def folded(program: Program) -> Program:
    """Replace what is computed of constants alone, and results that are equal to an operand."""
    memory, constants = Memory(program), Constants()

    def rewrite(step, by: dict[Value, Any]) -> list[Any]:
        if type(step) is Call and step.into is None and is_pure(step.primal):
            found = _found(step, memory, constants)
            if found is not None:
                memory.note_replaced(found)
                by.update(found)
                return []
        is_known = type(step) is Guard and not values_of(step.operand)
        return [] if is_known else [step]

    return rewritten(program, rewrite)


def _found(call: Call, memory: Memory, constants: Constants) -> dict[Value, Any] | None:
    """Return what stands for each result of a call; None where the call has to be made."""
    made = makes(call)
    if _is_constant(call):
        if any(memory.was_written(value) for value in made) or not all(map(_is_small, made)):
            return None
        return {value: constants.kept(value.array) for value in made}
    if is_view(call):
        (operand,) = reads(call)
        if made[0].array.__array_interface__ == operand.array.__array_interface__:
            return {made[0]: operand}
    if len(made) == 1 and type(call.results) is Value:
        same = _same_operand(call)
        if same is not None and memory.may_stand_for(same, made[0]):
            return {made[0]: same}
    return None


def _is_constant(call: Call) -> bool:
    depending = call.args[1:] if call.primal in OF_SHAPES else call.args
    parts = parts_of_operand((depending, call.options))
    return not any(type(part) is Value or type(part) is Count for part in parts)


def _is_small(value: Value) -> bool:
    """Whether a constant is worth its memory; one that repeats a number takes that number's."""
    array = value.array
    if type(array) is Uneven:
        return False
    if not isinstance(array, np.ndarray):
        return isinstance(array, np.generic | int | float | complex | bool | str | tuple | None)
    own = array.itemsize
    for length, stride in zip(array.shape, array.strides, strict=True):
        own *= length if stride else 1
    return own <= LARGEST and not array.dtype.hasobject


def _same_operand(call: Call) -> Value | None:
    """Return the operand that the result of a call is equal to, memory order included."""
    result = call.results
    if call.primal in ONE_CHANGES_NOTHING:
        return _times_one(call)
    operands = reads(call)
    if len(operands) != 1 or call.args[:1] == () or call.args[0] is not operands[0]:
        return None
    (operand,) = operands
    if not is_like(result.array, operand.array):
        return None
    if call.primal in CONJUGATES and operand.array.dtype.kind in "fiu":
        return operand
    return operand if call.primal in COPIES else None


def _times_one(call: Call) -> Value | None:
    """Return what is multiplied with one, or has it as exponent, where it is real: an infinite
    complex number times one is not what it was.
    """
    if len(call.args) != 2 or call.options:
        return None
    for operand, one in (call.args, call.args[::-1]):
        if isinstance(operand, Value) and _is_one(one) and _is_real(operand.array):
            return operand if is_like(call.results.array, operand.array) else None
        if call.primal in ONE_COMES_SECOND:
            break
    return None


def _is_real(array) -> bool:
    return getattr(getattr(array, "dtype", None), "kind", "") in "fiu"


def _is_one(operand) -> bool:
    if isinstance(operand, np.ndarray):
        return operand.dtype.kind in "fiu" and bool((operand == 1).all())
    return isinstance(operand, int | float | np.number) and operand == 1
