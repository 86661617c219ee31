"""PTX read into variables, functions and instructions. Nothing here knows what an instruction does.

A module is a sequence of declarations; a body is a sequence of statements that end in a semicolon,
of labels, and of braces that open a scope for registers. Braces inside a statement hold a vector of
operands.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from emulated_cuda.ptx.errors import UnknownPTX
from emulated_cuda.ptx.types import TYPES, Type

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
HEADER = re.compile(r"\.(version|target|address_size)\b[^\n]*")
LABEL = re.compile(r"\s*([\w$]+)\s*:(?!:)")
VARIABLE = re.compile(
    r"((?:\.(?:extern|visible|weak|common)\s+)*)\.(global|const|shared|local|param)\s+(?:\.(?:managed|attribute\(\w+\))\s+)?"
    r"(?:\.align\s+(\d+)\s+)?\.(\w+)\s+(?:\.ptr\s+(?:\.\w+\s+)*(?:\.align\s+\d+\s+)?)?([\w$%]+)\s*((?:\[\s*\d*\s*\]\s*)*)(?:=(.*))?$",
    re.DOTALL,
)
FUNCTION = re.compile(
    r"((?:\.(?:extern|visible|weak)\s+)*)\.(entry|func)\s*(?:\(([^)]*)\))?\s*([\w$]+)\s*(?:\(([^)]*)\))?([^{;]*)"
)
REGISTERS = re.compile(r"\.reg\s+(?:\.v\d\s+)?\.(\w+)\s+(.*)$", re.DOTALL)
GUARD = re.compile(r"@(!?)\s*([\w$%]+)\s+")


@dataclass(frozen=True)
class Variable:
    """Memory with a name: of the module, of a block, of a thread, or a parameter."""

    name: str
    space: str
    type: Type
    count: int
    align: int
    initial: str | None = None
    extern: bool = False

    @property
    def size(self) -> int:
        """In bytes; an extern array has none of its own."""
        return self.type.size * self.count


@dataclass(frozen=True)
class Instruction:
    """``@!%p1 add.rn.f32 %f1, %f2, %f3``, in its parts."""

    text: str
    guard: str | None
    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[str, ...]

    @property
    def type(self) -> Type:
        """The type that the instruction ends in."""
        return TYPES[self.modifiers[-1]]

    def has(self, *modifiers: str) -> bool:
        """Whether one of these was written."""
        return any(modifier in self.modifiers for modifier in modifiers)


@dataclass(frozen=True)
class Label:
    """A place to jump to."""

    name: str


@dataclass(frozen=True)
class Brace:
    """The begin or the end of a scope."""

    text: str


@dataclass(frozen=True)
class Registers:
    """Registers of one type."""

    type: Type
    names: tuple[str, ...]


@dataclass(frozen=True)
class Targets:
    """The labels that a `brx.idx` chooses from; the label before it is the name of this list."""

    labels: tuple[str, ...]


Statement = Instruction | Label | Brace | Registers | Targets | Variable


@dataclass(frozen=True)
class Function:
    """A kernel, or a function that kernels call."""

    name: str
    is_kernel: bool
    parameters: tuple[Variable, ...]
    results: tuple[Variable, ...]
    body: tuple[Statement, ...] | None


@dataclass
class Module:
    """What one compilation made."""

    variables: list[Variable] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)


def parse(text: str) -> Module:
    """The module that a text declares."""
    text, module, at = HEADER.sub("", COMMENT.sub("", text)), Module(), 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        found = FUNCTION.match(text, at)
        if found:
            at = found.end()
            body = None
            if text[at] == "{":
                end = closing(text, at)
                body, at = tuple(statements(text[at + 1 : end])), end
            module.functions.append(function_of(found, body))
        else:
            end = text.index(";", at)
            module.variables.append(variable_of(text[at:end]))
            at = end
        at += 1
    return module


def closing(text: str, at: int) -> int:
    """Where the brace that opens here is closed."""
    depth = 0
    for found in re.finditer(r"[{}]", text[at:]):
        depth += 1 if found[0] == "{" else -1
        if not depth:
            return at + found.start()
    raise UnknownPTX("module", text[at : at + 40], "is not closed")


def function_of(found: re.Match[str], body: tuple[Statement, ...] | None) -> Function:
    """A function, of its head and its body."""
    parameters, results = (tuple(map(variable_of, split(found[k] or ""))) for k in (5, 3))
    return Function(found[4], found[2] == "entry", parameters, results, body)


def variable_of(text: str) -> Variable:
    """``.global .align 4 .b8 name[24] = {1, 2}``, in its parts."""
    found = VARIABLE.match(text.strip())
    if not found or found[4] not in TYPES:
        raise UnknownPTX("module", " ".join(text.split())[:200])
    linkage, space, align, type_name, name, extents, initial = found.groups()
    count = 1
    for extent in re.findall(r"\[\s*(\d*)\s*\]", extents):
        count *= int(extent or 0)
    kind = TYPES[type_name]
    return Variable(name, space, kind, count, int(align or kind.size), initial, "extern" in linkage)


def statements(body: str) -> Iterator[Statement]:
    """What a body says, in order."""
    at = 0
    while body[at:].strip():
        at += len(body[at:]) - len(body[at:].lstrip())
        label = LABEL.match(body, at)
        if label:
            yield Label(label[1])
            at = label.end()
        elif body[at] in "{}":
            yield Brace(body[at])
            at += 1
        else:
            end = body.index(";", at)
            yield from statement_of(" ".join(body[at:end].split()))
            at = end + 1


def statement_of(text: str) -> Iterator[Statement]:
    """A declaration or an instruction."""
    if text.startswith(".reg"):
        yield registers_of(text)
    elif text.startswith((".pragma", ".loc ", ".callprototype")):
        return
    elif text.startswith(".branchtargets"):
        yield Targets(tuple(split(text.removeprefix(".branchtargets"))))
    elif text.startswith("."):
        yield variable_of(text)
    elif text:
        yield instruction_of(text)


def registers_of(text: str) -> Registers:
    """``.reg .b32 %r<3>`` declares %r0, %r1 and %r2."""
    found = REGISTERS.match(text)
    if not found or found[1] not in TYPES:
        raise UnknownPTX("body", text)
    names: list[str] = []
    for part in split(found[2]):
        stem, _, count = part.partition("<")
        names += [f"{stem}{k}" for k in range(int(count.rstrip("> ")))] if count else [stem]
    return Registers(TYPES[found[1]], tuple(names))


def instruction_of(text: str) -> Instruction:
    """An instruction, in its parts."""
    guard = GUARD.match(text)
    head, _, rest = text[guard.end() if guard else 0 :].partition(" ")
    opcode, *modifiers = head.split(".")
    return Instruction(
        text, guard and guard[1] + guard[2], opcode, tuple(modifiers), tuple(split(rest))
    )


def split(text: str) -> list[str]:
    """The parts between the commas that are in no bracket."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]
