"""Which compiled function a line called that refused a traced value: one of Numba's, Cython's, or
of C.

Such code takes plain numbers, and has no frame of its own. The traceback says which part of which
line was running; in it stands the name of what was called.
"""

import ast
import builtins
import linecache
import traceback
from types import BuiltinFunctionType, FrameType
from typing import Any

from chainrules_py.introspection import package_name, variables_of_frame

_OURS = frozenset({"chainrules_tape", "chainrules_py", "numba"})
# which say something else, or are seen through
_OTHERS = frozenset({"numpy", "builtins", "math", "cmath", ""})
_OF_C = frozenset({"cython_function_or_method", "fused_cython_function"})


def advice_on_compiled_call(error: Exception) -> str | None:
    """What to write instead of a call of compiled code that raised an error; None where it was
    anything else.
    """
    found = list(traceback.walk_tb(error.__traceback__))
    summaries = traceback.extract_tb(error.__traceback__)
    pairs = zip(found, summaries, strict=True)
    # not Cython's
    calls = [
        pair
        for pair in pairs
        if package_name(pair[0][0]) not in _OURS and linecache.getline(pair[1].filename, 1)
    ]
    if not calls:
        return None
    (frame, _), summary = calls[-1]
    call = call_of(summary)
    kind = kind_of(value_of(call.func, frame)) if call is not None else None
    if call is None or kind is None:
        return None
    name, count = ast.unparse(call.func), max(len(call.args), 1)
    made = name.rpartition(".")[2]
    names = "x" if count == 1 else ", ".join(f"x{k}" for k in range(1, count + 1))
    derivatives = ", ".join(f'"derivative by {each}"' for each in names.split(", "))
    return (
        f"{name} is {kind}, and takes plain numbers only: write a rule for it. Outside the"
        f" function, {made} = primitive({name})"
        f' and scalar_rule({made}, "{names}", {derivatives}), or a function marked with'
        f" @rrule.register({made}) where it is not"
        " elementwise; all of these are in chainrules_py"
    )


def call_of(summary: traceback.FrameSummary) -> ast.Call | None:
    """The call that a line of a traceback was at."""
    if summary.lineno is None or summary.lineno != summary.end_lineno or summary.colno is None:
        return None
    source = linecache.getline(summary.filename, summary.lineno).encode()
    try:
        tree = ast.parse(source[summary.colno : summary.end_colno].decode(), mode="eval")
    except (SyntaxError, ValueError):
        return None
    return tree.body if isinstance(tree.body, ast.Call) else None


def value_of(name: ast.expr, frame: FrameType) -> Any:
    """What a name, or an attribute of what it stands for, means in a frame; None where it is no
    name.
    """
    if isinstance(name, ast.Attribute):
        return getattr(value_of(name.value, frame), name.attr, None)
    if not isinstance(name, ast.Name):
        return None
    for variables in (variables_of_frame(frame), frame.f_globals, vars(builtins)):
        if name.id in variables:
            return variables[name.id]
    return None


def kind_of(found: Any) -> str | None:
    """What a function is compiled by; None where it is Python's own, NumPy's, or written in Python."""
    if str(type(found).__module__).startswith("numba."):
        return "compiled by Numba"
    if type(found).__name__ in _OF_C:
        return "compiled code"
    package = str(getattr(found, "__module__", None) or "").partition(".")[0]
    return (
        "compiled code"
        if isinstance(found, BuiltinFunctionType) and package not in _OTHERS
        else None
    )
