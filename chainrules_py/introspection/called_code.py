"""Replace functions that a code calls by others, in its bytecode.

A code is a sequence of units of two bytes, an operation and its argument. Before an instruction
there may be prefixes, which hold the higher bytes of its argument; behind it there are caches,
whose bytes are zero here. An operation therefore stands only at even positions, and a search for
its two bytes finds all of its instructions without reading the others.

A replacement is as long as what it replaces, so that jumps and line numbers stay right.
"""

import re
from collections.abc import Iterator
from dis import hasjrel, opmap, opname
from operator import is_not
from types import CodeType
from typing import Any, NamedTuple

from chainrules_py.introspection.pythons import BYTECODE, PYTHONS

# With an unknown Python no code is changed, and the layout of the newest known one is never used.
_LAYOUT = BYTECODE or PYTHONS[max(PYTHONS)]
_LOAD, _ATTRIBUTE, _CACHE = opmap["LOAD_GLOBAL"], opmap["LOAD_ATTR"], opmap["CACHE"]
_EXTENDED, _CONST, _NULL = opmap["EXTENDED_ARG"], opmap["LOAD_CONST"], opmap["PUSH_NULL"]
_NOP, _SWAP = opmap["NOP"], opmap["SWAP"]
_METHOD = _ATTRIBUTE if _LAYOUT.has_method_bit else opmap["LOAD_METHOD"]
_JUMPS = re.compile(
    b"["
    + b"".join(re.escape(bytes([operation])) for operation in hasjrel if operation < 256)
    + b"]"
)
_BACKWARD = frozenset(operation for operation in hasjrel if "BACKWARD" in opname[operation])


class Calls(NamedTuple):
    """The functions that a code is to call in the place of those that it names.

    Functions and methods are found by their name, functions of modules by the global name of the
    module and theirs. A code with none of `all_names` stays as it is.
    """

    functions: dict[str, Any]
    in_modules: dict[str, dict[str, Any]]
    methods: dict[str, Any]
    all_names: frozenset[str]


def calls_of(
    functions: dict[str, Any], in_modules: dict[str, dict[str, Any]], methods: dict[str, Any]
) -> Calls:
    """Make `Calls`, with the names without which there is nothing to replace in a code."""
    all_names = frozenset(functions).union(methods, *in_modules.values())
    return Calls(functions, in_modules, methods, all_names)


class Instruction(NamedTuple):
    """An instruction: where it begins, its prefixes included, and ends, its caches included."""

    start: int
    end: int
    operation: int
    argument: int


class Replacement(NamedTuple):
    """The bounds of what loads a function or a method, and what is loaded in its place."""

    start: int
    end: int
    constant: Any
    is_method: bool


def with_calls(code: CodeType, calls: Calls) -> CodeType:
    """Replace calls in a code and in the functions in it; without any, return the same object."""
    if BYTECODE is None:
        return code

    consts = code.co_consts
    is_changed = False
    if CodeType in map(type, consts):
        inner = [with_calls(const, calls) if type(const) is CodeType else const for const in consts]
        is_changed = any(map(is_not, inner, consts))
        consts = tuple(inner) if is_changed else consts

    if not calls.all_names.isdisjoint(code.co_names):
        units = code.co_code
        found = list(replacements(code, units, calls))
        if found:
            return with_constants(code, units, consts, found)
    return code.replace(co_consts=consts) if is_changed else code


