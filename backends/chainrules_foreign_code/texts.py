"""Texts of traced numbers: seen code may show them, and reads nothing off them.

A text that is printed, logged or written to a file is what people want to see. One that is compared,
searched, used as a key or read back as a number hands on digits without a derivative. So code that
is seen gets a text that answers such questions of its own with an error. Its length is a step of the
number, as ``int(x)`` is: that of the text with plain numbers, where that is known. Code that is not
seen, of `logging` say, has a text as any other.
"""

import re
from typing import Any, NoReturn

from chainrules_foreign_code.steps import traced_in
from chainrules_py.annotations import Function
from chainrules_py.introspection import frame_above
from chainrules_tape.core.levels import open_levels
from chainrules_tape.refusals.errors import LostGradientError
from chainrules_tape.refusals.handles import names_a_handle
from chainrules_tape.refusals.instrumented_packages import is_exchanged

# What reads something off a text; each may be asked of any text, too.
QUESTIONS = (
    *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__contains__"),
    *("__getitem__", "__iter__", "startswith", "endswith", "find", "rfind", "index"),
    *("rindex", "count", "split", "rsplit", "splitlines", "partition", "rpartition", "encode"),
    *("isalnum", "isalpha", "isdecimal", "isdigit", "isnumeric", "translate"),
)
# What makes another text of a text.
CHANGES = (
    *("__add__", "__mul__", "__rmul__", "__mod__", "__format__", "format", "join", "replace"),
    *("strip", "lstrip", "rstrip", "ljust", "rjust", "center", "zfill", "expandtabs"),
    *("upper", "lower", "title", "capitalize", "swapcase", "casefold"),
    *("removeprefix", "removesuffix"),
)
FROM_VALUES = ("format", "join", "format_map")  # methods of texts that other texts become part of


class TracedText(str):
    """A text in which digits of a traced number are."""

    __slots__ = ()

    def __radd__(self, other) -> str:
        return TracedText(str(other) + str.__str__(self))

    def __len__(self) -> int:
        text = str.__str__(self)
        if not (open_levels and is_exchanged(frame_above(1).f_code)):
            return str.__len__(text)
        while text != (inner := _SHOWN.sub(number_in, text)):
            text = inner
        return raise_read(self, "__len__") if names_a_handle(text) else str.__len__(text)


# how the text of a handle shows a number, ``TapeFloat(1.500)``: of arrays there are more brackets
_SHOWN = re.compile(r"(\w+)\(([^()]*)\)")


def number_in(match: re.Match[str]) -> str:
    """The number in the text of a handle; any other text as it is."""
    return match[2] if names_a_handle(match[1]) else match[0]


def asked(name: str) -> Function:
    """The method of this name, which seen code may not call."""
    answer = getattr(str, name)

    def ask(text, *args, **options) -> Any:
        if open_levels and is_exchanged(frame_above(1).f_code):
            raise_read(text, name)
        return answer(text, *args, **options)

    return ask


def traced_text_method(name: str) -> Function:
    """The method of this name, whose result is a text of traced numbers again."""
    change = getattr(str, name)

    def make(text, *args, **options) -> Any:
        return TracedText(change(text, *args, **options))

    return make


for _name in QUESTIONS:
    setattr(TracedText, _name, asked(_name))
for _name in CHANGES:
    setattr(TracedText, _name, traced_text_method(_name))


def raise_read(text: str, asked_for: str) -> NoReturn:
    """Raise: a program reads something off the digits of a traced number."""
    where = f"text.{asked_for}" if asked_for[0] != "_" else f"{asked_for.strip('_')} of a text"
    got = f"the text of a traced number, {str.__str__(text)!r}"
    instead = (
        "compare, round or convert the number itself, or make the text from stop_gradient(x), whose"
        " digits are constants; you may show a text of x"
    )
    raise LostGradientError(where, got, instead, operation=str, value=text)


def shown(text: Any, *values) -> Any:
    """What has been made of values: a text of traced numbers, where one of them is in it."""
    if type(text) is not str:
        return text
    is_traced = names_a_handle(text) or any(type(value) is TracedText for value in values)
    return TracedText(text) if is_traced or any(True for _ in traced_in(values)) else text


def remainder(left, right) -> Any:
    """``left % right``, which of a text inserts the values on the right."""
    found = left % right
    if type(found) is not str:
        return found
    return shown(found, left, *(right if type(right) is tuple else (right,)))


def inserting(method) -> Function:
    """The method of a text, whose result is one of traced numbers where such are inserted."""

    def insert(*args, **options) -> Any:
        parts = args
        if method.__name__ == "join":  # whose argument may be read once
            parts = args = ([*args[0]],) if len(args) == 1 else args
            parts = args[0]
        return shown(method(*args, **options), *parts, *options.values())

    return insert


def made_by(function: Function, *args, **options) -> Any:
    """What a function makes of values: of a text of traced numbers again such a one."""
    return shown(function(*args, **options), *args)
