"""Questions to bytecode: what a frame is doing just now, and what a code does with a name.

A code is a sequence of units of two bytes: an operation, and its argument. What these mean to an
unknown Python is not guessed: `pythons` says what is answered then.
"""

import dis
import os
import re
from collections.abc import Iterator
from functools import cache
from itertools import dropwhile, pairwise
from types import CodeType, FrameType

from chainrules_py.introspection import pythons
from chainrules_py.introspection.references import noted_of_each_code

_BINARY = dis.opmap["BINARY_OP"]
# the arguments of BINARY_OP that stand for ``+=`` and its like
_AUGMENTED = frozenset(range(13, 26))
_REMAINDER = 6  # that which stands for ``%``
_STORES = frozenset(
    dis.opmap[name] for name in ("STORE_SUBSCR", "STORE_SLICE") if name in dis.opmap
)
_JUMPS_BACK = frozenset([number for name, number in dis.opmap.items() if "JUMP_BACKWARD" in name])
_WRITERS = frozenset({"fill", "copyto", "fill_diagonal", "put", "putmask", "place", "at"})
# SciPy's golden-section search compares traced values, and nothing of it is refused
_QUESTIONS = frozenset({"type", "hasattr", "iter", "iterable", "golden"})
_MOVES = r"COMPARE_OP \S*JUMP\S* {}(LOAD_FAST\S* )+(BUILD_TUPLE|STORE_FAST|SWAP)"
# a variable that a constant multiplies or divides: the next step of a search is shorter
_SHRINKS = (
    r"LOAD_FAST\S*[:,](\w+) (LOAD_CONST|LOAD_SMALL_INT) BINARY_OP:[*/]=? "
    r"(SWAP )?(STORE_FAST:\w+ )?STORE_FAST\S*[:,]\1\b"
)
_DECIDES = ("POP_JUMP", "JUMP_IF")
_TRUTH = ("COPY", "TO_BOOL", "UNARY_NOT")  # what may stand before these
_STORES_VARIABLE = ("STORE_FAST", "STORE_NAME", "STORE_DEREF", "STORE_GLOBAL")
_ASSIGNS_OUTER = ("STORE_DEREF", "DELETE_DEREF")
_CONSTANT = ("LOAD_CONST", "LOAD_COMMON_CONSTANT")  # by the latter, ``all`` and its like


def is_augmented_assignment(frame: FrameType) -> bool:
    """Whether a frame is at ``a *= x`` or the like."""
    return _binary_operation(frame) in _AUGMENTED


def holds_what_it_augments(frame: FrameType) -> bool:
    """Whether ``a *= x`` holds the array itself: since Python 3.14 a variable mostly lends it."""
    if pythons.BYTECODE is None or not pythons.BYTECODE.lends:
        return False
    done = [one for one in instructions_of(frame.f_code) if one.offset <= frame.f_lasti]
    *before, operation = done
    start = operation.positions[::2]  # line and column, at which the array stands, too
    loads = [one.opname for one in before if one.positions[::2] == start]
    return None not in start and "BORROW" not in loads[-1]


def is_formatting(frame: FrameType) -> bool:
    """Whether a frame is at ``text % x``, if what it asks for a number is no operand itself."""
    return _binary_operation(frame) == _REMAINDER


def _binary_operation(frame: FrameType) -> int | None:
    """The number of the operation of two operands that a frame is at."""
    code, at = frame.f_code.co_code, frame.f_lasti
    is_one = pythons.BYTECODE is not None and code[at] == _BINARY
    return code[at + 1] if is_one else None


def is_storing_entries(frame: FrameType) -> bool:
    """Whether a frame is at ``y[index] = x``."""
    return pythons.BYTECODE is not None and frame.f_code.co_code[frame.f_lasti] in _STORES


