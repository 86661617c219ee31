"""The code of functions with other functions in the place of those that it loads in order to call
them.

A code is a sequence of units of two bytes, an operation and its argument. Before an instruction
there may be prefixes, which hold the higher bytes of its argument; behind it there are caches,
whose bytes are zero here. An operation therefore stands only at even positions, and a search for
its two bytes finds all of its instructions without reading the others.
"""

import re
from collections.abc import Iterator
from opcode import hasjrel, opmap, opname
from sys import version_info
from types import CodeType
from typing import Any, NamedTuple

_LOAD, _ATTRIBUTE, _CACHE = opmap["LOAD_GLOBAL"], opmap["LOAD_ATTR"], opmap["CACHE"]
_EXTENDED, _CONST, _NULL, _NOP = (
    opmap["EXTENDED_ARG"],
    opmap["LOAD_CONST"],
    opmap["PUSH_NULL"],
    opmap["NOP"],
)
_SWAP = opmap["SWAP"]
# From Python 3.12 on, a method is loaded by LOAD_ATTR, whose lowest bit says so.
_HAS_BIT = version_info >= (3, 12)
_METHOD = _ATTRIBUTE if _HAS_BIT else opmap["LOAD_METHOD"]
_JUMPS = re.compile(
    b"["
    + b"".join(re.escape(bytes([operation])) for operation in hasjrel if operation < 256)
    + b"]"
)
_BACKWARD = frozenset(operation for operation in hasjrel if "BACKWARD" in opname[operation])


class Calls(NamedTuple):
    """What a namespace's code calls in the place of what it names.

    Functions by their global names, those of modules by the global name of the module and by
    theirs, and methods by theirs.
    """

    functions: dict[str, Any]
    in_modules: dict[str, dict[str, Any]]
    methods: dict[str, Any]
    all_names: frozenset[str]


def calls_of(
    functions: dict[str, Any], in_modules: dict[str, dict[str, Any]], methods: dict[str, Any]
) -> Calls:
    """Calls, with the names by which a code is recognised that has one of them."""
    all_names = frozenset(functions).union(methods, *in_modules.values())
    return Calls(functions, in_modules, methods, all_names)


class Instruction(NamedTuple):
    """An instruction: where it begins, its prefixes included, and ends, its caches included."""

    start: int
    end: int
    operation: int
    argument: int


def with_calls(code: CodeType, calls: Calls) -> CodeType:
    """The code with calls replaced, in the functions inside it, too; the code itself where there
    are none.
    """
    consts = code.co_consts
    changed = False
    if CodeType in map(type, consts):
        inner = [with_calls(const, calls) if type(const) is CodeType else const for const in consts]
        changed = any(map(is_other, inner, consts))
        consts = tuple(inner) if changed else consts
    if not calls.all_names.isdisjoint(code.co_names):
        units = code.co_code
        found = list(replaced_loads(code, units, calls))
        if found:
            return with_constants(code, units, consts, found)
    return code.replace(co_consts=consts) if changed else code


def with_constants(
    code: CodeType, units: bytes, consts: tuple[Any, ...], found: list[tuple[int, int, Any, bool]]
) -> CodeType:
    """The code where constants are loaded in some places; of each, its bounds, the constant, and
    whether it is a method.
    """
    made, constants = bytearray(units), list(consts)
    for start, end, constant, is_method in found:
        load = loading_method(len(constants)) if is_method else loading(len(constants))
        made[start:end] = load + bytes([_NOP, 0]) * ((end - start - len(load)) // 2)
        constants.append(constant)
    return code.replace(co_consts=tuple(constants), co_code=bytes(made))


def replaced_loads(
    code: CodeType, units: bytes, calls: Calls
) -> Iterator[tuple[int, int, Any, bool]]:
    """The places in a code where something is loaded in order to call it, and where something else
    is to be called.
    """
    positions = {name: position for position, name in enumerate(code.co_names)}
    for name in calls.functions.keys() & positions.keys():  # the lowest bit says that it is called
        for load in loads(units, _LOAD, positions[name] << 1 | 1):
            yield load.start, load.end, calls.functions[name], False
    for name, method in calls.methods.items():
        if name in positions:
            argument = positions[name] << 1 | 1 if _HAS_BIT else positions[name]
            for load in loads(units, _METHOD, argument):
                yield load.start, load.end, method, True
    for module, functions in calls.in_modules.items():
        if module not in positions or functions.keys().isdisjoint(positions):
            continue
        for bit in (0, 1):
            for load in loads(units, _LOAD, positions[module] << 1 | bit):
                function, end = function_of_module(code, units, load, functions)
                if function is not None:
                    yield load.start, end, function, False


def function_of_module(
    code: CodeType, units: bytes, module: Instruction, functions: dict[str, Any]
) -> tuple[Any, int]:
    """What is called in the place of ``np.float64`` or the like, if that is loaded in order to call
    it, and where that ends.
    """
    attribute = instruction_at(units, module.end)
    if attribute.operation not in (_ATTRIBUTE, _METHOD):
        return None, 0
    has_bit = _HAS_BIT and attribute.operation == _ATTRIBUTE
    function = functions.get(
        code.co_names[attribute.argument >> 1 if has_bit else attribute.argument]
    )
    if function is None or is_jumped_to(units, attribute.start):
        return None, 0
    if (attribute.argument & 1) if has_bit else attribute.operation == _METHOD:
        return function, attribute.end
    if attribute.end >= len(units):
        return None, 0
    following = instruction_at(units, attribute.end)
    if module.argument & 1:
        return (
            (None, 0) if following.operation in (_ATTRIBUTE, _METHOD) else (function, attribute.end)
        )
    return (function, following.end) if following.operation == _NULL else (None, 0)


def loads(units: bytes, operation: int, argument: int) -> Iterator[Instruction]:
    """The instructions of an operation that have an argument."""
    pattern = bytes([operation, argument & 255])
    at = units.find(pattern)
    while at >= 0:
        if at % 2 == 0:
            start = start_of(units, at)
            found = instruction_at(units, start)
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


def is_other(new: Any, old: Any) -> bool:
    """Whether two are not the same object."""
    return new is not old


def is_jumped_to(units: bytes, position: int) -> bool:
    """Whether some jump leads to a position."""
    for match in _JUMPS.finditer(units[::2]):
        at = 2 * match.start()
        jump = instruction_at(units, start_of(units, at))
        distance = 2 * jump.argument
        if position == jump.end + (-distance if jump.operation in _BACKWARD else distance):
            return True
    return False


def loading(constant: int) -> bytes:
    """The instructions that load a constant in order to call it, in the room of those that load a
    global name.
    """
    load = [_EXTENDED, constant >> 8, _CONST, constant & 255]
    return bytes([*load, _NULL, 0] if version_info >= (3, 13) else [_NULL, 0, *load])


def loading_method(constant: int) -> bytes:
    """The instructions that load a constant in order to call it with the object on the stack as its
    first argument.
    """
    return bytes([_EXTENDED, constant >> 8, _CONST, constant & 255, _SWAP, 2])
