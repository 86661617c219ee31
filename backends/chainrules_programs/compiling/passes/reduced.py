"""Call what stands behind NumPy's functions written in Python: `np.add.reduce` behind `np.sum`.

Squares are products, which is what `np.power` computes for the exponent 2: of a number in a
hundredth of its time.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from chainrules_programs.recording.program import Call, Program, Value, array_of
from chainrules_programs.recording.repetitions import Uneven

_REDUCING = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}
REDUCTIONS: dict[Any, Any] = {
    **{
        getattr(owner, name): ufunc.reduce
        for owner in (np, np.ndarray)
        for name, ufunc in _REDUCING.items()
    },
    np.any: np.logical_or.reduce,
    np.all: np.logical_and.reduce,
}
# Methods of arrays, and the names of their parameters in NumPy's functions, in order.
METHODS: dict[Any, tuple[Any, tuple[str, ...]]] = {
    getattr(np, name): (getattr(np.ndarray, name), names)
    for name, names in {
        "reshape": ("shape",),
        "swapaxes": ("axis1", "axis2"),
        "transpose": ("axes",),
        "squeeze": ("axis",),
        "repeat": ("repeats", "axis"),
        "take": ("indices", "axis"),
        "cumsum": ("axis",),
        "cumprod": ("axis",),
        "argmax": ("axis",),
        "argmin": ("axis",),
        "nonzero": (),
    }.items()
}
MEANS = (np.mean, np.ndarray.mean)
OPTIONS = {"axis", "keepdims"}
WITH_DTYPE = {np.add.reduce, np.multiply.reduce}


def reduced(program: Program) -> Program:
    """Call ufuncs' reductions and arrays' methods, which the functions of NumPy call."""
    steps: list[Any] = []
    for step in program.steps:
        if type(step) is Call and step.primal in MEANS:
            steps += _as_sum_and_quotient(step)
        else:
            steps.append(_reduced(step))
    return replace(program, steps=steps)


def _reduced(step) -> Any:
    if type(step) is not Call or not step.args:
        return step
    if step.primal is np.power and _is_square(step):
        x = step.args[0]
        return replace(step, primal=np.multiply, args=(x, x))
    if step.primal is np.stack and _is_stack_of_numbers(step):
        return replace(step, primal=np.array, options={})
    if not _is_array(step.args[0]):
        return step
    if step.primal in REDUCTIONS:
        return _as_reduction(step)
    if step.primal in METHODS:
        return _as_method(step)
    return step


def _is_square(call: Call) -> bool:
    """Whether a call of `np.power` has the exponent 2 and a base of double precision."""
    x, exponent = call.args[0], call.args[-1]
    if call.options or len(call.args) != 2 or type(exponent) not in (int, float) or exponent != 2:
        return False
    return type(x) is Value and getattr(x.array, "dtype", None) == np.float64


def _is_stack_of_numbers(call: Call) -> bool:
    """Whether a call of `np.stack` makes a vector of numbers of double precision."""
    (parts, *others), axis = call.args, call.options.get("axis", 0)
    if (
        others
        or axis != 0
        or not call.options.keys() <= {"axis"}
        or type(parts) not in (list, tuple)
    ):
        return False
    return {np.float64}.issuperset(map(type, map(array_of, parts)))


def _is_array(operand) -> bool:
    return type(operand) is Value and isinstance(operand.array, np.ndarray)


def _as_reduction(call: Call) -> Call:
    """Write a call as that of a ufunc's `reduce`, along all axes where none is named."""
    options = dict(call.options)
    x, *axis = call.args
    primal = REDUCTIONS[call.primal]
    allowed = OPTIONS | {"dtype"} if primal in WITH_DTYPE else OPTIONS
    if len(axis) > 1 or not options.keys() <= allowed or (axis and "axis" in options):
        return call
    along = axis[0] if axis else options.pop("axis", None)
    if primal in (np.logical_or.reduce, np.logical_and.reduce) and x.array.dtype.kind != "b":
        return call
    return replace(call, primal=primal, args=(x, along), options=options)


def _as_sum_and_quotient(call: Call) -> list[Call]:
    """Write a mean of double precision as `numpy.mean` computes it, which takes 4 us more."""
    x: Any = call.args[0] if call.args else None
    if not _is_array(x) or type(x.array) is Uneven or x.array.dtype != np.float64:
        return [call]
    found = _as_reduction(replace(call, primal=np.sum))
    if found.primal != np.add.reduce or not x.array.size or "dtype" in found.options:
        return [call]
    total = Value(np.add.reduce(x.array, *found.args[1:], **found.options))
    count = x.array.size // max(1, np.size(total.array))
    quotient = replace(call, primal=np.divide, args=(total, count), options={})
    return [replace(found, results=total, into=None), quotient]


def _as_method(call: Call) -> Call:
    """Write a call as that of a method, its arguments by position."""
    method, names = METHODS[call.primal]
    x, *args = call.args
    rest = dict(call.options)
    if call.primal is np.reshape and rest.get("order") == "C":
        del rest["order"]
    for name in names[len(args) :]:
        if name not in rest:
            break
        args.append(rest.pop(name))
    if rest or len(args) > len(names):
        return call
    return replace(call, primal=method, args=(x, *args), options={})
