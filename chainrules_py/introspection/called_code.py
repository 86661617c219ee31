"""Replace functions that a code calls by others, in its bytecode.

A code is a sequence of units of two bytes, an operation and its argument. Before an instruction
there may be prefixes, which hold the higher bytes of its argument; behind it there are caches. A
replacement is as long as what it replaces, with all of these, so that jumps and line numbers stay
right.
"""

from collections.abc import Callable, Iterable
from dis import Instruction, opmap
from itertools import pairwise
from types import CodeType
from typing import Any, NamedTuple

from chainrules_py.errors import NotDifferentiableError
from chainrules_py.introspection import pythons
from chainrules_py.introspection.instructions import asks_what_a_value_is, instructions_of

# With an unknown Python no code is changed, and the layout of the newest known one is never used.
_LAYOUT = pythons.BYTECODE or pythons.PYTHONS[max(pythons.PYTHONS)]
_NOP, _SWAP, _NULL, _CONST = (opmap[name] for name in ("NOP", "SWAP", "PUSH_NULL", "LOAD_CONST"))
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_METHOD = _ATTRIBUTES[not _LAYOUT.has_method_bit]


class Calls(NamedTuple):
    """What a code loads in the place of what has a name, None for what stays: functions and methods
    where they are called, and the values of other global variables.
    """

    functions: Callable[[str], Any]
    methods: Callable[[str], Any]
    values: Callable[[str], Any]


def with_calls(code: CodeType, calls: Calls) -> CodeType:
    """Replace calls in a code and in the functions in it."""
    constants = [
        with_calls(const, calls) if type(const) is CodeType else const for const in code.co_consts
    ]
    if pythons.BYTECODE is None:
        require_no_questions(code)
        return code
    units = bytearray(code.co_code)
    for (start, one), (end, following) in pairwise(with_starts(instructions_of(code))):
        constant, make = instead_of(one, following, calls)
        load = make(len(constants))
        spare = end - start - len(load)
        if constant is not None and spare >= 0:  # a null is as long as the load of a low constant
            units[start:end] = load + bytes([_NOP, 0]) * (spare // 2)
            constants.append(constant)
    constants.append(code)  # who asks which globals a code names finds those in the former one
    return code.replace(co_consts=tuple(constants), co_code=bytes(units))


def require_no_questions(code: CodeType) -> None:
    """Raise where a code, whose calls cannot be replaced, asks what a value is: of a traced number
    it would learn something else, and go on in silence.
    """
    if asks_what_a_value_is(code):
        known = [".".join(map(str, version)) for version in pythons.PYTHONS]
        raise NotDifferentiableError(
            code.co_qualname,
            "it asks what a value is and has no source to be read, and the bytecode of this Python"
            " is not known",
            f"use Python {known[0]} to {known[-1]}, or write it into a file",
            primal=code.co_qualname,
            argument=None,
        )


def with_starts(instructions: tuple[Instruction, ...]) -> list[tuple[int, Instruction]]:
    """Each instruction, with where its prefixes begin."""
    found, start = list[tuple[int, Instruction]](), 0
    for one, following in pairwise((*instructions, instructions[-1])):
        if one.opname != "EXTENDED_ARG":
            found.append((start, one))
            start = following.offset
    return found


def instead_of(
    one: Instruction, following: Instruction, calls: Calls
) -> tuple[Any, Callable[[int], bytes]]:
    """The constant to load in the place of what an instruction loads, None where that stays; and
    what makes the instructions for that, given its number among the constants.
    """
    has_bit = bool((one.arg or 0) & 1)
    if one.opname == _METHOD and (has_bit or not _LAYOUT.has_method_bit):
        return calls.methods(one.argval), loading_method
    if one.opname != "LOAD_GLOBAL":
        return None, loading
    # a null is loaded beside what is called, or of which an attribute is
    is_called = has_bit and following.opname not in _ATTRIBUTES
    found = (calls.functions if is_called else calls.values)(one.argval)
    return found, loading if has_bit else loading_value


def loading(constant: int) -> bytes:
    """The instructions that load a constant in order to call it, as a global name is loaded."""
    load, null = loading_value(constant), bytes([_NULL, 0])
    return null + load if _LAYOUT.null_first else load + null


def loading_value(constant: int) -> bytes:
    """The instructions that load a constant."""
    extended = [opmap["EXTENDED_ARG"], constant >> 8] if constant > 255 else []
    return bytes([*extended, _CONST, constant & 255])


def loading_method(constant: int) -> bytes:
    """The instructions that load a constant in order to call it with the object on the stack."""
    return loading_value(constant) + bytes([_SWAP, 2])


def with_constants(code: CodeType, constants: Iterable[Any]) -> CodeType:
    """A code with other constants."""
    return code.replace(co_consts=tuple(constants))
