"""Constants of a program as lines at a module's head: literals, or their bytes where they are long."""

import base64
import zlib
from collections.abc import Iterator, Sequence
from types import NoneType
from typing import Any

import numpy as np

from chainrules_programs.recording.notation import container_text, float_text

LONGEST = 16  # entries of an array that is written out
DECODER = '''def decoded(dtype, shape, text):
    """Return the array whose bytes are in a text."""
    entries = zlib.decompress(base64.b85decode(text))
    return np.frombuffer(entries, dtype).reshape(shape).copy()
'''


class NotWritable(Exception):
    """A constant has no text: it is `constant`."""

    def __init__(self, constant) -> None:
        kind = getattr(constant, "kind_of_step", type(constant).__name__)
        super().__init__(f"a {kind} has no text")
        self.constant = constant


def constant_text(constant) -> str:
    """Write an expression for a constant, with the same bits, shape and memory order.

    >>> constant_text(np.array(1.01)), constant_text(np.zeros((2, 30)))
    ('np.array(1.01)', 'np.zeros((2, 30))')
    """
    if isinstance(constant, np.ndarray):
        return _exact(_array(constant), constant)
    if isinstance(constant, list | tuple):
        return _sequence(constant)
    if isinstance(constant, np.generic):
        return _scalar(constant)
    if type(constant) is complex:
        return f"complex({_number(constant.real)}, {_number(constant.imag)})"
    if isinstance(constant, np.dtype):
        return f"np.dtype({constant.str!r})"
    if type(constant) in (bool, int, float, str, bytes, NoneType):  # others have texts of their own
        return repr(constant)
    raise NotWritable(constant)


def _sequence(parts: list[Any] | tuple[Any, ...]) -> str:
    """Write a list or a tuple; arrays of one form as the parts of one array."""
    if isinstance(parts, list) and len(parts) > 1 and are_of_one_form(parts):
        return f"list({constant_text(np.stack(parts))})"
    return container_text(parts, constant_text)


def are_of_one_form(parts: Sequence[Any]) -> bool:
    """Whether all parts are arrays of one shape and type, in C's order, which can be stacked."""
    forms = {(type(part), np.shape(part), getattr(part, "dtype", None)) for part in parts}
    is_array = len(forms) == 1 and isinstance(parts[0], np.ndarray) and parts[0].ndim
    return bool(is_array) and all(part.flags.c_contiguous for part in parts)


def _exact(text: str, array: np.ndarray[Any, Any]) -> str:
    """Return a text that gives the bits of an array, those of nan included."""
    scope = {"np": np, "zlib": zlib, "base64": base64}
    exec(DECODER, scope)
    found = eval(text, scope)
    if found.dtype == array.dtype and found.tobytes() == array.tobytes():
        return text
    return _decoded(array)


def _decoded(array: np.ndarray[Any, Any]) -> str:
    text = base64.b85encode(zlib.compress(array.tobytes())).decode()
    return f"decoded({array.dtype.str!r}, {array.shape}, {text!r})"


def _array(array: np.ndarray[Any, Any]) -> str:
    if array.dtype.kind not in "biufc" or type(array) is not np.ndarray:
        raise NotWritable(array)
    once = without_repetitions(array)
    if once.shape != array.shape:
        return f"np.broadcast_to({_array(once)}, {array.shape})"
    if array.ndim > 1 and not array.flags.c_contiguous:
        order = sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis]))
        back = tuple(int(axis) for axis in np.argsort(order))
        return f"{_array(array.transpose(order).copy())}.transpose({back})"
    return _contiguous(array)


def without_repetitions(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the entries that an array has in memory: along an axis without steps there is one."""
    return array[(*[slice(None if step else 1) for step in array.strides], ...)]


def _contiguous(array: np.ndarray[Any, Any]) -> str:
    dtype = "" if array.dtype == np.float64 else f", {dtype_text(array.dtype)}"
    if array.size <= 1 or array.ndim == 0:
        return _written(array)
    first = array.flat[0]
    if array.tobytes() == first.tobytes() * array.size:
        if first.tobytes() == bytes(array.itemsize):
            return f"np.zeros({array.shape}{dtype})"
        if first == 1:
            return f"np.ones({array.shape}{dtype})"
        return f"np.full({array.shape}, {_number(first.item())}, {dtype_text(array.dtype)})"
    found = _pattern(array)
    if found is not None:
        return found
    if array.size <= LONGEST:
        return _written(array)
    return _decoded(array)


def _pattern(array: np.ndarray[Any, Any]) -> str | None:
    """Write an array that counts, or that is the identity, by the function for it."""
    dtype = dtype_text(array.dtype)
    own: Any = array.dtype
    if array.ndim == 1 and array.dtype.kind in "iu" and array.size > 3:
        start, step = int(array[0]), int(array[1]) - int(array[0])
        stop = start + step * array.size
        if step and np.array_equal(array, np.arange(start, stop, step, dtype=own)):
            return f"np.arange({start}, {stop}, {step}, {dtype})"
    is_square = array.ndim == 2 and array.shape[0] == array.shape[1]
    if is_square and array.tobytes() == np.eye(len(array), dtype=array.dtype).tobytes():
        return f"np.eye({len(array)}, dtype={dtype})"
    return None


def _written(array: np.ndarray[Any, Any]) -> str:
    numbers = _nested(array.tolist())
    kept = np.array(array.tolist())
    is_plain = kept.dtype == array.dtype and kept.tobytes() == array.tobytes()
    if array.dtype.char in "gG":  # numbers of which Python has no literals
        return _decoded(array)
    if array.size == 0 and array.ndim != 1:
        return f"np.zeros({array.shape}, {dtype_text(array.dtype)})"
    return f"np.array({numbers})" if is_plain else f"np.array({numbers}, {dtype_text(array.dtype)})"


def _nested(numbers) -> str:
    if isinstance(numbers, list):
        return f"[{', '.join(map(_nested, numbers))}]"
    return _number(numbers)


def _number(number) -> str:
    if isinstance(number, complex):
        return f"complex({_number(number.real)}, {_number(number.imag)})"
    return float_text(number) if isinstance(number, float) else repr(number)


def _scalar(number: np.generic) -> str:
    if number.dtype.kind not in "biufc":
        raise NotWritable(number)
    return f"np.{number.dtype.name}({_number(number.item())})"


def dtype_text(dtype: np.dtype[Any]) -> str:
    """Write an expression for the type of numbers."""
    native = dtype.newbyteorder("=") == dtype
    name = "bool" if dtype == np.bool_ else dtype.name
    return f"np.{name}" if native else repr(dtype.str)


def head(constants: dict[str, Any]) -> Iterator[str]:
    """Yield the lines that define constants."""
    for name, constant in constants.items():
        yield f"{name} = {constant_text(constant)}"
