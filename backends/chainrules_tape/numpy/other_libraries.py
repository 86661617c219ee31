"""SciPy's functions on arrays of JAX, PyTorch and autograd, which NumPy does not ask.

SciPy would make arrays of NumPy's of them, or fail where they are traced. Their adapters say how a
function is called on them (`ArrayLibrary.calls`): by NumPy, with arrays of their own as the result,
and differentiable by the function's rule.
"""

from functools import update_wrapper
from typing import Any

import numpy

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.makers.declarations import PLAIN, answer
from chainrules_py.values.late_names import UFUNC_METHODS
from chainrules_tape.core.levels import call_traced, innermost
from chainrules_tape.in_place.storages import STORED
from chainrules_tape.refusals.handles import HANDLES

_KNOWN = PLAIN | HANDLES
_UFUNC_ATTRIBUTES = (
    "nin",
    "nout",
    "nargs",
    "ntypes",
    "types",
    "identity",
    "signature",
    *UFUNC_METHODS,
)


def by_library(function, args: Args, options: Options) -> Any:
    """The result by the library of the arguments; NotImplemented for NumPy and the tape."""
    parts = [part for part in (*args, *options.values()) if type(part) not in PLAIN]
    if not parts or innermost(parts) is not None:
        return NotImplemented
    kept = {name: value for name, value in options.items() if not name.startswith("overwrite_")}
    for part in parts:
        y = answer(part, function, args, kept)
        if y is not NotImplemented:
            return y
    return NotImplemented


def is_scipys(function) -> bool:
    """Whether a function is SciPy's."""
    return (getattr(function, "__module__", None) or "").startswith("scipy.")


def answering(function) -> Function:
    """A function that the tape calls for traced arguments, and their library for its arrays."""

    def answered(*args, **options):
        y = by_library(function, args, options)
        return call_traced(function, args, options) if y is NotImplemented else y

    return update_wrapper(answered, function)


def answering_ufunc(ufunc: numpy.ufunc) -> Function:
    """A ufunc that the library of its arguments may call; handles answer ufuncs themselves."""

    def answered(*args, **options):
        # 0.1 us, the price of the rest
        if args and type(args[0]) in HANDLES and len(args) == 1 and not options:
            return ufunc(args[0])
        if all(type(part) in _KNOWN or type(part) in STORED for part in args):
            return ufunc(*args, **options)
        y = by_library(ufunc, args, options)
        return ufunc(*args, **options) if y is NotImplemented else y

    for name in _UFUNC_ATTRIBUTES:
        setattr(answered, name, getattr(ufunc, name))
    return update_wrapper(answered, ufunc)
