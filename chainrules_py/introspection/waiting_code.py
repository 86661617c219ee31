"""Code that waits for the first call of its function, and has the function's file exchanged then.

To exchange a file takes some 30 us for each of its lines, and most functions of a package are never
called. So these get a code of the same name, arguments and place, which asks for the function as it
is to be and hands the call on.
"""

from functools import cache
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import CodeType, FunctionType
from typing import Any
from weakref import ref

from chainrules_py.annotations import Function


class Waiting:
    """What such a code asks: it stands for a constant of the code, and is its last one."""

    __slots__ = ("choose", "function")

    def __init__(self, function: FunctionType, choose: Function) -> None:
        self.choose = choose
        self.function = ref(function)  # a code that holds its function is never collected

    def chosen(self, *args, **options) -> Any:
        """The function that is called with some arguments."""
        return self.choose(self.function(), args, options)


def waited_for(code: CodeType) -> CodeType | None:
    """The code that a function had before it waited for its first call; None where it does not."""
    before: CodeType | None = None
    if code.co_consts and type(code.co_consts[-1]) is Waiting:
        before = code.co_consts[-2]
    return before


def waiting_code(function: FunctionType, choose: Function) -> CodeType:
    """The code by which a function waits for its first call."""
    code, waiting = function.__code__, Waiting(function, choose)
    made = handing_on(
        code.co_varnames[: count_of_arguments(code)],
        code.co_posonlyargcount,
        code.co_argcount,
        code.co_kwonlyargcount,
        bool(code.co_flags & CO_VARARGS),
        bool(code.co_flags & CO_VARKEYWORDS),
        code.co_freevars,
    )
    # a small integer would be none of the constants in Python 3.14
    consts = [waiting if const == 1j else const for const in made.co_consts]
    return made.replace(
        co_consts=(*consts, code, waiting),  # who asks what a code names finds it in that one
        co_flags=code.co_flags,
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
    )


def count_of_arguments(code: CodeType) -> int:
    """How many of the variables of a function are arguments."""
    lists = bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    return code.co_argcount + code.co_kwonlyargcount + lists


@cache
def handing_on(
    names: tuple[str, ...],
    bare: int,
    positional: int,
    named: int,
    is_list: bool,
    is_dict: bool,
    around: tuple[str, ...],
) -> CodeType:
    """The code of a function with such arguments, which hands them on to what ``1j.chosen`` returns
    for them; it has the variables of the functions around it, though it reads none.
    """
    first, by_name = list(names[:positional]), names[positional : positional + named]
    rest = list(names[positional + named :])
    given = f"*{rest.pop(0)}" if is_list else "*" if named else ""
    options = f"**{rest.pop()}" if is_dict else ""
    before = [*first[:bare], *(["/"] if bare else []), *first[bare:]]
    taken = ", ".join([each for each in (*before, given, *by_name, options) if each])
    called = [*first, given * is_list, *(f"{name}={name}" for name in by_name), options]
    passed = ", ".join([each for each in called if each])
    unread = "".join([f"{name}, " for name in around])
    made = f"lambda {taken}: 1j.chosen({passed})({passed}) if 1 else ({unread})"
    code = compile(f"lambda {', '.join(around)}: {made}", "", "eval")
    for _ in range(2):
        code = next(const for const in code.co_consts if type(const) is CodeType)
    return code
