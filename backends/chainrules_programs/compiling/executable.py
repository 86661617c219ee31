"""Make a function of a recorded program: its text compiled, with the constants at hand."""

import importlib
from collections.abc import Callable
from itertools import count
from operator import getitem

import numpy as np

from chainrules_programs.compiling.passes import optimized
from chainrules_programs.compiling.passes.numbers import numbers
from chainrules_programs.compiling.passes.sums import sums
from chainrules_programs.compiling.source import FunctionText
from chainrules_programs.recording.errors import GuardFailedError
from chainrules_programs.recording.program import Call, Guard, Program, Value, values_of
from chainrules_py.annotations import Function
from chainrules_py.strong_zeros.strictness import relax, strict_within

_number = count(1)


def executable(program: Program, *, name: str = "program") -> Function:
    """Return the function of a program's inputs that computes its result.

    It raises `GuardFailedError` where it meets what was not recorded, and FloatingPointError where
    zero meets an infinity in a pullback. Tracebacks show its lines.
    """
    text = FunctionText(program, name, is_terse=True)
    text.scope |= {"np": np, "GuardFailed": guard_failed(name)}
    text.scope |= {"strict": strict_within, "relax": relax}
    for module in text.modules - {"numpy"}:
        importlib.import_module(module)
        package = module.partition(".")[0]
        text.scope[package] = importlib.import_module(package)
    return text.compile(name, f"<compiled {name} {next(_number)}>")


def result_maker(result) -> Function:
    """Return what makes a program's result of arrays, as NumPy gives it, in other memory: a program,
    too.
    """
    inputs: list[Value] = []
    steps: list[Call | Guard] = []
    for value in values_of(result):
        if isinstance(value.array, np.ndarray):
            inputs.append(value)
            continue
        kind, number = type(value.array), Value(np.asarray(value.array))
        is_numpys = issubclass(kind, np.generic)
        primal, args = (getitem, (number, ())) if is_numpys else (kind, (number,))
        inputs.append(number)
        steps.append(Call(primal, args, {}, value))
    return executable(Program(tuple(inputs), steps, result))


def executable_on_floats(program: Program, name: str) -> Function:
    """As `executable`, of a program that has not been optimized: numbers are Python's floats.

    What Python raises of numbers is a FloatingPointError, as NumPy's are.
    """
    run = executable(optimized(numbers(sums(program))), name=name)

    def on_floats(*inputs):
        try:
            return run(*inputs)
        except (ArithmeticError, ValueError) as error:
            raise FloatingPointError(str(error)) from error

    return on_floats


def guard_failed(name: str) -> Callable[[str], GuardFailedError]:
    """Return what makes the error of a guard, which a program of this name raises."""

    def failed(sentence: str) -> GuardFailedError:
        return GuardFailedError(name, sentence, "record the program again", guard=sentence)

    return failed
