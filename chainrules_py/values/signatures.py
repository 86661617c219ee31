"""Signatures of functions, of NumPy's that are written in C, too.

From NumPy 2.4 on these tell theirs themselves, as a text. `inspect` takes such a text to pieces with
a tokenizer, which compiles its regular expressions first: 3 ms of Python 3.11, once in a process, and
0.1 ms a function; Python's own compiler takes 0.07 ms.
"""

import inspect
from collections.abc import Callable
from types import BuiltinFunctionType
from typing import Any

import numpy as np

_OPTIONS = "casting='same_kind', order='K', dtype=None, subok=True, signature=None"
_IN_C = {
    "bincount": "x, /, weights=None, minlength=0",
    "concatenate": "arrays, /, axis=0, out=None, *, dtype=None, casting='same_kind'",
    "copyto": "dst, src, casting='same_kind', where=True",
    "dot": "a, b, out=None",
    "empty_like": "prototype, /, dtype=None, order='K', subok=True, shape=None, *, device=None",
    "inner": "a, b, /",
    "lexsort": "keys, axis=-1",
    "putmask": "a, /, mask, values",
    "unravel_index": "indices, shape, order='C'",
    "vdot": "a, b, /",
    "where": "condition, x=None, y=None, /",
}


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """The signature of a function; raises as `inspect.signature` does where there is none.

    >>> [*signature_of(np.add).parameters][:3], [*signature_of(np.dot).parameters]
    (['x1', 'x2', 'out'], ['a', 'b', 'out'])
    """
    told = _told_by(function)
    if told is not None:
        return told
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        text = _text_of(function)
        if text is None:
            raise
    return _written(text)


def _told_by(function: Any) -> inspect.Signature | None:
    """The signature that a function in C tells as a text, where Python's compiler understands that."""
    text = getattr(function, "__text_signature__", None)
    if type(function) is not BuiltinFunctionType or text is None or not text.endswith(")"):
        return None
    parameters = text[1:-1]
    if parameters.startswith(("$module", "$self")):
        _, _, parameters = parameters.partition(",")  # it is bound: ``np.add.at`` has its `$self`
        parameters = parameters.strip().removeprefix("/,")
    try:
        return _written(parameters)
    except (NameError, SyntaxError):  # a default such as <no value>, or a name of its module
        return None


def _written(parameters: str) -> inspect.Signature:
    """The signature with these parameters, as one writes them in Python."""
    function = eval(f"(lambda {parameters}: None)", {"absent": np._NoValue})
    made: inspect.Signature = inspect.signature(function)
    return made


def _text_of(function: Any) -> str | None:
    """The parameters of a function in C, as one writes them; None where they are not known."""
    if isinstance(function, np.ufunc):
        return _of_ufunc(function)
    name = getattr(function, "__name__", "")
    return _IN_C.get(name) if getattr(np, name, None) is function else None


def _of_ufunc(ufunc: np.ufunc) -> str:
    names = ", ".join(f"x{k + 1}" for k in range(ufunc.nin)) if ufunc.nin > 1 else "x"
    out = "None" if ufunc.nout == 1 else f"({'None, ' * ufunc.nout})"
    own = "where=True" if ufunc.signature is None else "axes=absent, axis=absent, keepdims=False"
    return f"{names}, /, out={out}, *, {own}, {_OPTIONS}"
