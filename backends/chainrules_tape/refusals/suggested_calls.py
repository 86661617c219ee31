"""The call to write in the place of one that was about to make a plain array.

The call is read from the source of the line, where there is one: `np.array`, as the user wrote it.
What is said then names the function of `chainrules_tape.numpy` that takes traced values, or NumPy's
function in the place of a plain array's method.
"""

import ast
import linecache
from types import FrameType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from chainrules_py.introspection import source_of_expression, variables_of_frame
from chainrules_py.rulesets.without_rules import reason_of
from chainrules_py.table.registry import default_rules
from chainrules_py.values.identity import home_module

# What `chainrules_tape.numpy` has of its own, besides all functions with a rule.
_ITS_OWN = frozenset(
    {"arange", "asarray_chkfinite", "broadcast", "fromiter", "require", "vectorize"}
)
# Methods that make a plain number of the entries of an array of objects.
OF_OBJECTS = frozenset({"mean", "std", "var"})
_UNKNOWN = object()
OF_CTYPES = (
    "write a rule: put the conversions and the call of the C function into a function marked with"
    ' @primitive, and write scalar_rule(f, "x", "derivative by x") for it, or a function marked with'
    " @rrule.register(f); all of these are in chainrules_py"
)


class Advice(NamedTuple):
    """The function that a line calls, as it is written there, and what to write instead."""

    written: str
    instead: str


_VECTORIZE = Advice("numpy.vectorize", "chainrules_tape.numpy.vectorize")


def advice_for(frame: FrameType) -> Advice | None:
    """Say what to write instead of the call that a frame is at; None where that is not known."""
    expression = expression_at(frame)
    if isinstance(expression, ast.Subscript) and is_read_of_plain_array(expression, frame):
        table, position = ast.unparse(expression.value), ast.unparse(expression.slice)
        taken = f"chainrules_tape.numpy.take({table}, {position}, axis=0)"
        return Advice(f"{table}[{position}]", taken)
    called = called_at(frame)
    if isinstance(called, ast.Call):  # np.vectorize(f)(x)
        return _VECTORIZE if value_of(called.func, frame) is np.vectorize else None
    if not isinstance(called, ast.Name | ast.Attribute):
        return None
    return advice_on(ast.unparse(called), value_of(called, frame))


def is_read_of_plain_array(expression: ast.Subscript, frame: FrameType) -> bool:
    """Whether rows of an array of NumPy's are read, at positions that are one name or expression."""
    if isinstance(expression.slice, ast.Tuple | ast.Slice):
        return False
    return type(value_of(expression.value, frame)) is np.ndarray


def called_at(frame: FrameType) -> ast.expr | None:
    """The expression that a frame is calling, or of which it reads an entry (`np.r_[...]`)."""
    expression = expression_at(frame)
    return getattr(expression, "func", getattr(expression, "value", None))


def reason_for(frame: FrameType) -> Advice | None:
    """The name of the class of SciPy's that a frame is calling, and why it has no rule.

    None of any other call.
    """
    called = called_at(frame)
    found = value_of(called, frame) if isinstance(called, ast.Name | ast.Attribute) else None
    if not isinstance(found, type):
        return None
    module = found.__module__.partition("._")[0]
    reason = reason_of("no rule yet", module, found.__name__)
    return None if reason is None else Advice(f"{module}.{found.__name__}", reason)


def is_calling_ctypes(frame: FrameType) -> bool:
    """Whether a frame is calling a type of C's numbers or arrays, or a function of a C library."""
    called = called_at(frame)
    if isinstance(called, ast.BinOp):  # (c_double * 2)(x, y)
        called = called.left
    found = value_of(called, frame) if isinstance(called, ast.Name | ast.Attribute) else None
    cls = found if isinstance(found, type) else type(found)
    return any(base.__module__ == "_ctypes" for base in cls.__mro__)


def advice_on(written: str, function) -> Advice | None:
    """Say what to write instead of a function of NumPy's, as the user writes it; None of others."""
    if isinstance(function, np.vectorize):
        return _VECTORIZE
    if function is np.r_ or function is np.c_:
        return Advice(written, f"chainrules_tape.numpy.{'r_' if function is np.r_ else 'c_'}")
    if isinstance(function, type) and issubclass(function, np.generic):
        return Advice(f"{written}(x)", f"x.astype({written})")
    if isinstance(function, np.ufunc):
        return Advice(f"{written}([x])", f"{written}(chainrules_tape.numpy.array([x]))")
    name = written.rpartition(".")[2]
    if is_method_of_plain_array(function):
        if not has_rule(getattr(np, name, None)):
            return None
        if name in OF_OBJECTS:  # which take no arrays: the traced numbers are in theirs
            return Advice(f"a.{name}()", f"chainrules_tape.numpy.{name}(a)")
        return Advice(f"a.{name}(x)", f"numpy.{name}(a, x)")
    if is_of_numpy(function) and (function.__name__ in _ITS_OWN or has_rule(function)):
        return Advice(written, f"chainrules_tape.{public_name(function)}")
    return None


def expression_at(frame: FrameType) -> ast.expr | None:
    """The expression that a frame is computing, from its source; None where there is none."""
    try:
        return ast.parse(f"({source_of_expression(frame)})", mode="eval").body
    except SyntaxError:  # an assignment, or a file that has changed since
        return None


def assigned_value(frame: FrameType) -> Any:
    """The value of the variable that a frame is assigning to an entry; None where it is no variable,
    or the statement has several lines.
    """
    target = ast.dump(expression_at(frame) or ast.Pass())
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno, frame.f_globals)
    try:
        statements = ast.parse(line.strip()).body
    except SyntaxError:
        return None
    for statement in statements:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Name):
            written = [ast.unparse(each) for each in statement.targets]
            if target in [ast.dump(ast.parse(each, mode="eval").body) for each in written]:
                return value_of(statement.value, frame)
    return None


def value_of(written: ast.expr, frame: FrameType) -> Any:
    """The value of a name, or of a name in a module, in a frame; nothing is computed for it."""
    if isinstance(written, ast.Name):
        for variables in (variables_of_frame(frame), frame.f_globals):
            if written.id in variables:
                return variables[written.id]
        return _UNKNOWN
    if not isinstance(written, ast.Attribute):
        return _UNKNOWN
    owner = value_of(written.value, frame)
    if isinstance(owner, ModuleType):
        return getattr(owner, written.attr, _UNKNOWN)
    is_array = type(owner) is np.ndarray or owner is _UNKNOWN
    return getattr(np.ndarray, written.attr, _UNKNOWN) if is_array else _UNKNOWN


def is_of_numpy(function) -> bool:
    """Whether a value is one of NumPy's functions."""
    named = callable(function) and hasattr(function, "__name__")
    return named and home_module(function).partition(".")[0] == "numpy"


def has_rule(function) -> bool:
    """Whether a function has a rule, so that `chainrules_tape.numpy` takes lists for it, too."""
    return function is not None and function in default_rules


def public_name(function) -> str:
    """The name by which people know a function of NumPy: ``numpy.linalg.inv``."""
    home = home_module(function)
    is_private = "._" in home or home.startswith("numpy.lib")
    return f"{'numpy' if is_private else home}.{function.__name__}"


def is_method_of_plain_array(function) -> bool:
    """Whether a value is a method of NumPy's arrays."""
    return getattr(function, "__objclass__", None) is np.ndarray
