"""Arithmetic and logic: the value is an expression of C in the type of the instruction.

Denormal numbers are kept where PTX says `.ftz`, and approximations (`.approx`) are the rounded
value: both are nearer to the numbers of NumPy than a device comes.
"""

from emulated_cuda.ptx.frame import Frame
from emulated_cuda.ptx.syntax import Instruction
from emulated_cuda.ptx.table import translates
from emulated_cuda.ptx.types import TYPES, Type

ROUNDING = {"rz": "FE_TOWARDZERO", "rm": "FE_DOWNWARD", "rp": "FE_UPWARD"}
# {0}, {1}, {2} are the operands, {t} the type's name, {l} C's letter for functions of floats
FLOATS = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "fma": "fma{l}({0}, {1}, {2})",
    "mad": "fma{l}({0}, {1}, {2})",
    "neg": "-{0}",
    "abs": "fabs{l}({0})",
    "min": "min_{t}({0}, {1})",
    "max": "max_{t}({0}, {1})",
    "rcp": "1 / {0}",
    "sqrt": "sqrt{l}({0})",
    "rsqrt": "1 / sqrt{l}({0})",
    "sin": "sin{l}({0})",
    "cos": "cos{l}({0})",
    "lg2": "log2{l}({0})",
    "ex2": "exp2{l}({0})",
    "tanh": "tanh{l}({0})",
    "copysign": "copysign{l}({1}, {0})",
}
INTEGERS = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "div": "div_{t}({0}, {1})",
    "rem": "rem_{t}({0}, {1})",
    "neg": "-{0}",
    "abs": "{0} < 0 ? -{0} : {0}",
    "min": "{0} < {1} ? {0} : {1}",
    "max": "{0} > {1} ? {0} : {1}",
    "sad": "{2} + ({0} < {1} ? {1} - {0} : {0} - {1})",
    "and": "{0} & {1}",
    "or": "{0} | {1}",
    "xor": "{0} ^ {1}",
    "not": "~{0}",
    "cnot": "!{0}",
    "shl": "shl_{t}({0}, {1})",
    "shr": "shr_{t}({0}, {1})",
    "brev": "brev_{t}({0})",
    "lop3": "lop3({0}, {1}, {2}, {3})",
    "prmt": "prmt({0}, {1}, {2})",
    "bfi": "bfi_{t}({0}, {1}, {2}, {3})",
    "bfe": "bfe_{t}({0}, {1}, {2})",
}
PREDICATES = {"and": "{0} & {1}", "or": "{0} | {1}", "xor": "{0} ^ {1}", "not": "!{0}"}
KNOWN = {
    *(
        "ftz",
        "approx",
        "full",
        "rn",
        "sat",
        "lo",
        "hi",
        "wide",
        "wrap",
        "clamp",
        "shiftamt",
        "cc",
        "NaN",
        "rnd",
        *ROUNDING,
    ),
    *TYPES,
}
# operands that are 32 bits wide whatever the type
COUNTS = {"shl": (1,), "shr": (1,), "bfe": (1, 2), "bfi": (2, 3)}


@translates(*{*FLOATS, *INTEGERS} - {"mad", "mul"})
def arithmetic(instruction: Instruction, frame: Frame) -> str:
    """One register of the operands before it, all of one type."""
    kind = instruction.type
    table = FLOATS if kind.is_float else PREDICATES if kind.name == "pred" else INTEGERS
    if instruction.opcode not in table or not KNOWN.issuperset(instruction.modifiers):
        raise frame.refuse(instruction)
    if instruction.has("cc"):
        return with_carry(instruction, frame)
    to, *operands = instruction.operands
    counts = COUNTS.get(instruction.opcode, ()) if not kind.is_float else ()
    values = [
        frame.read(operand, TYPES["u32"] if k in counts else kind)
        for k, operand in enumerate(operands)
    ]
    return assigned(instruction, frame, to, kind, table[instruction.opcode], values)


