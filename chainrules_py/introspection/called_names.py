"""What a frame is calling just now, by the name that its line has, and whether that only shows text.

A call, its callee and its arguments are told by their places in the source, which instructions have.
"""

from collections.abc import Iterator
from dis import Instruction
from inspect import getattr_static
from operator import attrgetter
from types import CodeType, FrameType
from typing import Any

from chainrules_py.introspection import pythons
from chainrules_py.introspection.frames import module_name, variables_of_frame
from chainrules_py.introspection.instructions import instructions_of
from chainrules_py.introspection.references import noted_of_each_code

_VARIABLES = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FAST", "LOAD_DEREF")
_MADE = ("CALL", "BINARY")  # a result, or an entry
offset_of = attrgetter("offset")
_TO_TEXT = ("str", "repr", "format")


def called_names(frame: FrameType) -> tuple[str, ...]:
    """The name of what a frame calls just now, ``math.exp``, and those of the calls around it, the
    innermost first, up to where the result is kept in a variable.

    Empty are the first one where the frame calls nothing, and those of methods of results.
    """
    return names_at(frame.f_code, frame.f_lasti)


@noted_of_each_code(1024)
def names_at(code: CodeType, at: int) -> tuple[str, ...]:
    """The names of the calls around an instruction."""
    return tuple(names_outward(code, at)) if pythons.BYTECODE is not None else ()


def names_outward(code: CodeType, at: int) -> Iterator[str]:
    """Yield the names of the calls around an instruction."""
    known = [one for one in instructions_of(code) if None not in begin_of(one) + end_of(one)]
    inside = max((one for one in known if one.offset <= at), key=offset_of, default=None)
    for one in known:
        if inside is None or one.offset < inside.offset:
            continue
        if inside is one and not one.opname.startswith("CALL"):
            yield ""
        if one.opname.startswith("STORE"):
            return
        is_around = begin_of(one) <= begin_of(inside) and end_of(inside) <= end_of(one)
        if one.opname.startswith("CALL") and is_around:
            yield name_in(known, one)
            inside = one


def name_in(known: list[Instruction], call: Instruction) -> str:
    """The name of what a call calls: the variable where it begins, with its attributes; empty where
    it calls something else.
    """
    name, end = "", (0, 0)
    for one in known:
        if begin_of(one) != begin_of(call) or one.offset >= call.offset:
            continue
        if not name and one.opname.startswith(_VARIABLES):
            name, end = str(one.argval), end_of(one)
        elif name and one.opname in ("LOAD_ATTR", "LOAD_METHOD") and end_of(one) > end:
            name, end = f"{name}.{one.argval}", end_of(one)
        elif one.opname.startswith(_MADE) and end < end_of(one) < end_of(call):
            return ""
    return name


def begin_of(one: Instruction) -> tuple[Any, Any]:
    """Where the source of an instruction begins."""
    at: Any = one.positions
    return at.lineno, at.col_offset


def end_of(one: Instruction) -> tuple[Any, Any]:
    """Where the source of an instruction ends."""
    at: Any = one.positions
    return at.end_lineno, at.end_col_offset


def is_showing(frame: FrameType) -> bool:
    """Whether the text that a frame is making goes to ``print`` or a log, and nowhere else."""
    if module_name(frame) == "logging":
        return True
    name = next((each for each in called_names(frame) if each and each not in _TO_TEXT), "")
    root, *attributes = name.split(".")
    if name == "print":  # into a file, it may be read back
        options = [const for const in frame.f_code.co_consts if type(const) is tuple]
        return not any("file" in each for each in options)
    if not attributes:
        return False
    found = variables_of_frame(frame).get(root, frame.f_globals.get(root))
    for each in attributes:
        found = getattr_static(found, each, None)
    return getattr(found, "__module__", "") == "logging"
