"""Conversions between types: integers wrap, floats are rounded as asked for, what fits none becomes
the last that does.
"""

from emulated_cuda.ptx.arithmetic import ROUNDING, direction, rounded
from emulated_cuda.ptx.frame import Frame
from emulated_cuda.ptx.syntax import Instruction
from emulated_cuda.ptx.table import translates
from emulated_cuda.ptx.types import TYPES, Type

TO_INTEGER = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
KNOWN = {*TYPES, *TO_INTEGER, *ROUNDING, "rn", "ftz", "sat"}


@translates("cvt")
def convert(instruction: Instruction, frame: Frame) -> str:
    """``cvt.rni.s32.f64`` and all the others."""
    if not KNOWN.issuperset(instruction.modifiers) or instruction.modifiers[-2] not in TYPES:
        raise frame.refuse(instruction)
    kind, source = TYPES[instruction.modifiers[-2]], instruction.type
    to, operand = instruction.operands
    value = frame.read(operand, source)
    if source.is_float:
        return from_float(instruction, frame, to, kind, source, value)
    if kind.is_float:
        return from_integer(instruction, frame, to, kind, value)
    if instruction.has("sat"):
        value = f"clamp_{kind.name}_{source.kind}({value})"
    return frame.write(to, kind, value)


def from_float(
    instruction: Instruction, frame: Frame, to: str, kind: Type, source: Type, value: str
) -> str:
    """To an integer, to an integral float, or to a float of another size."""
    integral = next(
        (TO_INTEGER[modifier] for modifier in instruction.modifiers if modifier in TO_INTEGER), None
    )
    if integral:
        value = f"{integral}{'f' if source.name == 'f32' else ''}({value})"
    if not kind.is_float:
        return frame.write(to, kind, f"{kind.name}_of_float({value})")
    mode = direction(instruction)
    if mode and kind.size < source.size and not kind.is_half:
        return rounded(frame, to, kind, mode, f"({kind.computed})x0", [(source.computed, value)])
    if mode and kind.is_half:
        raise frame.refuse(instruction)
    if instruction.has("sat"):
        value = f"saturate_{source.name}({value})"
    return frame.write(to, kind, f"({kind.computed})({value})")


def from_integer(instruction: Instruction, frame: Frame, to: str, kind: Type, value: str) -> str:
    """Rounded to nearest, unless it says otherwise."""
    mode = direction(instruction)
    if mode is None:
        return frame.write(to, kind, f"({kind.computed})({value})")
    if kind.is_half:
        raise frame.refuse(instruction)
    return rounded(
        frame, to, kind, mode, f"({kind.computed})x0", [(instruction.type.computed, value)]
    )


@translates("cvta")
def convert_address(instruction: Instruction, frame: Frame) -> str:
    """Addresses of all spaces are addresses of the host."""
    to, operand = instruction.operands
    return frame.write(to, instruction.type, frame.read(operand, instruction.type))
