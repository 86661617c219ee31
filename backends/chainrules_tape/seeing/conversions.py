"""Conversions in the code of functions that are seen through: ``float(x)``, ``int(x)``, ``complex(x)``, ``type(x)``.

Python asks the class, so no handle can answer a call of `float`. Nor can the name `float` stand for something else, because
`float` is also what types are compared with and arrays are made of. So only calls are changed: where the code of a
function loads the name in order to call it, it loads another function, and in all other places what it always did.
"""

import builtins
from functools import lru_cache
from opcode import opmap
from sys import version_info
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from chainrules_tape.core.handles import TracedArray, plain
from chainrules_tape.core.levels import open_levels

_NAMED = ("LOAD_GLOBAL", "CACHE", "EXTENDED_ARG", "LOAD_CONST", "PUSH_NULL", "NOP")
_LOAD, _CACHE, _EXTENDED, _CONST, _NULL, _NOP = (opmap[name] for name in _NAMED)


def as_float(*args: Any) -> Any:
    """The traced number itself, in the place of ``float(x)``."""
    if not open_levels or not args:
        return float(*args)
    x = own_answer(args[0], "__float__")
    if not issubclass(type(x), TracedArray):
        return float(*args)
    float(plain(x))  # raises where NumPy does
    return traced_number(x, float)


def as_int(*args: Any, **options: Any) -> Any:
    """The integer part of a traced number, which is constant but for its steps."""
    return int(*map(plain, args), **options) if open_levels else int(*args, **options)


def as_complex(*args: Any, **options: Any) -> Any:
    """The traced number itself as a complex one, in the place of ``complex(x)``."""
    parts = (*args, *options.values())
    if not open_levels or not any(issubclass(type(part), TracedArray) for part in parts):
        return complex(*args, **options)
    complex(*map(plain, args), **{name: plain(part) for name, part in options.items()})
    if len(parts) == 1 and not options:
        return traced_number(parts[0], complex)
    real, imag = args[0] if args else options.get("real", 0.0), args[1] if len(args) > 1 else options.get("imag", 0.0)
    return real + 1j * imag


def as_type(*args: Any, **options: Any) -> Any:
    """The class of the value that is traced, in the place of ``type(x)``."""
    cls = type(*args, **options)
    return args[0].__class__ if open_levels and len(args) == 1 and issubclass(cls, TracedArray) else cls


def as_map(function: Any, *sequences: Any) -> Any:
    """``map(f, ...)``, which may be asked to convert each of its values."""
    return map(CALLED.get(function, function) if function in _CONVERTING else function, *sequences)


def own_answer(x: Any, name: str) -> Any:
    """What an object that is written in Python answers when it is to be converted; any other as it is."""
    method = getattr(type(x), name, None)
    return method(x) if isinstance(method, FunctionType) and not issubclass(type(x), TracedArray) else x


def traced_number(x: Any, kind: type) -> Any:
    """A traced value of one entry as a number of double precision."""
    number = x if x.is_number else np.reshape(x, ())[()]
    return number if number.dtype == kind else number.astype(kind)


_CONVERTING = (float, int, complex, type)
CALLED: dict[Any, Any] = {float: as_float, int: as_int, complex: as_complex, type: as_type, map: as_map}
_NAMES = {called.__name__: called for called in CALLED}


def with_conversions(code: CodeType, namespace: dict[str, Any]) -> CodeType:
    """The code with calls of conversions replaced, in the functions inside it, too; the code itself where there are none."""
    names = tuple([name for name in _NAMES if getattr(builtins, name) is namespace.get(name, _NAMES[name])])
    return rewritten(code, names)


@lru_cache(maxsize=None)
def rewritten(code: CodeType, names: tuple[str, ...]) -> CodeType:
    """The code with calls of these names replaced."""
    consts = [rewritten(const, names) if isinstance(const, CodeType) else const for const in code.co_consts]
    changed = any(new is not old for new, old in zip(consts, code.co_consts, strict=True))
    wanted = {index: name for index, name in enumerate(code.co_names) if name in names}
    if not wanted:
        return code.replace(co_consts=tuple(consts)) if changed else code
    units, at, argument = bytearray(code.co_code), 0, 0
    for end in range(2, len(units) + 2, 2):
        if end < len(units) and units[end] == _CACHE:
            continue
        # One instruction without its prefixes, from `at` to `end`.
        operation, argument = units[at], argument << 8 | units[at + 1]
        if operation == _LOAD and argument & 1 and argument >> 1 in wanted:
            consts.append(CALLED[_NAMES[wanted[argument >> 1]]])
            start = at
            while start and units[start - 2] == _EXTENDED:
                start -= 2
            load = loading(len(consts) - 1)
            units[start:end] = load + bytes([_NOP, 0]) * ((end - start - len(load)) // 2)
            changed = True
        argument, at = argument if operation == _EXTENDED else 0, end
    return code.replace(co_consts=tuple(consts), co_code=bytes(units)) if changed else code


def loading(constant: int) -> bytes:
    """The instructions that load a constant in order to call it, in the room of those that load a global name."""
    load = [_EXTENDED, constant >> 8, _CONST, constant & 255]
    return bytes([*load, _NULL, 0] if version_info >= (3, 13) else [_NULL, 0, *load])
