"""Numbers beside arrays become arrays of shape (), which NumPy need not convert at each call."""

from dataclasses import replace
from typing import Any

import numpy as np

from chainrules_programs.compiling.passes.constants import Constants
from chainrules_programs.recording.program import Call, Program, Value, array_of, with_operands
from chainrules_programs.recording.steps import is_elementwise

# np.power looks for small exponents, and ldexp wants integers
LEFT = {np.power, np.float_power, np.ldexp}


def boxed(program: Program) -> Program:
    """Give each number beside an array the dtype that the function computes with, as an array."""
    constants = Constants()
    steps = [_boxed(step, constants) for step in program.steps]
    return replace(program, steps=steps)


def _boxed(step, constants: Constants) -> Any:
    if type(step) is not Call or not _takes_boxes(step):
        return step
    dtypes = [_dtype(arg) for arg in step.args]
    if any(dtype is None for dtype in dtypes):
        return step
    try:
        ufunc: Any = step.primal
        found = ufunc.resolve_dtypes((*dtypes, None))
        pairs = zip(step.args, found, strict=False)
        args = tuple([_box(arg, dtype, step, constants) for arg, dtype in pairs])
    # NumPy compares -1 with unsigned numbers in a form of its own
    except (TypeError, OverflowError):
        return step
    return with_operands(step, args, step.options, step.into)


def _takes_boxes(call: Call) -> bool:
    args = call.args
    if len(args) < 2 or call.primal in LEFT or not is_elementwise(call):
        return False
    is_array = [isinstance(arg, Value) and isinstance(arg.array, np.ndarray) for arg in args]
    return any(is_array) and not all(isinstance(arg, Value) for arg in args)


def _dtype(arg) -> Any:
    """Return the dtype of an operand as promotion sees it: a type of Python's is weak."""
    arg = array_of(arg)
    if type(arg) in (int, float, complex):
        return type(arg)
    if type(arg) is bool:
        return np.dtype(bool)
    return arg.dtype if isinstance(arg, np.ndarray | np.generic) else None


def _box(arg, dtype, call: Call, constants: Constants) -> Any:
    """Return the array of shape () for a number; for an array of one number, too, if the others
    have its shape.
    """
    if isinstance(arg, Value):
        return arg
    if isinstance(arg, np.ndarray):
        number = _only_number(arg)
        if number is None or not _has_layout_of_an_operand(call):
            return arg
        return constants.kept(np.asarray(number))
    return constants.kept(np.asarray(arg, dtype))


def _only_number(array: np.ndarray[Any, Any]) -> Any:
    if not array.size or array.dtype.hasobject or not array.ndim:
        return None
    first = array[(0,) * array.ndim]
    same = array.tobytes() == first.tobytes() * array.size
    return first if same else None


def _has_layout_of_an_operand(call: Call) -> bool:
    """Whether the result has the shape and the memory order of an operand that varies."""
    result = array_of(call.results)
    if type(result) is not np.ndarray:
        return False
    others = [arg.array for arg in call.args if isinstance(arg, Value)]
    return any(
        isinstance(other, np.ndarray)
        and other.shape == result.shape
        and [s // other.itemsize for s in other.strides]
        == [s // result.itemsize for s in result.strides]
        for other in others
    )
