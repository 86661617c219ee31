"""Replace functions that a code calls by others, in its bytecode.

A code is a sequence of units of two bytes, an operation and its argument. Before an instruction
there may be prefixes, which hold the higher bytes of its argument; behind it there are caches,
whose bytes are zero here. An operation therefore stands only at even positions, and a search for
its two bytes finds all of its instructions without reading the others.

A replacement is as long as what it replaces, so that jumps and line numbers stay right.

A function that a variable holds is not known before it is called. There another function is called
with it: in the place of the null that stands beside the function on the stack, so that the function
becomes the first argument.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dis import HAVE_ARGUMENT, hasjabs, hasjrel, opmap, opname, stack_effect
from inspect import CO_NESTED
from operator import is_not
from types import CodeType
from typing import Any, NamedTuple

from chainrules_py.introspection.pythons import BYTECODE, PYTHONS

# With an unknown Python no code is changed, and the layout of the newest known one is never used.
_LAYOUT = BYTECODE or PYTHONS[max(PYTHONS)]
_LOAD, _ATTRIBUTE, _CACHE = opmap["LOAD_GLOBAL"], opmap["LOAD_ATTR"], opmap["CACHE"]
_EXTENDED, _CONST, _NULL = opmap["EXTENDED_ARG"], opmap["LOAD_CONST"], opmap["PUSH_NULL"]
_NOP, _SWAP = opmap["NOP"], opmap["SWAP"]
_LONGEST = 64  # bytes: more than the caches of any instruction
_SHORT = 32  # bytes: more than an instruction that jumps and what it takes from the stack
_VARIABLES = {opmap[name]: name for name in ("LOAD_FAST", "LOAD_DEREF")}


def _one_of(operations: Iterable[int]) -> bytes:
    """Write the regular expression of one byte that is among these operations."""
    return b"[" + b"".join(re.escape(bytes([operation])) for operation in operations) + b"]"


# A null and a variable beside each other on the stack; the variable has no prefix.
_A_NULL = re.escape(bytes([_NULL, 0]))
_NO_PREFIX = b"(?<!" + re.escape(bytes([_EXTENDED])) + b".)"
_NULL_FIRST = _A_NULL + _one_of(_VARIABLES)
_VARIABLE_FIRST = _NO_PREFIX + _one_of(_VARIABLES) + b"." + _A_NULL
_HELD = re.compile(_NULL_FIRST if _LAYOUT.null_first else _VARIABLE_FIRST, re.DOTALL)
_KEYS = frozenset(opmap[name] for name in ("LOAD_CONST", "LOAD_FAST"))
_SUBSCRIPT = opmap.get("BINARY_SUBSCR")
# Where a call takes its arguments from the stack; Python 3.11 has an instruction before that.
_CALL = opmap.get("PRECALL", opmap["CALL"])
_METHOD = _ATTRIBUTE if _LAYOUT.has_method_bit else opmap["LOAD_METHOD"]
_JUMPS = re.compile(
    _one_of(each for each in hasjrel if each < 256 and "BACKWARD" not in opname[each])
)
_LEAVING = frozenset({*hasjrel, *hasjabs, opmap["RETURN_VALUE"]})
_new: Any = tuple.__new__


class Calls(NamedTuple):
    """The functions that a code is to call in the place of those that it names.

    functions      by name; a variable may hold one where the code uses it otherwise than to call it
    in_modules     functions of modules, by the global name of the module and theirs
    methods        by name
    tables         containers that are read in the place of global ones, where an entry is called
    held           called with a function that is known only when it is called, and its arguments
    holders        names of variables that may hold such a function
    holding        names of attributes that are containers of such functions: ``x.name[key](y)``
    values         loaded in the place of global variables, by name, where nothing above is
    all_names      a code that has none of these names, and none of `holders`, stays as it is
    """

    functions: dict[str, Any]
    in_modules: dict[str, dict[str, Any]]
    methods: dict[str, Any]
    all_names: frozenset[str]
    held: Any = None
    holders: frozenset[str] = frozenset()
    tables: dict[str, Any] = {}  # noqa: RUF012
    holding: frozenset[str] = frozenset()
    values: dict[str, Any] = {}  # noqa: RUF012


def calls_of(
    functions: dict[str, Any],
    in_modules: dict[str, dict[str, Any]],
    methods: dict[str, Any],
    held: Any = None,
    holders: frozenset[str] = frozenset(),
    tables: dict[str, Any] | None = None,
    holding: frozenset[str] = frozenset(),
) -> Calls:
    """Make `Calls`, with the names without which there is nothing to replace in a code."""
    all_names = frozenset(functions).union(methods, tables or {}, holding, *in_modules.values())
    return Calls(functions, in_modules, methods, all_names, held, holders, tables or {}, holding)


class Instruction(NamedTuple):
    """An instruction: where it begins, its prefixes included, and ends, its caches included."""

    start: int
    end: int
    operation: int
    argument: int


class Replacement(NamedTuple):
    """The bounds of what loads a function or a method, what is loaded in its place, and the
    instructions that do so, given the number of that among the constants.
    """

    start: int
    end: int
    constant: Any
    load: Callable[[int], bytes]


def with_calls(code: CodeType, calls: Calls) -> CodeType:
    """Replace calls in a code and in the functions in it; without any, return the same object."""
    if BYTECODE is None:
        return code

    # most codes end here, and what is read of them decides what this costs
    consts, named = code.co_consts, calls.all_names.intersection(code.co_names)
    has_inner, is_holding = CodeType in map(type, consts), holds(code, calls.holders)
    if not (named or has_inner or is_holding):
        return code

    is_changed = False
    if has_inner:
        inner = [with_calls(const, calls) if type(const) is CodeType else const for const in consts]
        is_changed = any(map(is_not, inner, consts))
        consts = tuple(inner) if is_changed else consts

    units = code.co_code if named or is_holding else b""
    found = replacements(code, units, calls, named) if named else []
    may_hold = is_holding or not named.isdisjoint(calls.functions)
    if may_hold and calls.held is not None and _HELD.search(units):
        found += held_calls(code, units, calls)
    if not calls.holding.isdisjoint(named):
        found += held_entries(code, units, calls)
    if found:
        return with_constants(code, units, consts, found)
    return code.replace(co_consts=consts) if is_changed else code


def with_constants(
    code: CodeType, units: bytes, consts: tuple[Any, ...], found: list[Replacement]
) -> CodeType:
    """The code with constants loaded in the place of functions and methods."""
    changed, constants = bytearray(units), list(consts)
    for each in found:
        load = each.load(len(constants))
        spare = each.end - each.start - len(load)
        if spare < 0:  # a null is as long as the load of one of the first 256 constants
            continue
        changed[each.start : each.end] = load + bytes([_NOP, 0]) * (spare // 2)
        constants.append(each.constant)
    constants.append(code)  # who asks which globals a code names finds those in the former one
    return code.replace(co_consts=tuple(constants), co_code=bytes(changed))


def replacements(
    code: CodeType, units: bytes, calls: Calls, named: frozenset[str]
) -> list[Replacement]:
    """Find where a code loads a function in order to call it, and another one is to be called.

    `named` are those of `calls.all_names` that the code names.
    """
    names, found = code.co_names, list[Replacement]()
    for name in named:
        argument = names.index(name) << 1 | 1
        # the lowest bit of the argument says that the function is called
        if name in calls.functions:
            for load in loads(units, _LOAD, argument):
                if not is_attribute_loaded(units, load.end):
                    found.append(Replacement(load.start, load.end, calls.functions[name], loading))

        if name in calls.methods:
            of_method = argument if _LAYOUT.has_method_bit else argument >> 1
            for load in loads(units, _METHOD, of_method):
                found.append(Replacement(load.start, load.end, calls.methods[name], loading_method))

        if name in calls.tables:
            found += entries_called(units, argument >> 1, calls.tables[name])

    for module, functions in calls.in_modules.items():
        if module in names and not named.isdisjoint(functions):
            position = names.index(module)
            for name in named.intersection(functions):
                for start, end in calls_in_module(units, position, names.index(name)):
                    found.append(Replacement(start, end, functions[name], loading))
    known = {each.start for each in found}
    for name in named.intersection(calls.values):
        for bit, make in enumerate((loading_value, loading)):  # without and with a null
            for load in loads(units, _LOAD, names.index(name) << 1 | bit):
                if load.start not in known:
                    found.append(Replacement(load.start, load.end, calls.values[name], make))
    return found


def is_attribute_loaded(units: bytes, position: int) -> bool:
    """Whether the instruction at a position loads an attribute, which is called then.

    Of what a module imports by name, as ``add.reduce(x)``, the null stands before the owner.
    """
    return position < len(units) and instruction_at(units, position).operation in (
        _ATTRIBUTE,
        _METHOD,
    )


def entries_called(units: bytes, position: int, table) -> Iterator[Replacement]:
    """Find where a code calls entries of a table, whose name has a position among its names.

    That something is called is said by the bit before the table, or by a null behind the entry.
    """
    bit, make = (1, loading) if _LAYOUT.null_first else (0, loading_value)
    for load in loads(units, _LOAD, position << 1 | bit):
        if is_table(units, load):
            yield Replacement(load.start, load.end, table, make)


def holds(code: CodeType, holders: frozenset[str]) -> bool:
    """Whether a code has a variable of one of some names."""
    if not holders.isdisjoint(code.co_varnames):
        return True
    # with variables of functions around it only; making an empty tuple of them takes longer
    return bool(code.co_flags & CO_NESTED) and not holders.isdisjoint(code.co_freevars)


def held_calls(code: CodeType, units: bytes, calls: Calls) -> Iterator[Replacement]:
    """Find where a code calls what a variable holds.

    Only calls are found whose arguments are loaded without jumps and are not unpacked.
    """
    is_any = uses_otherwise(code, units, calls)
    if not is_any and not holds(code, calls.holders):
        return
    for match in _HELD.finditer(units):
        if match.start() % 2:
            continue
        null, holder = null_and_holder(units, match.start())
        is_held = is_any or variable_of(code, holder) in calls.holders
        if is_held and is_called_plainly(units, max(null.end, holder.end)):
            yield with_holder(units, null, holder, calls.held)


def null_and_holder(units: bytes, start: int) -> tuple[Instruction, Instruction]:
    """The instructions at a position that load a null and what is called, in this order."""
    first = instruction_at(units, start)
    second = instruction_at(units, first.end)
    return (first, second) if _LAYOUT.null_first else (second, first)


def held_entries(code: CodeType, units: bytes, calls: Calls) -> Iterator[Replacement]:
    """Find where a code calls an entry of an attribute, as in ``self.kinds["a"](x)``."""
    for name in calls.holding.intersection(code.co_names):
        position = code.co_names.index(name)
        for attribute in loads(units, _ATTRIBUTE, position << _LAYOUT.has_method_bit):
            found = entry_of(units, attribute)
            if found is None:
                continue
            null, entry = found
            if is_called_plainly(units, max(null.end, entry.end)):
                yield with_holder(units, null, entry, calls.held)


def entry_of(units: bytes, attribute: Instruction) -> tuple[Instruction, Instruction] | None:
    """The null beside an entry of an attribute of a variable, and what loads that entry as one
    instruction; None where the code does something else with the attribute.
    """
    start = attribute.start - 2
    if start < 0 or units[start] not in _VARIABLES or not is_table(units, attribute):
        return None
    key = instruction_at(units, attribute.end)
    subscript = instruction_at(units, key.end)
    entry = Instruction(start, subscript.end, subscript.operation, 0)
    at = start - 2 if _LAYOUT.null_first else entry.end
    is_null = at >= 0 and units[at] == _NULL
    return (instruction_at(units, at), entry) if is_null else None


def variable_of(code: CodeType, load: Instruction) -> str:
    """The name of the variable that an instruction loads."""
    names = code.co_varnames
    if _VARIABLES[load.operation] == "LOAD_DEREF":
        own = tuple(name for name in code.co_cellvars if name not in names)
        names = (*names, *own, *code.co_freevars)
    return names[load.argument] if load.argument < len(names) else ""


def is_table(units: bytes, holder: Instruction) -> bool:
    """Whether an entry of what is loaded is called, by a key that is loaded at once."""
    if holder.end >= len(units):
        return False
    key = instruction_at(units, holder.end)
    if key.operation not in _KEYS or key.end >= len(units):
        return False
    entry = instruction_at(units, key.end)
    if entry.operation != _SUBSCRIPT or entry.end >= len(units):
        return False
    return _LAYOUT.null_first or units[entry.end] == _NULL


def is_called_plainly(units: bytes, position: int) -> bool:
    """Whether what is on the stack at a position is called with what is loaded from there on."""
    depth = 0
    while position < len(units):
        one = instruction_at(units, position)
        name = opname[one.operation]
        if one.operation == _CALL and depth == one.argument:
            return True
        if (
            depth < 0
            or name.startswith(("CALL_FUNCTION_EX", "CALL_KW"))
            or one.operation in _LEAVING
        ):
            return False
        takes_argument = one.operation >= HAVE_ARGUMENT
        depth += stack_effect(one.operation, one.argument if takes_argument else None)
        position = one.end
    return False


def with_holder(units: bytes, null: Instruction, holder: Instruction, held) -> Replacement:
    """The call of another function with what is held."""
    if _LAYOUT.null_first:
        return Replacement(null.start, null.end, held, loading_value)
    own = units[holder.start : holder.end]
    return Replacement(holder.start, null.end, held, lambda constant: loading_value(constant) + own)


def uses_otherwise(code: CodeType, units: bytes, calls: Calls) -> bool:
    """Whether a code loads one of the functions otherwise than to call it."""
    names = code.co_names
    named = calls.functions.keys() & names
    return any(loads(units, _LOAD, names.index(name) << 1) for name in named)


def calls_in_module(units: bytes, module: int, name: int) -> Iterator[tuple[int, int]]:
    """The bounds of what loads ``np.float64`` or the like in order to call it.

    The module and the function are given by their positions among the names of the code.
    """
    for operation, argument in attribute_loads(name):
        for attribute in loads(units, operation, argument):
            load = load_before(units, attribute.start)
            if load is None or load.argument >> 1 != module or is_jumped_over(units, load):
                continue
            end = end_of_called(units, load, attribute)
            if end is not None:
                yield load.start, end


def attribute_loads(name: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The two forms of instructions that load an attribute, the second one to call it."""
    if _LAYOUT.has_method_bit:
        return (_ATTRIBUTE, name << 1), (_ATTRIBUTE, name << 1 | 1)
    return (_ATTRIBUTE, name), (_METHOD, name)