def with_constants(
    code: CodeType, units: bytes, consts: tuple[Any, ...], found: list[Replacement]
) -> CodeType:
    """The code with constants loaded in the place of functions and methods."""
    changed, constants = bytearray(units), list(consts)
    for each in found:
        load = loading_method(len(constants)) if each.is_method else loading(len(constants))
        spare = each.end - each.start - len(load)
        changed[each.start : each.end] = load + bytes([_NOP, 0]) * (spare // 2)
        constants.append(each.constant)
    return code.replace(co_consts=tuple(constants), co_code=bytes(changed))


def replacements(code: CodeType, units: bytes, calls: Calls) -> Iterator[Replacement]:
    """Find where a code loads a function in order to call it, and another one is to be called."""
    positions = {name: position for position, name in enumerate(code.co_names)}

    # the lowest bit of the argument says that the function is called
    for name in calls.functions.keys() & positions.keys():
        for load in loads(units, _LOAD, positions[name] << 1 | 1):
            yield Replacement(load.start, load.end, calls.functions[name], is_method=False)

    for name in calls.methods.keys() & positions.keys():
        argument = positions[name] << 1 | 1 if _LAYOUT.has_method_bit else positions[name]
        for load in loads(units, _METHOD, argument):
            yield Replacement(load.start, load.end, calls.methods[name], is_method=True)

    for module, functions in calls.in_modules.items():
        if module not in positions or functions.keys().isdisjoint(positions):
            continue
        for bit in (0, 1):
            for load in loads(units, _LOAD, positions[module] << 1 | bit):
                function, end = function_of_module(code, units, load, functions)
                if function is not None:
                    yield Replacement(load.start, end, function, is_method=False)


def function_of_module(
    code: CodeType, units: bytes, module: Instruction, functions: dict[str, Any]
) -> tuple[Any, int]:
    """The function in the place of ``np.float64`` or the like, and where loading it ends.

    None unless it is loaded in order to be called.
    """
    nothing = None, 0
    attribute = instruction_at(units, module.end)
    if attribute.operation not in (_ATTRIBUTE, _METHOD):
        return nothing

    has_bit = _LAYOUT.has_method_bit and attribute.operation == _ATTRIBUTE
    name = code.co_names[attribute.argument >> 1 if has_bit else attribute.argument]
    function = functions.get(name)
    if function is None or is_jumped_to(units, attribute.start):
        return nothing

    is_method = bool(attribute.argument & 1) if has_bit else attribute.operation == _METHOD
    if is_method:
        return function, attribute.end
    if attribute.end >= len(units):
        return nothing

    following = instruction_at(units, attribute.end)
    if module.argument & 1:  # a null stands before the module: what is loaded last is called
        is_last = following.operation not in (_ATTRIBUTE, _METHOD)
        return (function, attribute.end) if is_last else nothing
    return (function, following.end) if following.operation == _NULL else nothing


def loads(units: bytes, operation: int, argument: int) -> Iterator[Instruction]:
    """Find the instructions of an operation that have an argument."""
    pattern = bytes([operation, argument & 255])
    at = units.find(pattern)
    while at >= 0:
        if at % 2 == 0:
            found = instruction_at(units, start_of(units, at))
            if found.argument == argument:
                yield found
        at = units.find(pattern, at + 1)


def start_of(units: bytes, at: int) -> int:
    """Where the prefixes of the instruction begin whose operation is at a position."""
    while at >= 2 and units[at - 2] == _EXTENDED:
        at -= 2
    return at


def instruction_at(units: bytes, start: int) -> Instruction:
    """The instruction that begins at a position, its prefixes included."""
    at, argument = start, units[start + 1]
    while units[at] == _EXTENDED:
        at += 2
        argument = argument << 8 | units[at + 1]
    end = at + 2
    while end < len(units) and units[end] == _CACHE:
        end += 2
    return Instruction(start, end, units[at], argument)


def is_jumped_to(units: bytes, position: int) -> bool:
    """Whether some jump leads to a position."""
    for match in _JUMPS.finditer(units[::2]):
        jump = instruction_at(units, start_of(units, 2 * match.start()))
        distance = 2 * jump.argument
        if jump.operation in _BACKWARD:
            distance = -distance
        if position == jump.end + distance:
            return True
    return False


def loading(constant: int) -> bytes:
    """The instructions that load a constant in order to call it, as a global name is loaded."""
    load = [_EXTENDED, constant >> 8, _CONST, constant & 255]
    null = [_NULL, 0]
    return bytes(null + load if _LAYOUT.null_first else load + null)


def loading_method(constant: int) -> bytes:
    """The instructions that load a constant in order to call it with the object on the stack."""
    return bytes([_EXTENDED, constant >> 8, _CONST, constant & 255, _SWAP, 2])