def is_decided_on(frame: FrameType) -> bool:
    """Whether Python goes one way or another by the result of the instruction that a frame is at,
    before a variable or a function gets it; that may be so where bytecode is unknown.
    """
    if pythons.BYTECODE is None:
        return True
    now = dis.opname[frame.f_code.co_code[frame.f_lasti]]
    following = (one.opname for one in instructions_of(frame.f_code) if one.offset > frame.f_lasti)
    used_by = next(dropwhile(lambda name: name.startswith(_TRUTH), following), "")
    return now.startswith(_DECIDES) or used_by.startswith(_DECIDES)


def assigned_variable(frame: FrameType) -> str | None:
    """The variable to which the result of the instruction that a frame is at is assigned at once.

    None where it is used otherwise, as part of an expression, say.
    """
    if pythons.BYTECODE is None:
        return None
    following = next(
        (one for one in instructions_of(frame.f_code) if one.offset > frame.f_lasti), None
    )
    if following is None or not following.opname.startswith(_STORES_VARIABLE):
        return None
    return _names_of(following)[0]


@noted_of_each_code(256)
def instructions_of(code: CodeType) -> tuple[dis.Instruction, ...]:
    """The instructions of a code, caches left out."""
    return tuple(dis.get_instructions(code))


def is_applying_decorator(frame: FrameType) -> bool:
    """Whether a frame is calling a decorator: without arguments, at the head of a definition."""
    if pythons.BYTECODE is None:
        return False
    instructions, at = frame.f_code.co_code, frame.f_lasti
    # a frame that has called a Python function stands behind the caches of the call
    while dis.opname[instructions[at]] == "CACHE":
        at -= 2
    # CPython passes a decorator what it decorates in the place of a method's self, which is not
    # counted.
    if dis.opname[instructions[at]] != "CALL" or instructions[at + 1] > 0:
        return False
    return any(_is_defined_on(frame.f_lineno, part) for part in frame.f_code.co_consts)


def _is_defined_on(line: int, code: object) -> bool:
    """Whether a line is in the definition of a function or class, its decorators included."""
    if not isinstance(code, CodeType) or code.co_name.startswith("<"):
        return False
    last = max(number for *_, number in code.co_lines() if number is not None)
    return code.co_firstlineno <= line <= last


@noted_of_each_code(4096)
def variables_assigned(code: CodeType) -> frozenset[str]:
    """The variables of enclosing functions that a code, or a function defined in it, assigns to."""
    if pythons.BYTECODE is None:
        return frozenset(code.co_freevars)
    assigned = {
        _names_of(one)[0]
        for each in with_inner_codes(code)
        for one in dis.get_instructions(each)
        if one.opname in _ASSIGNS_OUTER
    }
    return frozenset(assigned.intersection(code.co_freevars))


@noted_of_each_code(4096)
def globals_named(code: CodeType) -> frozenset[str]:
    """The globals that a code, or a function defined in it, reads or assigns to; no attributes."""
    if pythons.BYTECODE is None:
        return names_in(code)
    named = [
        one.argval
        for each in with_inner_codes(code)
        for one in dis.get_instructions(each)
        if one.opname.endswith(("_GLOBAL", "_GLOBALS", "_NAME"))
    ]
    return frozenset(named)


def names_in(code: CodeType) -> frozenset[str]:
    """The names of variables and attributes in code and in functions that are defined in it."""
    named = [(*each.co_names, *each.co_freevars) for each in with_inner_codes(code)]
    return frozenset().union(*named)


def with_inner_codes(code: CodeType) -> Iterator[CodeType]:
    """A code, and those of functions that are defined in it."""
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from with_inner_codes(const)