def load_before(units: bytes, end: int) -> Instruction | None:
    """The instruction before a position, if that loads a global name."""
    at = end - 2
    while at > 0 and units[at] == _CACHE:
        at -= 2
    return instruction_at(units, start_of(units, at)) if units[at] == _LOAD else None


def end_of_called(units: bytes, load: Instruction, attribute: Instruction) -> int | None:
    """Where loading a function of a module ends; None unless it is loaded in order to be called."""
    has_bit = _LAYOUT.has_method_bit and attribute.operation == _ATTRIBUTE
    is_method = bool(attribute.argument & 1) if has_bit else attribute.operation == _METHOD
    if is_method:
        return attribute.end
    if attribute.end >= len(units):
        return None

    following = instruction_at(units, attribute.end)
    if load.argument & 1:  # a null stands before the module: what is loaded last is called
        is_last = following.operation not in (_ATTRIBUTE, _METHOD)
        return attribute.end if is_last else None
    return following.end if following.operation == _NULL else None


def loads(units: bytes, operation: int, argument: int) -> list[Instruction]:
    """Find the instructions of an operation that have an argument."""
    pattern = bytes((operation, argument & 255))
    at = units.find(pattern)
    found = []
    while at >= 0:
        if at % 2 == 0:
            one = instruction_at(units, start_of(units, at))
            if one.argument == argument:
                found.append(one)
        at = units.find(pattern, at + 1)
    return found


