"""Operands in C: registers are local variables, symbols are addresses, and what is computed is
written back as bits.

A register has the type that it was declared with, an operand is read with the type of the
instruction: `cvt.s64.s32 %rd1, %rd2` reads the low half of %rd2, `mov.b32 %r1, %f1` the bits of a
float.
"""

import re

from emulated_cuda.ptx.errors import UnknownPTX
from emulated_cuda.ptx.syntax import Function, Instruction, Variable, split
from emulated_cuda.ptx.types import TYPES, Type

SPECIAL = {
    **{
        f"%{name}.{axis}": f"t->{name}[{k}]"
        for name in ("tid", "ntid", "ctaid", "nctaid")
        for k, axis in enumerate("xyz")
    },
    "%laneid": "(t->index & 31)",
    "%warpid": "(t->index >> 5)",
    "%nwarpid": "((t->threads + 31) >> 5)",
    "%lanemask_eq": "(1u << (t->index & 31))",
    "%lanemask_lt": "((1u << (t->index & 31)) - 1)",
    "%lanemask_le": "(((1u << (t->index & 31)) - 1) | (1u << (t->index & 31)))",
    "%lanemask_gt": "~(((1u << (t->index & 31)) - 1) | (1u << (t->index & 31)))",
    "%lanemask_ge": "~((1u << (t->index & 31)) - 1)",
    "%smid": "0u",
    "%nsmid": "1u",
    "%dynamic_smem_size": "t->dynamic_shared",
    "%clock64": "read_clock()",
    "%clock": "read_clock()",
    "%globaltimer": "read_clock()",
    "WARP_SZ": "32",
}
NUMBER = re.compile(r"-?(0[xX][0-9a-fA-F]+|0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|\d+)U?$")


def c_name(name: str) -> str:
    """A register or symbol as a name of C that is no word of C."""
    return "v" + name.replace("%", "$")


def c_number(text: str, kind: Type) -> str:
    """A literal; those of floating point numbers are written as bits."""
    text = text.rstrip("U")
    if text[:2].lower() in ("0f", "0d"):
        bits = f"0x{text[2:]}" + ("u" if text[1] in "fF" else "ull")
        return f"f{8 * kind.size}_of_bits({bits})" if kind.is_float else bits
    if kind.is_half:
        return f"{kind.name}_of_bits({text})"
    return (
        f"(({kind.computed}){text}{'' if text.startswith('-') else 'u'}ll)"
        if not kind.is_float
        else f"f{8 * kind.size}_of_bits({text})"
    )


class Frame:
    """The names that a function knows: registers by scope, parameters, and symbols of memory."""

    def __init__(self, function: Function, symbols: dict[str, str]):
        self.function = function
        self.symbols = dict(symbols)
        self.scopes: list[dict[str, Type]] = [{}]
        self.targets: dict[str, tuple[str, ...]] = {}
        for kind, variables in (("params", function.parameters), ("results", function.results)):
            self.symbols |= {
                variable.name: f"(uint64_t){kind}[{k}]" for k, variable in enumerate(variables)
            }

    def refuse(self, instruction: Instruction, reason: str = "has no translation") -> UnknownPTX:
        """The error about an instruction."""
        return UnknownPTX(self.function.name, instruction.text, reason)

    def declare(self, name: str, kind: Type) -> None:
        """A register of the innermost scope."""
        self.scopes[-1][name] = kind

    def place(self, variable: Variable, address: str) -> None:
        """A symbol of this function."""
        self.symbols[variable.name] = address

    def declared(self, name: str) -> Type | None:
        """What a register was declared as; None if this is none."""
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)

    def read(self, operand: str, kind: Type) -> str:
        """The value of an operand, in the C type that the instruction computes with."""
        if operand.startswith("!"):
            return f"!{self.read(operand[1:], kind)}"
        declared = self.declared(operand)
        if declared:
            return converted(c_name(operand), declared, kind)
        if NUMBER.match(operand):
            return c_number(operand, kind)
        if operand in SPECIAL:
            return f"(({kind.computed}){SPECIAL[operand]})"
        return f"(({kind.computed})({self.symbol(operand)}))"

    def symbol(self, text: str) -> str:
        """The address of a variable, and so many bytes more."""
        name, _, offset = text.replace(" ", "").partition("+")
        if name not in self.symbols:
            raise UnknownPTX(self.function.name, text, "is no register, number or symbol")
        return f"{self.symbols[name]} + ({offset or 0})"

    def address(self, operand: str) -> str:
        """``[%rd1+8]`` as a number."""
        base, _, offset = operand.strip("[]").replace(" ", "").partition("+")
        if self.declared(base):
            return f"({self.read(base, self.pointer(base))} + ({offset or 0}))"
        return f"({base if NUMBER.match(base) else self.symbol(base)} + ({offset or 0}))"

    def pointer(self, register: str) -> Type:
        """Addresses of shared memory may lie in 32 bits."""
        declared = self.declared(register)
        return TYPES["u64" if declared is None or declared.size == 8 else "u32"]

    def write(self, operand: str, kind: Type, value: str) -> str:
        """The statement that gives a register a value of the type; bits above it are those of C's
        conversion, as in PTX.
        """
        if operand == "_":
            return f"(void)({value});"
        declared = self.declared(operand)
        if declared is None:
            raise UnknownPTX(self.function.name, operand, "is no register")
        if kind.is_half:
            value, kind = f"bits_of_{kind.name}({value})", TYPES["b16"]
        if declared.is_float and not kind.is_float:
            value = f"f{8 * declared.size}_of_bits({value})"
        elif kind.is_float and not declared.is_float:
            value = f"bits_of_f{8 * kind.size}({value})"
        elif not kind.is_float:
            value = f"({value}) != 0" if kind.name == "pred" else f"({kind.computed})({value})"
        return f"{c_name(operand)} = {value};"

    def elements(self, operand: str) -> list[str]:
        """``{%f1, %f2}`` or a single register."""
        return split(operand[1:-1]) if operand.startswith("{") else [operand]


def converted(value: str, declared: Type, kind: Type) -> str:
    """A register of one type read as another."""
    if kind.is_half:
        return f"{kind.name}_of_bits({value})"
    if declared.is_float and kind.is_float:
        return value
    if declared.is_float:
        return f"(({kind.computed})bits_of_f{8 * declared.size}({value}))"
    return f"f{8 * kind.size}_of_bits({value})" if kind.is_float else f"(({kind.computed}){value})"
