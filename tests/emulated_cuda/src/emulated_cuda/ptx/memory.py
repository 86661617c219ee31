"""Loads, stores and atomic operations: every address is one of the host, and what goes to global
memory is counted.

Threads run one after the other, so an atomic operation is a load and a store, and fences have
nothing to do.
"""

from emulated_cuda.ptx.frame import Frame
from emulated_cuda.ptx.syntax import Instruction
from emulated_cuda.ptx.table import translates
from emulated_cuda.ptx.types import Type

SPACES = {"global", "shared", "local", "param", "const", "shared::cta"}
ATOMIC = {
    "add": "{0} + {1}",
    "min": "{0} < {1} ? {0} : {1}",
    "max": "{0} > {1} ? {0} : {1}",
    "and": "{0} & {1}",
    "or": "{0} | {1}",
    "xor": "{0} ^ {1}",
    "exch": "{1}",
    "cas": "{0} == {1} ? {2} : {0}",
    "inc": "{0} >= {1} ? 0 : {0} + 1",
    "dec": "{0} == 0 || {0} > {1} ? {1} : {0} - 1",
}


def space(instruction: Instruction) -> str:
    """Where an address lies; `generic` if the instruction does not say."""
    return next((modifier for modifier in instruction.modifiers if modifier in SPACES), "generic")


def counted(instruction: Instruction, counter: str, address: str, size: int) -> str:
    """Count bytes of global memory, loaded or stored; an address without a space is looked at when
    it is used.
    """
    where = space(instruction)
    if where == "global":
        return f"{counter}(t, {address}, {size});"
    return (
        f"if (is_global(t, {address})) {counter}(t, {address}, {size});"
        if where == "generic"
        else ""
    )


def checked(instruction: Instruction, size: int) -> str:
    """A device refuses an address that is no multiple of the size; parameters lie where the host
    put them.
    """
    return "" if space(instruction) in ("param", "local") else f"aligned(t, p, {size});"


def fetched(kind: Type, address: str) -> str:
    """A value in memory, in the type that is computed with."""
    value = f"*({kind.stored}*)({address})"
    return f"{kind.name}_of_bits({value})" if kind.is_half else value


def stored(kind: Type, address: str, value: str) -> str:
    """The statement that writes a value to memory."""
    return (
        f"*({kind.stored}*)({address}) ="
        f" {f'bits_of_{kind.name}({value})' if kind.is_half else value};"
    )


@translates("ld", "ldu")
def load(instruction: Instruction, frame: Frame) -> str:
    """One register, or a vector of them."""
    to, place = instruction.operands
    kind, registers = instruction.type, frame.elements(to)
    size = kind.size * len(registers)
    count = checked(instruction, size) + counted(instruction, "loaded", "p", size)
    reads = (
        frame.write(register, kind, fetched(kind, f"p + {kind.size * k}"))
        for k, register in enumerate(registers)
    )
    return f"{{ uint64_t p = {frame.address(place)}; {count} {' '.join(reads)} }}"


@translates("st")
def store(instruction: Instruction, frame: Frame) -> str:
    """One register, or a vector of them."""
    place, source = instruction.operands
    kind, registers = instruction.type, frame.elements(source)
    size = kind.size * len(registers)
    count = checked(instruction, size) + counted(instruction, "stored", "p", size)
    writes = (
        stored(kind, f"p + {kind.size * k}", frame.read(register, kind))
        for k, register in enumerate(registers)
    )
    return f"{{ uint64_t p = {frame.address(place)}; {count} {' '.join(writes)} }}"


@translates("atom", "red")
def atomic(instruction: Instruction, frame: Frame) -> str:
    """``atom.global.add.f64 %fd1, [%rd1], %fd2``; `red` is the same without a result."""
    operands = list(instruction.operands)
    to = operands.pop(0) if instruction.opcode == "atom" else "_"
    kind, how = (
        instruction.type,
        next((modifier for modifier in instruction.modifiers if modifier in ATOMIC), None),
    )
    if how is None or instruction.has("v2", "v4", "vec_32_bit"):
        raise frame.refuse(instruction)
    values = [frame.read(operand, kind) for operand in operands[1:]]
    count = counted(instruction, "loaded", "p", kind.size) + counted(
        instruction, "stored", "p", kind.size
    )
    result = stored(kind, "p", ATOMIC[how].format("old", *values))
    return (
        f"{{ uint64_t p = {frame.address(operands[0])}; {checked(instruction, kind.size)} {count}"
        f" {kind.computed} old = {fetched(kind, 'p')}; {result} {frame.write(to, kind, 'old')} }}"
    )


@translates("membar", "fence", "prefetch", "prefetchu", "discard", "applypriority", "nanosleep")
def nothing(instruction: Instruction, frame: Frame) -> str:
    """Hints, and orders between threads that run one after the other."""
    return ";"
