"""Comparisons, and choices by their results."""

from emulated_cuda.ptx.frame import Frame
from emulated_cuda.ptx.syntax import Instruction, split
from emulated_cuda.ptx.table import translates
from emulated_cuda.ptx.types import TYPES

ORDERED = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "lo": "<",
    "ls": "<=",
    "hi": ">",
    "hs": ">=",
}
UNORDERED = {  # true of nan, and `ne` is not
    "ne": "({0} < {1} || {0} > {1})",
    "equ": "!({0} < {1} || {0} > {1})",
    "neu": "({0} != {1})",
    "ltu": "!({0} >= {1})",
    "leu": "!({0} > {1})",
    "gtu": "!({0} <= {1})",
    "geu": "!({0} < {1})",
    "num": "({0} == {0} && {1} == {1})",
    "nan": "({0} != {0} || {1} != {1})",
}
JOINED = {"and": "({0}) & ({1})", "or": "({0}) | ({1})", "xor": "({0}) ^ ({1})"}


def compared(instruction: Instruction, frame: Frame, operands: list[str]) -> str:
    """The comparison, joined with a predicate if there is one."""
    kind, how = instruction.type, instruction.modifiers[0]
    a, b = (frame.read(operand, kind) for operand in operands[:2])
    if kind.is_float and how in UNORDERED:
        result = UNORDERED[how].format(a, b)
    elif how in ORDERED:
        result = f"({a} {ORDERED[how]} {b})"
    else:
        raise frame.refuse(instruction)
    return result


@translates("setp")
def set_predicate(instruction: Instruction, frame: Frame) -> str:
    """``setp.lt.and.s32 %p1|%p2, a, b, %p3``: the second predicate is of the opposite."""
    targets, *operands = instruction.operands
    result, opposite = compared(instruction, frame, operands), ""
    joined = next(
        (JOINED[modifier] for modifier in instruction.modifiers if modifier in JOINED), None
    )
    if joined:
        third = frame.read(operands[2], TYPES["pred"])
        result, opposite = joined.format(result, third), joined.format(f"!{result}", third)
    first, *second = (part.strip() for part in targets.split("|"))
    write = frame.write(first, TYPES["pred"], result)
    return (
        write
        if not second
        else (
            f"{{ uint8_t q = {opposite or '!' + result}; {write}"
            f" {frame.write(second[0], TYPES['pred'], 'q')} }}"
        )
    )


@translates("selp")
def select(instruction: Instruction, frame: Frame) -> str:
    """One of two, by a predicate."""
    to, a, b, predicate = instruction.operands
    kind = instruction.type
    return frame.write(
        to,
        kind,
        f"{frame.read(predicate, TYPES['pred'])} ? {frame.read(a, kind)} : {frame.read(b, kind)}",
    )


@translates("mov")
def move(instruction: Instruction, frame: Frame) -> str:
    """A copy of bits; of or to a vector of shorter registers, first the low bits."""
    to, operand = instruction.operands
    kind = instruction.type
    if to.startswith("{"):
        return unpacked(split(to[1:-1]), frame, operand, kind.size)
    if operand.startswith("{"):
        parts = split(operand[1:-1])
        return frame.write(to, kind.bits, packed(parts, frame, kind.size))
    return frame.write(to, kind, frame.read(operand, kind))


def packed(parts: list[str], frame: Frame, size: int) -> str:
    """The bits of shorter registers, side by side."""
    bits = 8 * size // len(parts)
    values = (
        f"((uint64_t){frame.read(part, TYPES[f'b{bits}'])} << {bits * k})"
        for k, part in enumerate(parts)
    )
    return " | ".join(values)


def unpacked(parts: list[str], frame: Frame, operand: str, size: int) -> str:
    """The bits of a register, dealt out to shorter ones."""
    bits = 8 * size // len(parts)
    value = f"uint64_t whole = {frame.read(operand, TYPES[f'b{8 * size}'])};"
    writes = (
        frame.write(part, TYPES[f"b{bits}"], f"whole >> {bits * k}") for k, part in enumerate(parts)
    )
    return f"{{ {value} {' '.join(writes)} }}"
