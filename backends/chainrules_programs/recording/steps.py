"""Steps of a recorded program: the values they read and make, and copies with other operands."""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from chainrules_programs.recording.operations import PLAIN
from chainrules_programs.recording.operators import PYTHONS
from chainrules_programs.recording.program import (
    Call,
    Guard,
    Program,
    Value,
    array_of,
    collect_values,
    values_of,
    with_operands,
    with_values,
)
from chainrules_py.annotations import Function
from chainrules_py.values.identity import home_module
from chainrules_py.values.python_numbers import NUMBERS

# Classes of operands that hold no Value; most operands are of these, or Values.
_PLAIN = PLAIN | {np.ndarray}


@dataclass(eq=False, slots=True)
class Freed:
    """Values whose names are deleted, since nobody reads them any more."""

    values: tuple[Value, ...]


def reads(step) -> list[Value]:
    """List the Values that a step reads, in order; one that it writes into is read, too."""
    found: list[Value] = []
    kind = type(step)
    if kind is Call:
        for arg in step.args:
            cls = type(arg)
            if cls is Value:
                found.append(arg)
            elif cls not in _PLAIN:
                collect_values(arg, found)
        if step.options:
            collect_values(step.options, found)
        if step.into is not None:
            found.append(step.into)
    elif kind is Guard:
        collect_values(step.operand, found)
    elif kind is not Freed:
        found += step.reads
    return found


def makes(step) -> list[Value]:
    """List the Values that a step makes."""
    kind = type(step)
    if kind is Call:
        results = step.results
        return [results] if type(results) is Value else values_of(results)
    return [] if kind in (Guard, Freed) else step.makes


def made_anew(step) -> list[Value]:
    """List the values that a step makes, but for one into which it writes."""
    into = step.into if type(step) is Call else None
    return [value for value in makes(step) if value is not into]


def with_other_operands(step, by: Mapping[Value, Any]) -> Any:
    """Return the step with other operands, and itself where none of them is replaced."""
    if by.keys().isdisjoint(reads(step)):
        return step

    def of(value: Value) -> Any:
        return by.get(value, value)

    if type(step) is Call:
        args = tuple([_with(arg, by) for arg in step.args])
        into = None if step.into is None else of(step.into)
        options = with_values(step.options, of) if step.options else step.options
        return with_operands(step, args, options, into)
    if type(step) is not Guard:
        return step.with_operands(by)
    return replace(step, operand=with_values(step.operand, of))


def rewritten(
    program: Program, rewrite: Callable[[Any, dict[Value, Any]], Sequence[Any]]
) -> Program:
    """Return the program with other steps: those that `rewrite` makes of each former one.

    What that notes in its second argument stands for a value in all that follows.
    """
    by: dict[Value, Any] = {}
    steps: list[Any] = []
    for step in program.steps:
        steps += rewrite(with_other_operands(step, by) if by else step, by)
    result = with_values(program.result, lambda value: by.get(value, value))
    return replace(program, steps=steps, result=result)


def _with(arg, by: Mapping[Value, Any]) -> Any:
    kind = type(arg)
    if kind is Value:
        return by.get(arg, arg)
    return arg if kind in _PLAIN else with_values(arg, lambda value: by.get(value, value))


def last_uses(steps: Sequence[Any]) -> dict[Value, int]:
    """Return for each value the last step that makes or reads it; one that deletes it does not."""
    return {
        value: k
        for k, step in enumerate(steps)
        if type(step) is not Freed
        for value in (*makes(step), *reads(step))
    }


def is_elementwise(call: Call) -> bool:
    """Whether a call is one of a ufunc that computes one result, entry by entry, without options."""
    primal = call.primal
    if not isinstance(primal, np.ufunc) or primal.signature is not None or primal.nout != 1:
        return False
    return not call.options and len(call.args) == primal.nin


def is_of_python(call: Call) -> bool:
    """Whether a call is one that Python computes of its own numbers."""
    return NUMBERS.issuperset(map(type, map(array_of, call.args)))


_IMPURE = ("numpy.random", "scipy.stats")
_PURE = PYTHONS | {operator.getitem, operator.not_, operator.truth, operator.index}
_LIBRARIES = ("numpy", "scipy", "math")


@cache
def is_pure(primal: Function) -> bool:
    """Whether a function of NumPy or SciPy returns the same for the same operands, and only that.

    >>> is_pure(np.sin), is_pure(np.add.reduce), is_pure(np.random.normal), is_pure(np.empty_like)
    (True, True, False, False)
    """
    if primal in _PURE:
        return True
    if primal in (np.empty, np.empty_like):
        return False
    owner = getattr(primal, "__self__", None)
    of_library = owner is None or isinstance(owner, np.ufunc) or type(owner) is type(np)
    module = home_module(primal)
    return of_library and module.partition(".")[0] in _LIBRARIES and not module.startswith(_IMPURE)
