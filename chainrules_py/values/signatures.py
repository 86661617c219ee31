"""Signatures of functions, of NumPy's that are written in C, too.

`parameters_of` reads the names off a function's code, in 2 us. `signature_of` has objects for people
and for `inspect`, which takes 20 us.

From NumPy 2.4 on functions in C tell their signatures themselves, as a text. `inspect` takes such a
text to pieces with a tokenizer, which compiles its regular expressions first: 3 ms of Python 3.11,
once in a process, and 0.1 ms a function; Python's own compiler takes 0.07 ms.
"""

import inspect
import sys
from collections.abc import Callable
from functools import cache, partial
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.values.records import Record

_texts: Callable[..., dict[str, Any]]
_inspected: Callable[..., inspect.Signature]
if sys.version_info >= (3, 14):  # annotations are evaluated when asked for, and may name nothing
    from annotationlib import Format, get_annotations

    _texts = partial(get_annotations, format=Format.STRING)
    _inspected = partial(inspect.signature, annotation_format=Format.STRING)
else:
    _texts, _inspected = inspect.get_annotations, inspect.signature

POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
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


class Parameters(Record):
    """The names of a function's parameters, of those with a default, and of those with a hint.

    `positional` may be given by position, `keyword_only` may not. `rest` collects all others that
    are given by position, as ``*args`` does, and `options` those given by keyword.
    """

    positional: tuple[str, ...]
    keyword_only: tuple[str, ...]
    rest: str | None
    options: str | None
    defaults: dict[str, Any]
    annotations: dict[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        """All names, as they appear."""
        every = (*self.positional, self.rest, *self.keyword_only, self.options)
        return tuple([name for name in every if name is not None])


def parameters_of(function: Function) -> Parameters:
    """Read the parameters of a function; raises as `inspect.signature` does where it has none.

    >>> parameters_of(np.clip).positional, parameters_of(lambda x, *, axis=None: x).defaults
    (('a', 'a_min', 'a_max', 'out'), {'axis': None})
    """
    plain = inspect.unwrap(function, stop=_says_its_signature)
    if type(plain) is FunctionType and not _says_its_signature(plain):
        return _parameters_of_code(plain)
    like = _function_with(_of_ufunc(plain)) if isinstance(plain, np.ufunc) else _told_by(plain)
    if like is not None:
        return _parameters_of_code(like)
    return _parameters_of_signature(signature_of(function))


def argument_names(function: Function, count: int, rest: str = "x") -> tuple[str, ...]:
    """The names of the first arguments of a function, ``*args`` being args0, args1 and so on; those
    of which it tells none are called after `rest`.
    """
    try:
        own = parameters_of(function)
    except (TypeError, ValueError):
        own = parameters_of(lambda: None)
    named = own.positional[:count]
    return (*named, *(f"{own.rest or rest}{k}" for k in range(count - len(named))))


def takes_namespace(function) -> bool:
    """Whether a function of Python's has the parameter `xp`, for the functions of an array library."""
    return isinstance(function, FunctionType) and "xp" in parameters_of(function).names


def hints_of(function) -> dict[str, Any]:
    """The annotations of a function, as texts where one of them names nothing."""
    try:
        found: dict[str, Any] = getattr(function, "__annotations__", {})
    except NameError:
        found = _texts(function)
    return found


def _says_its_signature(function) -> bool:
    return hasattr(function, "__signature__")


def _parameters_of_code(function: FunctionType) -> Parameters:
    # its variables are these names, in this order, and then its own
    code = function.__code__
    names, count = code.co_varnames, code.co_argcount
    end = count + code.co_kwonlyargcount
    has_rest, has_options = code.co_flags & CO_VARARGS, code.co_flags & CO_VARKEYWORDS
    positional, defaults = names[:count], function.__defaults__ or ()
    return Parameters(
        positional,
        keyword_only=names[count:end],
        rest=names[end] if has_rest else None,
        options=names[end + bool(has_rest)] if has_options else None,
        defaults={
            **dict(zip(positional[count - len(defaults) :], defaults, strict=True)),
            **(function.__kwdefaults__ or {}),
        },
        annotations=hints_of(function),
    )


def _parameters_of_signature(signature: inspect.Signature) -> Parameters:
    every = signature.parameters.values()
    return Parameters(
        tuple([p.name for p in every if p.kind in POSITIONAL]),
        tuple([p.name for p in every if p.kind is p.KEYWORD_ONLY]),
        rest=next((p.name for p in every if p.kind is p.VAR_POSITIONAL), None),
        options=next((p.name for p in every if p.kind is p.VAR_KEYWORD), None),
        defaults={p.name: p.default for p in every if p.default is not p.empty},
        annotations={p.name: p.annotation for p in every if p.annotation is not p.empty},
    )


def signature_of(function: Function) -> inspect.Signature:
    """The signature of a function; raises as `inspect.signature` does where there is none.

    >>> [*signature_of(np.add).parameters][:3], [*signature_of(np.dot).parameters]
    (['x1', 'x2', 'out'], ['a', 'b', 'out'])
    """
    told = _told_by(inspect.unwrap(function, stop=_says_its_signature))
    if told is not None:
        return inspect.signature(told)
    try:
        return inspect.signature(function)
    except NameError:
        return _inspected(function)
    except (TypeError, ValueError):
        text = _text_of(function)
        if text is None:
            raise
    return inspect.signature(_function_with(text))


def _told_by(function) -> FunctionType | None:
    """A function with the signature that one in C tells as a text, where Python understands that."""
    text = getattr(function, "__text_signature__", None)
    if type(function) is not BuiltinFunctionType or text is None or not text.endswith(")"):
        return None
    parameters = text[1:-1]
    if parameters.startswith(("$module", "$self")):
        _, _, parameters = parameters.partition(",")  # it is bound: ``np.add.at`` has its `$self`
        parameters = parameters.strip().removeprefix("/,")
    try:
        return _function_with(parameters)
    except (NameError, SyntaxError):  # a default such as <no value>, or a name of its module
        return None


@cache
def _function_with(parameters: str) -> FunctionType:
    """A function with these parameters, as one writes them in Python."""
    return eval(f"(lambda {parameters}: None)", {"absent": np._NoValue})


def _text_of(function) -> str | None:
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
