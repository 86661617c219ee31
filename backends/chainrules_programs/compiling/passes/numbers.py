"""Numbers computed by Python's floats and `math`, which take a third of the time of NumPy's numbers.

Sums, products and quotients have the same bits; functions of `math` may differ from NumPy's in the
last one, and nothing warns of an overflow to infinity: so this is asked for, by ``to="math"``. An
error of Python's, such as a division by zero, leaves the call to the function.
"""

import math
import operator
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from chainrules_programs.recording.operators import BINARY, UNARY
from chainrules_programs.recording.program import Call, Program, Value, values_of, with_values
from chainrules_programs.recording.steps import reads, with_other_operands

OPERATORS = {
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.pos),
}
_OF_MATH = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"),
    *("exp", "expm1", "log", "log1p", "sqrt"),
)
# NaN goes through all of them: where zero meets infinity in a pullback, the result has a NaN.
OF_PYTHON: dict[Any, Any] = {
    **{each: each for each in OPERATORS},
    **{ufunc: python for python, ufunc, _ in (BINARY | UNARY).values() if python in OPERATORS},
    **{getattr(np, name): getattr(math, name) for name in _OF_MATH},
}


def numbers(program: Program) -> Program:
    """Compute numbers of double precision by Python's floats, where nothing is lost by it.

    A comparison or a choice between numbers can lose a NaN. With one of them among the steps of
    pullbacks, these stay as they are.
    """
    strict = [step for step in program.steps if getattr(step, "strict", False)]
    with_pullbacks = all(_is_of_floats(step) or _is_conversion(step) for step in strict)
    return _Rewriting(with_pullbacks).of(program)


class _Rewriting:
    """The values that are Python's floats so far, and the conversions from and to NumPy's."""

    def __init__(self, with_pullbacks: bool) -> None:
        self.with_pullbacks = with_pullbacks
        self.floats: set[Value] = set()
        self.as_float: dict[Value, Value] = {}
        self.as_numpy: dict[Value, Value] = {}

    def of(self, program: Program) -> Program:
        """Rewrite all steps, and the result."""
        steps = [now for step in program.steps for now in self.step(step)]
        values = values_of(program.result)
        steps += self.converted(values, self.floats, self.as_numpy, np.float64)
        result = with_values(program.result, lambda value: self.as_numpy.get(value, value))
        return replace(program, steps=steps, result=result)

    def step(self, step) -> Iterator[Any]:
        """Yield a step, after the conversions that it needs."""
        if not _is_of_floats(step) or (step.strict and not self.with_pullbacks):
            if not _is_conversion(step):  # which takes either
                yield from self.converted(reads(step), self.floats, self.as_numpy, np.float64)
                step = with_other_operands(step, self.as_numpy)
            yield step
            return
        of_numpy = {value for value in reads(step) if type(value.array) is np.float64}
        yield from self.converted(reads(step), of_numpy - self.floats, self.as_float, float)
        step_of_floats = with_other_operands(step, self.as_float)
        # constants; operators of Python's took integers as they are in the recording, too
        converted = (np.float64,) if step.primal in OPERATORS else (np.float64, int)
        args = [float(arg) if type(arg) in converted else arg for arg in step_of_floats.args]
        if type(step.results.array) is np.float64:
            self.floats.add(step.results)
        yield replace(step_of_floats, primal=OF_PYTHON[step.primal], args=tuple(args))

    def converted(
        self, values: list[Value], concerned: set[Value], known: dict[Value, Value], kind
    ) -> Iterator[Call]:
        """Yield the conversions of those of some values that are concerned, each once."""
        for value in values:
            if value in concerned and value not in known:
                known[value] = Value(kind(value.array), value.name)
                yield Call(kind, (value,), {}, known[value])


def _is_of_floats(step) -> bool:
    """Whether a step computes a number of double precision from such numbers."""
    if type(step) is not Call or step.primal not in OF_PYTHON:
        return False
    if step.options or step.into is not None or type(step.results) is not Value:
        return False
    return type(step.results.array) in (np.float64, float) and all(map(_is_float, step.args))


def _is_float(operand) -> bool:
    if type(operand) is Value:
        return type(operand.array) in (float, np.float64)
    return type(operand) in (float, np.float64, int)


def _is_conversion(step) -> bool:
    return type(step) is Call and step.primal is float
