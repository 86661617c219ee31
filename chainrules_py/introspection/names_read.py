"""The names that a code reads of its surroundings: globals, attributes, modules that it imports."""

import dis
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType

from chainrules_py.introspection.counts import counts_in
from chainrules_py.introspection.executed import Executed
from chainrules_py.introspection.pythons import BYTECODE

_GLOBALS = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})
_CHANGED = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL"})
_ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "IMPORT_FROM"})
_STORED = frozenset({"STORE_ATTR", "DELETE_ATTR"})
_DEREFERENCED = frozenset({"STORE_DEREF", "DELETE_DEREF"})
_VARIABLES = frozenset({"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"})


@dataclass
class NamesRead:
    """The names that a code object, and the functions defined inside of it, read and assign.

    `globals_read` may be builtins, too. `chains` are global names with the attributes that are
    read of them at once, ``numpy.random.normal`` say; `alone` are names that are used by themselves.
    A ``*`` among the attributes stands for those
    that a pattern reads by their positions. `attributes_changed` are assigned to, or deleted, and
    so are `variables_changed`, of enclosing functions. `attributes_initialized` are assigned to by
    methods ``__init__`` of the object that they get: a new one, where nobody else calls these.

    What is counted, ``x.n += 1``, by a whole number that stands in the code, is neither read nor
    changed: an attribute is in `attributes_counted`, a global name in `globals_counted`, and a
    variable of enclosing functions in `variables_counted`, and in `variables_changed`.

    `compares_identities` is true where the code asks whether two objects are one
    (``a is b``), other than constants (``a is None``), and
    `compares_variables` where the second of them is a variable of its own. `compared` are the
    chains of the second ones, an empty one for what is reached in another way; of two chains, or
    of classes (``a.__class__ is b.__class__``), none.
    """

    globals_read: set[str] = field(default_factory=set)
    globals_changed: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    imported: set[str] = field(default_factory=set)
    variables_changed: set[str] = field(default_factory=set)
    attributes_changed: set[str] = field(default_factory=set)
    attributes_initialized: set[str] = field(default_factory=set)
    attributes_counted: set[str] = field(default_factory=set)
    globals_counted: set[str] = field(default_factory=set)
    variables_counted: set[str] = field(default_factory=set)
    chains: set[tuple[str, ...]] = field(default_factory=set)
    alone: set[str] = field(default_factory=set)
    compares_identities: bool = False
    compares_variables: bool = False
    compared: set[tuple[str, ...]] = field(default_factory=set)
    # where each name stands first: a file, a line, and the name of the function
    lines: dict[str, tuple[str, int, str]] = field(default_factory=dict)


def names_read(code: CodeType, executed: Executed | None = None) -> NamesRead | None:
    """Find what a code reads by name; None with a Python whose bytecode is not known here.

    With `executed`, only what instructions read that ran.

    >>> found = names_read((lambda x: SCALE * model.weights @ x).__code__)
    >>> sorted(found.globals_read), sorted(found.attributes)
    (['SCALE', 'model'], ['weights'])
    """
    if BYTECODE is None:
        return None
    return _all_names_read(code) if executed is None else _names_read(code, executed)


def _names_read(code: CodeType, executed: Executed | None) -> NamesRead:
    found = NamesRead()
    used: set[str] = set()
    for each in with_inner_codes(code):
        used |= _read(each, found, None if executed is None else executed.of(each))
    own_variables = set(code.co_freevars)
    found.variables_changed &= own_variables
    found.variables_counted &= own_variables - used
    return found


@lru_cache(maxsize=4096)
def _all_names_read(code: CodeType) -> NamesRead:
    return _names_read(code, None)


def with_inner_codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a code, and those of the functions and classes that are defined in it."""
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from with_inner_codes(const)


def variables_of_code(code: CodeType) -> tuple[str, ...]:
    """The variables of enclosing functions that a code has, in the order of its cells."""
    return code.co_freevars


def _instructions(code: CodeType, offsets: set[int] | None) -> Iterator[dis.Instruction | None]:
    """Yield the instructions of a code that ran, and None where one did not."""
    is_extended = False  # an instruction runs with the extension of its argument before it
    for one in dis.get_instructions(code):
        has_run = offsets is None or is_extended or one.offset in offsets
        is_extended = has_run and one.opname == "EXTENDED_ARG"
        yield one if has_run else None


def _read(code: CodeType, found: NamesRead, offsets: set[int] | None) -> set[str]:
    """Note what a code reads; return the variables of enclosing functions that are not only counted."""
    instructions = list(_instructions(code, offsets))
    counts = counts_in(instructions)
    used: set[str] = set()
    own = code.co_varnames[0] if code.co_name == "__init__" and code.co_argcount else None
    chain: tuple[str, ...] = ()
    first: tuple[str, ...] = ()  # the chain that ends where this one begins
    before: object = None
    operation_before = ""
    for one in instructions:
        if one is not None and one.offset in counts:
            found.alone.update(chain[:1])
            _note_count(one, found)
        if one is None or one.offset in counts:
            first, chain, before, operation_before = (), (), None, ""
            continue
        name, line = one.opname, one.positions and one.positions.lineno
        if line is not None and type(one.argval) is str:
            found.lines.setdefault(one.argval, (code.co_filename, line, code.co_qualname))
        if len(chain) == 1 and name not in _ATTRIBUTES:
            found.alone.update(chain)
        if name in _GLOBALS:
            found.globals_read.add(one.argval)
            first, chain = chain, (one.argval,)
            found.chains.add(chain)
        elif name in _ATTRIBUTES:
            found.attributes.add(one.argval)
            chain = (*chain, one.argval) if chain else ()
            if chain:
                found.chains.add(chain)
        else:
            latest, chain = chain, ()
            if name == "STORE_ATTR" and own is not None and before == own:
                found.attributes_initialized.add(one.argval)
            else:
                _note_other(name, one.argval, found)
            if name in _VARIABLES or name in _DEREFERENCED:
                used.add(one.argval)
            if name == "MATCH_CLASS":
                _note_pattern(one.argval, before, found)
            if name == "IS_OP" and operation_before != "LOAD_CONST":
                found.compares_identities = True
                is_class = operation_before in _ATTRIBUTES and before == "__class__"
                if not (is_class or (first and latest)):
                    found.compared.add(latest)
                found.compares_variables |= operation_before.startswith("LOAD_FAST")
        before, operation_before = one.argval, name
    return used


def _note_count(one: dis.Instruction, found: NamesRead) -> None:
    """Note the name that an instruction stores a count under."""
    if one.opname == "STORE_ATTR":
        found.attributes_counted.add(one.argval)
    elif one.opname == "STORE_GLOBAL":
        found.globals_counted.add(one.argval)
    elif one.opname == "STORE_DEREF":
        found.variables_counted.add(one.argval)
        found.variables_changed.add(one.argval)


def _note_pattern(positions: object, names: object, found: NamesRead) -> None:
    """Note what ``case Point(1.0, y=y)`` reads: attributes by position, and by name."""
    if positions:
        found.attributes.add("*")
    if isinstance(names, tuple):
        found.attributes.update(map(str, names))


def _note_other(name: str, argument: object, found: NamesRead) -> None:
    if name == "IMPORT_NAME":
        found.imported.add(str(argument))
    elif name in _CHANGED:
        found.globals_changed.add(str(argument))
    elif name in _STORED:
        found.attributes_changed.add(str(argument))
    elif name in _DEREFERENCED:
        found.variables_changed.add(str(argument))