@translates("mul", "mad", "mul24", "mad24")
def multiply(instruction: Instruction, frame: Frame) -> str:
    """Of integers the low half, the high half, or all of the product."""
    kind, (to, *operands) = instruction.type, instruction.operands
    if kind.is_float:
        return arithmetic(instruction, frame)
    if instruction.opcode.endswith("24") or not KNOWN.issuperset(instruction.modifiers):
        raise frame.refuse(instruction)
    a, b = (frame.read(operand, kind) for operand in operands[:2])
    if instruction.has("cc"):
        return with_carry(instruction, frame)
    result = kind.wider() if instruction.has("wide") else kind
    product = (
        f"({result.computed}){a} * {b}"
        if not instruction.has("hi")
        else f"high_{kind.name}({a}, {b})"
    )
    more = f" + {frame.read(operands[2], result)}" if operands[2:] else ""
    return frame.write(to, result, product + more)


@translates("addc", "subc", "madc")
def carried(instruction: Instruction, frame: Frame) -> str:
    """Arithmetic on the words of a longer number, with the carry of the word below."""
    return with_carry(instruction, frame)


def with_carry(instruction: Instruction, frame: Frame) -> str:
    """`add`, `sub` and `mad` that read the carry (their names end in c), or write it (`.cc`), or
    both.
    """
    kind, (to, *operands) = TYPES[f"u{8 * instruction.type.size}"], instruction.operands
    stem = instruction.opcode[:3]
    carry = "carry" if instruction.opcode.endswith("c") else "0"
    values = [frame.read(operand, instruction.type) for operand in operands]
    if stem == "mad":
        high = "high_" + instruction.type.name
        values = [
            (
                f"{high}({values[0]}, {values[1]})"
                if instruction.has("hi")
                else f"{values[0]} * {values[1]}"
            ),
            values[2],
        ]
    after = "&carry" if instruction.has("cc") else "&dropped"
    name = "subtract" if stem == "sub" else "add"
    return frame.write(to, kind, f"{name}_{kind.name}({values[0]}, {values[1]}, {carry}, {after})")


def assigned(
    instruction: Instruction, frame: Frame, to: str, kind: Type, template: str, values: list[str]
) -> str:
    """The result in a register: rounded in the direction that the instruction says, saturated if it
    says so.
    """
    names = {
        "t": kind.name + ("_nan" if instruction.has("NaN") else ""),
        "l": "f" if kind.name == "f32" else "",
    }
    if instruction.has("sat"):
        if not kind.is_float:
            raise frame.refuse(instruction)
        template = f"saturate_{kind.name}({template})"
    mode = direction(instruction)
    if mode is None:
        return frame.write(to, kind, template.format(*values, **names))
    operands = [(kind.computed, value) for value in values]
    return rounded(
        frame,
        to,
        kind,
        mode,
        template.format(*(f"x{k}" for k in range(len(values))), **names),
        operands,
    )


def direction(instruction: Instruction) -> str | None:
    """C's name of the direction of rounding; None for the nearest."""
    return next(
        (ROUNDING[modifier] for modifier in instruction.modifiers if modifier in ROUNDING), None
    )


def rounded(
    frame: Frame, to: str, kind: Type, mode: str, expression: str, operands: list[tuple[str, str]]
) -> str:
    """An expression of x0, x1, ...; they are volatile, lest the compiler move the operation out of
    the directed rounding.
    """
    copies = "".join(
        f" volatile {c_type} x{k} = {value};" for k, (c_type, value) in enumerate(operands)
    )
    write = frame.write(to, kind, "y")
    return (
        f"{{{copies} fesetround({mode}); volatile {kind.computed} y = {expression};"
        f" fesetround(FE_TONEAREST); {write} }}"
    )


@translates("popc", "clz", "bfind")
def counted(instruction: Instruction, frame: Frame) -> str:
    """Counts of bits are 32 bits wide, whatever was counted."""
    to, operand = instruction.operands
    name = instruction.opcode + ("_amount" if instruction.has("shiftamt") else "")
    return frame.write(
        to, TYPES["u32"], f"{name}_{instruction.type.name}({frame.read(operand, instruction.type)})"
    )


@translates("shf")
def funnel_shift(instruction: Instruction, frame: Frame) -> str:
    """A shift of two words that gives one; counts beyond 32 wrap, or end there."""
    to, *operands = instruction.operands
    low, high, count = (frame.read(operand, TYPES["u32"]) for operand in operands)
    direction, mode = instruction.modifiers[:2]
    count = f"({count} & 31)" if mode == "wrap" else f"({count} > 32 ? 32 : {count})"
    return frame.write(to, TYPES["u32"], f"funnel_{direction}({low}, {high}, {count})")
