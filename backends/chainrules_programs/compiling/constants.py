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
        return _array(constant)
    if isinstance(constant, list) and len(constant) > 1 and are_of_one_form(constant):
        return f"list({constant_text(np.stack(constant))})"
    if isinstance(constant, list | tuple | dict):
        return container_text(constant, constant_text, key_text=constant_text)
    if isinstance(constant, np.generic):
        return _scalar(constant)
    if isinstance(constant, np.dtype):
        return f"np.dtype({constant.str!r})"
    if type(constant) in (bool, int, float, complex, str, bytes, NoneType):  # not of their classes
        return _number(constant)
    raise NotWritable(constant)


def are_of_one_form(parts: Sequence[Any]) -> bool:
    """Whether all parts are arrays of one shape and type, in C's order, which can be stacked."""
    forms = {(type(part), np.shape(part), getattr(part, "dtype", None)) for part in parts}
    is_array = len(forms) == 1 and isinstance(parts[0], np.ndarray) and parts[0].ndim
    return bool(is_array) and all(part.flags.c_contiguous for part in parts)


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
    found = (text for text in _texts(array) if _gives(text, array))
    return next(found, None) or _decoded(array)


def without_repetitions(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the entries that an array has in memory: along an axis without steps there is one."""
    return array[(*[slice(None if step else 1) for step in array.strides], ...)]


def _texts(array: np.ndarray[Any, Any]) -> Iterator[str]:
    """Yield short expressions that may give an array in C's order."""
    shape, dtype = array.shape, dtype_text(array.dtype)
    if array.size != 1:
        for given in (f"{shape}", f"{shape}, {dtype}"):
            yield f"np.zeros({given})"
            yield f"np.ones({given})"
    if array.dtype.char in "gG":  # numbers of which Python has no literals
        return
    if array.size > 1:
        yield f"np.full({shape}, {_number(array.flat[0].item())}, {dtype})"
    if array.ndim == 2 and shape[0] == shape[1]:
        yield f"np.eye({shape[0]}, dtype={dtype})"
    if array.ndim == 1 and array.size > 3 and array.dtype.kind in "iu":
        start, step = int(array[0]), int(array[1]) - int(array[0])
        if step and np.all(np.diff(array) == step):
            yield f"np.arange({start}, {start + step * array.size}, {step}, {dtype})"
    if array.size <= LONGEST:
        numbers = constant_text(array.tolist())
        yield f"np.array({numbers})"
        yield f"np.array({numbers}, {dtype})"


def _gives(text: str, array: np.ndarray[Any, Any]) -> bool:
    """Whether an expression gives the shape, the type and the bits of an array, those of nan
    included.
    """
    found = eval(text, {"np": np})
    is_like = found.shape == array.shape and found.dtype == array.dtype
    return is_like and found.tobytes() == array.tobytes()


def _decoded(array: np.ndarray[Any, Any]) -> str:
    text = base64.b85encode(zlib.compress(array.tobytes())).decode()
    return f"decoded({array.dtype.str!r}, {array.shape}, {text!r})"


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
