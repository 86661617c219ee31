"""Traced values as an array library: what `xp` is for rules that run on values of an outer level.

It is NumPy, whose functions find their way back by NumPy's protocols. Only the functions that make arrays are different: a rule
may fill what it made (``buffer[index] = traced``), so they make a `TracedBuffer`, a value that can be replaced by another one.
The engine opens a buffer as soon as a rule returns it; whatever else meets one takes its current value.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.arrays import ArrayLibrary, register_library
from chainrules_tape.forward import DualArray
from chainrules_tape.interception import array_ufunc
from chainrules_tape.levels import Level, TracedArray, call, innermost
from chainrules_tape.reverse import TapeArray


class TracedBuffer(TracedArray):
    """A mutable place for a value, plain or traced; each write makes another value."""

    __slots__ = ()
    is_buffer = True

    def __init__(self, value: Any) -> None:
        self.value, self.level = value, _opening

    def __getitem__(self, index: Any) -> Any:
        entries = self.value[index]
        return TracedBuffer(entries.copy()) if type(entries) is np.ndarray else entries

    def __setitem__(self, index: Any, entries: Any) -> None:
        self.value = with_entries_set(self.value, index, opened(entries))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        out = options.pop("out", (None,))[0]
        if isinstance(out, TracedBuffer):
            out[...] = array_ufunc(self, ufunc, method, *inputs, **options)
            return out
        if method == "at" and ufunc is np.add and inputs[0] is self:
            self.value = with_entries_added(self.value, inputs[1], opened(inputs[2]))
            return None
        return array_ufunc(self, ufunc, method, *inputs, **options if out is None else {**options, "out": (out,)})


def augmented_by(operation: Callable[[Any, Any], Any]) -> Callable[[TracedBuffer, Any], TracedBuffer]:
    """Augmented assignment to a buffer."""

    def augment(self: TracedBuffer, other: Any) -> TracedBuffer:
        self.value = operation(self.value, opened(other))
        return self

    return augment


for _name in ("add", "sub", "mul", "truediv"):
    setattr(TracedBuffer, f"__i{_name}__", augmented_by(getattr(operator, _name)))


class Opening(Level):
    """The innermost level of all: operations on buffers are operations on their current values."""

    __slots__ = ()

    def __init__(self) -> None:
        self.serial, self.closed = float("inf"), False  # type: ignore[assignment]

    def call(self, primal: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """The operation on the current values."""
        return primal(*self.strip(args), **self.strip(options))


_opening = Opening()


def opened(value: Any) -> Any:
    """The current value of a buffer; other values as they are."""
    return value.value if isinstance(value, TracedBuffer) else value


def with_entries_set(value: Any, index: Any, entries: Any) -> Any:
    """The value after ``value[index] = entries``, as another value where either is traced.

    Written with reading: of each entry, which of `entries` arrived there last.
    """
    if innermost((value, entries)) is None:
        value[index] = entries
        return value
    source = np.full(value.shape, -1)
    region = source[index]
    source[index] = np.arange(region.size).reshape(region.shape)
    flat = np.ravel(np.broadcast_to(entries, region.shape))
    if not flat.shape[0]:
        return value
    return np.where(source >= 0, flat[np.maximum(source, 0)], value)


def with_entries_added(value: Any, index: Any, entries: Any) -> Any:
    """The value after ``numpy.add.at(value, index, entries)``, as another value where either is traced."""
    if innermost((value, entries)) is None:
        np.add.at(value, index, entries)
        return value
    from chainrules_py.rulesets.scatter import scatter_add  # a rule pack, loaded with the first rule that needs it

    region = np.empty(value.shape, bool)[index].shape
    return value + scatter_add(np.broadcast_to(entries, region), index=index, shape=value.shape, dtype=value.dtype)


class TracedNamespace:
    """NumPy, with functions that make arrays making buffers."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        made = _making(found) if name in _MAKERS else found
        setattr(self, name, made)
        return made


_MAKERS = frozenset({"zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like"})
_CONVERTERS: frozenset[Callable[..., Any]] = frozenset({np.asarray, np.array, np.ascontiguousarray, np.asanyarray})


def _making(make: Callable[..., Any]) -> Callable[..., Any]:
    def maker(*args: Any, **options: Any) -> Any:
        value = make(*args, **options)
        return TracedBuffer(value) if type(value) is np.ndarray else value

    maker.__name__ = make.__name__
    return maker


def converting(convert: Callable[..., Any]) -> Callable[..., Any]:
    """`asarray` and the like, which NumPy does not hand over: a traced value is an array already."""

    def converter(value: Any, dtype: Any = None, **options: Any) -> Any:
        if innermost((value,)) is None:
            return convert(value, dtype, **options)
        if not isinstance(value, TracedArray):
            return np.stack([converter(part) for part in value])
        return value if dtype is None or value.dtype == dtype else call(np.astype, (value, dtype), {})  # type: ignore[attr-defined]

    converter.__name__ = convert.__name__
    return converter


namespace = TracedNamespace()
for _convert in _CONVERTERS:
    setattr(namespace, _convert.__name__, converting(_convert))

register_library(
    ArrayLibrary(
        name="tape",
        namespace=namespace,
        array_types=(TapeArray, DualArray, TracedBuffer),
        mutable=False,
        priority=100,
    )
)
