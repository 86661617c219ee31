"""A module of PTX as a file of C: one function per function, one statement per instruction.

Every function is `void name(struct thread *t, char **params, char **results)`. Parameters are
addresses, as the driver's launch call gives them. Variables of the module are global arrays, those
of a block have places in the block's shared memory.
"""

import re
from collections.abc import Iterator

from emulated_cuda.ptx import arithmetic, comparison, conversion, memory
from emulated_cuda.ptx.collective import COLLECTIVE
from emulated_cuda.ptx.control import kernel_name
from emulated_cuda.ptx.errors import UnknownPTX
from emulated_cuda.ptx.frame import Frame, c_name
from emulated_cuda.ptx.syntax import (
    Brace,
    Function,
    Instruction,
    Label,
    Module,
    Registers,
    Statement,
    Targets,
    Variable,
    parse,
    split,
)
from emulated_cuda.ptx.table import TRANSLATIONS
from emulated_cuda.ptx.types import TYPES

INSTRUCTIONS = (arithmetic, comparison, conversion, memory)  # imported for what they register
SIGNATURE = "void {}(struct thread *t, char **params, char **results)"


def translate(text: str) -> str:
    """The C text of a module."""
    return "\n".join(lines(parse(text)))


def lines(module: Module) -> Iterator[str]:
    """Declarations first, for functions may call each other."""
    shared = Shared()
    symbols = {}
    for variable in module.variables:
        symbols[variable.name] = (
            shared.place(variable)
            if variable.space == "shared"
            else f"(uint64_t){c_name(variable.name)}"
        )
    yield '#include "instructions.h"'
    for variable in module.variables:
        if variable.space != "shared":
            yield from definition(variable)
    for name in {function.name for function in module.functions}:
        yield f"{SIGNATURE.format(kernel_name(name))};"
    for function in module.functions:
        if function.body is not None:
            yield from function_lines(function, symbols, shared)
    yield f"const uint32_t static_shared = {shared.size};"


class Shared:
    """Hands out the shared memory of a block; the array whose size the launch says lies after all
    others.
    """

    def __init__(self) -> None:
        self.size = 0

    def place(self, variable: Variable) -> str:
        """The address of a variable, in C."""
        if variable.extern:
            return "(t->shared + dynamic_offset())"
        offset = -(-self.size // variable.align) * variable.align
        self.size = offset + variable.size
        return f"(t->shared + {offset})"


def definition(variable: Variable) -> Iterator[str]:
    """A variable of the module, with its initial bits; a size stands beside it for who asks for its
    address.
    """
    name, bits = c_name(variable.name), variable.type.bits.stored
    initial = (
        f" = {{ {', '.join(map(initial_value, flat(variable.initial)))} }}"
        if variable.initial
        else ""
    )
    yield (
        f"{bits} {name}[{max(variable.count, 1)}]"
        f" __attribute__((aligned({variable.align}))){initial};"
    )
    yield f"const uint64_t size_of_{name} = {variable.size};"


def flat(initial: str) -> list[str]:
    """The numbers of an initialiser, whose braces say again what the extents say."""
    return split(re.sub(r"[{}]", " ", initial))


def initial_value(text: str) -> str:
    """A number as bits, or an address."""
    if re.fullmatch(r"0[fFdD][0-9a-fA-F]+", text):
        return f"0x{text[2:]}"
    address = re.fullmatch(r"(?:generic\()?([A-Za-z_$%][\w$]*)\)?(.*)", text)
    return f"(uint64_t){c_name(address[1])}{address[2]}" if address else text


def function_lines(function: Function, symbols: dict[str, str], shared: Shared) -> Iterator[str]:
    """A kernel or a function; whether its threads wait for each other, and how long its parameters
    are, stands beside it.
    """
    frame = Frame(function, symbols)
    body = function.body or ()
    together = any(isinstance(part, Instruction) and part.opcode in COLLECTIVE for part in body)
    yield f"const uint8_t together_{function.name} = {int(together)};"
    sizes = ", ".join(str(parameter.size) for parameter in function.parameters)
    yield (
        f"const uint32_t parameters_{function.name}[] = {{ {len(function.parameters)}, {sizes} }};"
    )
    yield f"{SIGNATURE.format(kernel_name(function.name))} {{"
    yield "uint32_t carry = 0, dropped;"
    label = ""
    for statement in body:
        if isinstance(statement, Label):
            label = statement.name
        if isinstance(statement, Targets):
            frame.targets[label] = statement.labels
    for statement in body:
        yield line(statement, frame, shared)
    yield "}"


def line(statement: Statement, frame: Frame, shared: Shared) -> str:
    """A statement of C for a statement of PTX."""
    match statement:
        case Instruction():
            return guarded(statement, frame)
        case Label(name):
            return f"{name}: ;"
        case Brace(text):
            frame.scopes = [*frame.scopes, {}] if text == "{" else frame.scopes[:-1]
            return text
        case Registers(kind, names):
            for name in names:
                frame.declare(name, kind)
            return f"{kind.stored} {', '.join(f'{c_name(name)} = 0' for name in names)};"
        case Variable(space="shared"):
            frame.place(statement, shared.place(statement))
            return ";"
        case Variable():
            frame.place(statement, f"(uint64_t){c_name(statement.name)}")
            return (
                f"char {c_name(statement.name)}[{statement.size}]"
                f" __attribute__((aligned({max(statement.align, 8)})));"
            )
        case _:
            return ";"


def guarded(instruction: Instruction, frame: Frame) -> str:
    """An instruction, behind its predicate."""
    if instruction.opcode not in TRANSLATIONS:
        raise frame.refuse(instruction)
    try:
        done = TRANSLATIONS[instruction.opcode](instruction, frame)
    # operands or modifiers that no translation expects
    except (KeyError, ValueError, IndexError, StopIteration) as error:
        raise frame.refuse(instruction) from error
    return (
        f"if ({frame.read(instruction.guard, TYPES['pred'])}) {done}" if instruction.guard else done
    )


__all__ = ["UnknownPTX", "translate"]