def start_of(units: bytes, at: int) -> int:
    """Where the prefixes of the instruction begin whose operation is at a position."""
    while at >= 2 and units[at - 2] == _EXTENDED:
        at -= 2
    return at


def instruction_at(units: bytes, start: int) -> Instruction:
    """The instruction that begins at a position, its prefixes included."""
    at, operation, argument = start + 2, units[start], units[start + 1]
    while operation == _EXTENDED:
        operation, argument = units[at], argument << 8 | units[at + 1]
        at += 2
    behind = units[at : at + _LONGEST]
    end = at + len(behind) - len(behind.lstrip(b"\0"))
    # without a step of Python's for the class, which takes a third of all this
    return _new(Instruction, (start, end, operation, argument))


def is_jumped_over(units: bytes, load: Instruction) -> bool:
    """Whether some jump leads behind an instruction that loads a value, as in ``(a or b).c``.

    Such a jump stands right before what it jumps over.
    """
    begin = max(load.start - _SHORT, 0)
    for match in _JUMPS.finditer(units[begin : load.start : 2]):
        jump = instruction_at(units, start_of(units, begin + 2 * match.start()))
        if jump.end + 2 * jump.argument == load.end:
            return True
    return False


def loading(constant: int) -> bytes:
    """The instructions that load a constant in order to call it, as a global name is loaded."""
    load, null = loading_value(constant), bytes([_NULL, 0])
    return null + load if _LAYOUT.null_first else load + null


def loading_value(constant: int) -> bytes:
    """The instructions that load a constant."""
    extended = [_EXTENDED, constant >> 8] if constant > 255 else []
    return bytes([*extended, _CONST, constant & 255])


def loading_method(constant: int) -> bytes:
    """The instructions that load a constant in order to call it with the object on the stack."""
    return loading_value(constant) + bytes([_SWAP, 2])


def with_other_constants(code: CodeType, change: Callable[[Any], Any], last) -> CodeType:
    """A code, and the codes in it, with other constants, and one more at the end of each."""

    def constant(found) -> Any:
        is_code = type(found) is CodeType
        return with_other_constants(found, change, last) if is_code else change(found)

    return code.replace(co_consts=(*map(constant, code.co_consts), last))
