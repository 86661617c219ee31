"""Jumps, calls and ends of functions, translated to C."""

import re

from emulated_cuda.ptx.frame import Frame, c_name
from emulated_cuda.ptx.syntax import Instruction, split
from emulated_cuda.ptx.table import translates
from emulated_cuda.ptx.types import TYPES


@translates("bra")
def jump(instruction: Instruction, frame: Frame) -> str:
    """To a label."""
    return f"goto {instruction.operands[0]};"


@translates("brx")
def jump_by_index(instruction: Instruction, frame: Frame) -> str:
    """To one of the labels of a list."""
    index, name = instruction.operands
    cases = "".join(f" case {k}: goto {label};" for k, label in enumerate(frame.targets[name]))
    return f"switch ({frame.read(index, TYPES['u32'])}) {{{cases} }}"


@translates("ret")
def leave(instruction: Instruction, frame: Frame) -> str:
    """The function; of a kernel, the thread."""
    return "return;"


@translates("exit")
def end(instruction: Instruction, frame: Frame) -> str:
    """The thread, from wherever it is."""
    if not frame.function.is_kernel:
        raise frame.refuse(instruction, "ends a thread inside a function, which has no translation")
    return "return;"


@translates("trap")
def trap(instruction: Instruction, frame: Frame) -> str:
    """Ends the launch with an error."""
    return f'fail(t, "{frame.function.name}: trap");'


@translates("call")
def call(instruction: Instruction, frame: Frame) -> str:
    """``call.uni (retval0), name, (param0, param1)``: parameters and results are memory of the
    caller.
    """
    operands = list(instruction.operands)
    results = split(operands.pop(0)[1:-1]) if operands[0].startswith("(") else []
    name, *rest = operands
    if not re.fullmatch(r"[\w$]+", name):
        raise frame.refuse(instruction, "calls through an address, which has no translation")
    parameters = split(rest[0][1:-1]) if rest else []
    return f"{kernel_name(name)}(t, {pointers(parameters)}, {pointers(results)});"


def pointers(names: list[str]) -> str:
    """The addresses of parameters, as an array of C."""
    return f"(char*[]){{ {', '.join(f'(char*){c_name(name)}' for name in names) or '0'} }}"


def kernel_name(name: str) -> str:
    """The name of a function in C, which is one of no function of C."""
    return f"k{name}"