@noted_of_each_code(256)
def writes_into_arrays(code: CodeType) -> bool:
    """Whether a code may write into arrays: by ``y[index] = x``, ``y += x`` or the like, by a method
    or a function of NumPy's, or by ``out=y``.
    """
    names = [const for const in code.co_consts if type(const) is tuple]  # those of options, too
    if not _WRITERS.isdisjoint(code.co_names) or any("out" in each for each in names):
        return True
    units = code.co_code
    operations = zip(units[::2], units[1::2], strict=True)
    return pythons.BYTECODE is None or any(
        operation in _STORES or (operation == _BINARY and argument in _AUGMENTED)
        for operation, argument in operations
    )


@noted_of_each_code(1024)
def asks_what_a_value_is(code: CodeType) -> bool:
    """Whether a code asks for the class of a value, for an attribute or whether it can be iterated
    over: ``type(x)``, ``type(self.x)``, but not of `self`.
    """
    if _QUESTIONS.isdisjoint(code.co_names):
        return False
    if pythons.BYTECODE is None:
        return True
    own = instructions_of(code)
    asked = [
        (following, after)
        for one, following, after in zip(own, own[1:], own[2:], strict=False)
        if one.argval in _QUESTIONS and one.opname.startswith("LOAD")
    ]
    return any(
        following.argval not in ("self", "cls") or after.opname == "LOAD_ATTR"
        for following, after in asked
    )


@noted_of_each_code(1024)
def asks_identity(code: CodeType) -> bool:
    """Whether a code, or one that is defined in it, asks if two values are one object: ``x is y``, but
    not ``x is None``, or ``id(x)``.
    """
    if pythons.BYTECODE is None or "id" in names_in(code):
        return True
    return any(
        after.opname == "IS_OP" and not before.opname.startswith(_CONSTANT)
        for each in with_inner_codes(code)
        for before, after in pairwise(instructions_of(each))
    )


def may_search(code: CodeType) -> bool:
    """Whether a code may be a search by comparisons: it runs again and again, and a comparison chooses
    which variable becomes another one, how far the next step goes, or which part is searched next.
    """
    if pythons.BYTECODE is None:
        return True
    calls_itself = code.co_name in globals_named(code).union(code.co_freevars)
    if not calls_itself and _JUMPS_BACK.isdisjoint(code.co_code[::2]):
        return False
    text = " ".join(map(_as_text, instructions_of(code)))
    if "COMPARE_OP" not in text:
        return False
    chosen = _MOVES.format(pythons.BYTECODE.branch)
    return calls_itself or bool(re.search(chosen, text) or re.search(_SHRINKS, text))


def _as_text(one: dis.Instruction) -> str:
    """The name of an instruction, and the variables or the operator that it takes."""
    if "_FAST" in one.opname:
        return f"{one.opname}:{','.join(_names_of(one))}"
    return f"{one.opname}:{one.argrepr}" if one.opname == "BINARY_OP" else one.opname


def is_same_code(one: CodeType, other: CodeType) -> bool:
    """Whether two codes have the same instructions."""
    return one.co_code == other.co_code


def with_filename(code: CodeType, filename: str) -> CodeType:
    """Make a copy of a code that tracebacks show as that of another file.

    >>> with_filename(compile("1 / 0", "<one>", "exec"), "<another>").co_filename
    '<another>'
    """
    constants = tuple(
        [
            with_filename(each, filename) if isinstance(each, CodeType) else each
            for each in code.co_consts
        ]
    )
    return code.replace(co_filename=filename, co_consts=constants)


@cache
def with_label(code: CodeType) -> CodeType:
    """A code whose file has another name by text: profilers keep one entry of file, line and name.

    >>> with_label(compile("1", "folder/file.py", "exec")).co_filename
    'folder/./file.py'
    """
    folder, name = os.path.split(code.co_filename)
    is_file = not name.startswith("<")  # a cell of a notebook has its source by its name
    return code.replace(co_filename=os.path.join(folder, ".", name)) if is_file else code


def _names_of(one: dis.Instruction) -> tuple[str, ...]:
    """The variables that an instruction loads or stores, one or two."""
    return one.argval if isinstance(one.argval, tuple) else (one.argval,)
