"""Calls of compiled functions that refuse a traced value: of Numba's, Cython's, or of C.

Such code takes plain numbers, and has no frame of its own. The traceback says which part of which
line was running; in it stands the name of the function that was called.
"""

import ast
import builtins
import linecache
import traceback
from types import BuiltinFunctionType, FrameType, ModuleType
from typing import Any

from chainrules_py.introspection import (
    is_ours,
    package_name,
    source_of_expression,
    variables_of_frame,
)
from chainrules_py.table.registry import default_rules
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.refusals.other_libraries import from_stand_in

# Packages whose functions are handed over, or have an advice of their own.
_OTHERS = frozenset({"numpy", "builtins", "math", "cmath", ""})
# by Cython, and by f2py, as SciPy's functions of BLAS are
_OF_C = frozenset({"cython_function_or_method", "fused_cython_function", "fortran"})
# Modules of Python's whose functions take seconds, plain floats among them, and ask any other
# object for an integer.
_OF_SECONDS = frozenset({"_thread", "datetime", "select", "signal", "time"})


def advice_on_compiled_call(error: Exception, function: Any = None) -> str | None:
    """Say what to write instead of a call of compiled code that raised; None of any other error.

    `function` is the one that is differentiated, which may itself be compiled.
    """
    own_kind = kind_of(function)
    if own_kind is not None:
        return advice(getattr(function, "__name__", "the function"), own_kind, 1)
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    lines = traceback.extract_tb(error.__traceback__)
    calls = [
        (frame, line)
        for frame, line in zip(frames, lines, strict=True)
        if is_of_others(frame) and has_source(line)
    ]
    if not calls:
        return None

    frame, line = calls[-1]
    if package_name(frame) == "scipy":  # whose compiled functions nobody calls but SciPy
        return None
    call = call_of(line)
    if call is None:
        return None
    found = value_of(call.func, frame)
    kind = kind_of(found)
    if kind is None:
        return None
    home = str(getattr(found, "__module__", ""))
    if home.startswith("scipy.") and found in default_rules:
        return from_stand_in(home.partition("._")[0])
    return advice(ast.unparse(call.func), kind, len(call.args))


def is_of_compiled_code(error: Exception, package: str) -> bool:
    """Whether code of a package called compiled code, which raised an error."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    lines = traceback.extract_tb(error.__traceback__)
    outside = [k for k, frame in enumerate(frames) if is_of_others(frame)]
    if not outside or package_name(frames[outside[-1]]) != package:
        return False
    frame, line = frames[outside[-1]], lines[outside[-1]]
    if not has_source(line):  # Cython's own
        return True
    call = call_of(line)
    return call is not None and kind_of(value_of(call.func, frame)) is not None


def is_of_others(frame: FrameType) -> bool:
    """Whether a frame is neither ours nor Numba's."""
    return not is_ours(frame) and package_name(frame) != "numba"


def has_source(line: traceback.FrameSummary) -> bool:
    """Whether there is source of a line, as there is none of Cython's."""
    return bool(linecache.getline(line.filename, 1))


def advice(function: str, kind: str, count: int) -> str:
    """Say how to write the rule of a compiled function, given its name and how many arguments."""
    name = function.rpartition(".")[2]
    names = [f"x{k}" for k in range(1, count + 1)] if count > 1 else ["x"]
    derivatives = ", ".join(f'"derivative by {each}"' for each in names)
    return (
        f"{function} is {kind}, and takes plain numbers only: write a rule for it. Outside the"
        f" function, {name} = primitive({function}) and"
        f' scalar_rule({name}, "{", ".join(names)}", {derivatives}), or a function marked with'
        f" @rrule.register({name}) where it is not elementwise; all of these are in chainrules_py"
    )


def is_for_seconds(frame: FrameType) -> bool:
    """Whether a frame is calling a function of Python's that waits or tells the time.

    >>> import time
    >>> from chainrules_py.introspection import frame_above
    >>> is_for_seconds(frame_above(0))
    False
    """
    source = source_of_expression(frame).strip()
    try:
        call = ast.parse(f"({source})", mode="eval").body
    except (SyntaxError, ValueError):
        return False
    if not isinstance(call, ast.Call):
        return False
    found = value_of(call.func, frame)
    if not isinstance(found, BuiltinFunctionType):
        return False
    owner = found.__self__
    home = owner.__name__ if isinstance(owner, ModuleType) else class_of(owner).__module__
    return home in _OF_SECONDS


def class_of(owner) -> type:
    """The class whose method is bound to an object, or to the class itself."""
    return owner if isinstance(owner, type) else type(owner)


def call_of(summary: traceback.FrameSummary) -> ast.Call | None:
    """The call that a line of a traceback, or several, were at."""
    if summary.lineno is None or summary.end_lineno is None or summary.colno is None:
        return None
    numbers = range(summary.lineno, summary.end_lineno + 1)
    lines = [linecache.getline(summary.filename, number).encode() for number in numbers]
    lines[-1] = lines[-1][: summary.end_colno]
    lines[0] = lines[0][summary.colno :]
    try:
        tree = ast.parse(b"".join(lines).decode(), mode="eval")
    except (SyntaxError, ValueError):
        return None
    return tree.body if isinstance(tree.body, ast.Call) else None


def value_of(name: ast.expr, frame: FrameType) -> Any:
    """The value of a name, or of an attribute of one, in a frame; None where it is no name.

    Attributes of traced values are not asked for: ``x.T`` is an operation.
    """
    if isinstance(name, ast.Attribute):
        owner = value_of(name.value, frame)
        return None if isinstance(owner, TracedArray) else getattr(owner, name.attr, None)
    if not isinstance(name, ast.Name):
        return None
    for variables in (variables_of_frame(frame), frame.f_globals, vars(builtins)):
        if name.id in variables:
            return variables[name.id]
    return None


def kind_of(found) -> str | None:
    """The compiler of a function, in words; None where it is Python's, NumPy's, or not compiled."""
    cls = type(found)
    if str(cls.__module__).startswith("numba."):
        return "compiled by Numba"
    if cls.__name__ in _OF_C or cls.__module__ == "_cffi_backend":
        return "compiled code"
    home = getattr(found, "__module__", None)
    if home is None:  # a method of an object
        home = class_of(getattr(found, "__self__", None)).__module__
    package = str(home or "").partition(".")[0]
    is_of_c = isinstance(found, BuiltinFunctionType) and package not in _OTHERS
    return "compiled code" if is_of_c else None
