"""`StandardArray`: an array of a library that follows the array API standard, with what rules expect
of NumPy's arrays: dtypes, operators, indices.
"""

import operator
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.errors import NotDifferentiableError, TangentTypeError

NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DTYPES = tuple(map(np.dtype, (*NAMES, "float16", "float32", "float64", "complex64", "complex128")))
NUMBERS = frozenset({int, float, complex})


class StandardArray:
    """An array of a library that follows the standard, and behaves as NumPy's do; `is_given` says
    that a user passed it.
    """

    __slots__ = ("__weakref__", "array", "is_given", "xp")
    __hash__ = None  # type: ignore[assignment]

    if TYPE_CHECKING:  # operators and methods that `namespace` sets

        def __getattr__(self, name: str) -> Any: ...
        def __add__(self, other) -> Any: ...
        def __mul__(self, other) -> Any: ...
        def __sub__(self, other) -> Any: ...

    def __init__(self, array, is_given: bool = False) -> None:
        self.array, self.xp, self.is_given = array, array.__array_namespace__(), is_given

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        return tuple(self.array.shape)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.array.shape)

    @property
    def size(self) -> int:
        """The number of entries."""
        return int(np.prod(self.array.shape, dtype=int))

    @property
    def device(self) -> Any:
        """Where the library keeps the entries."""
        return self.array.device

    @property
    def nbytes(self) -> int:
        """The number of bytes that the entries take."""
        return self.size * self.dtype.itemsize

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's name for the type of the entries."""
        return numpy_dtype(self.xp, self.array.dtype)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without axes has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, index) -> Any:
        return standard_entries(self, index if isinstance(index, tuple) else (index,))

    def __bool__(self) -> bool:
        return bool(self.array)

    def __int__(self) -> int:
        return int(self._constant())

    def __index__(self) -> int:
        return operator.index(self._constant())

    def __float__(self) -> float:
        return float(self._constant())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(on_host(self._constant()), dtype)

    def _constant(self) -> Any:
        if self.dtype.kind in "fc":
            got = (
                "an array of another library was to become a number or an array of NumPy's, which"
                " has no derivative"
            )
            raise NotDifferentiableError(
                "chainrules_array_api",
                got,
                "call NumPy's functions on it",
                primal=None,
                argument=None,
            )
        return self.array

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.array!r})"


# How arrays of a class, and of those that inherit from it, are wrapped; all others are wrapped by
# `StandardArray`.
WRAPPERS: dict[type, Callable[[Any], Any]] = {
    cls: lambda x: x
    for cls in (np.ndarray, np.generic)  # which some functions return
}


@lru_cache(maxsize=256)
def wrapper_of(array_class: type) -> Callable[[Any], Any]:
    """What wraps arrays of a library's class."""
    return next((WRAPPERS[cls] for cls in array_class.__mro__ if cls in WRAPPERS), StandardArray)


def wrapped(x) -> Any:
    """Wrap a library's array for rules; an array of NumPy's stays."""
    cls: Any = type(x)
    return wrapper_of(cls)(x)


def unwrapped(x) -> Any:
    """The array of the library in one that rules know; other values as they are."""
    return x.array if isinstance(x, StandardArray) else x


def on_host(x) -> np.ndarray:
    """The entries as an array of NumPy's."""
    array = unwrapped(x)
    if hasattr(array, "todense"):
        return np.asarray(array.todense())
    if hasattr(array, "unwrap_numpy"):  # ndonnx exports no memory
        return np.asarray(array.unwrap_numpy())
    return np.from_dlpack(array) if hasattr(array, "__dlpack__") else np.asarray(array)


@lru_cache(maxsize=256)
def dtypes_of(xp) -> tuple[tuple[Any, np.dtype[Any]], ...]:
    """Pairs of a dtype of a library and NumPy's of that name."""
    return tuple((getattr(xp, dtype.name), dtype) for dtype in DTYPES if hasattr(xp, dtype.name))


@lru_cache(maxsize=256)
def numpy_dtype(xp, dtype) -> np.dtype[Any]:
    """NumPy's dtype for one of a library's."""
    if isinstance(dtype, np.dtype):
        return dtype
    found = [own for theirs, own in dtypes_of(xp) if theirs == dtype]
    return found[0] if found else raise_unknown_dtype(xp, dtype)


@lru_cache(maxsize=256)
def own_dtype(xp, dtype) -> Any:
    """A library's dtype for one of NumPy's."""
    wanted = np.dtype(dtype).newbyteorder("=")
    found = [theirs for theirs, own in dtypes_of(xp) if own == wanted]
    return found[0] if found else raise_unknown_dtype(xp, wanted)


def raise_unknown_dtype(xp, dtype) -> NoReturn:
    """Raise: rules compute in dtypes that NumPy and the library have."""
    got = f"the dtype {dtype}, which only one of NumPy and {xp.__name__} has"
    floats = [own.name for _, own in dtypes_of(xp) if own.kind == "f"]
    instead = f"use {', '.join(floats)} or another one that both have"
    raise TangentTypeError(
        "chainrules_array_api", got, instead, operation=own_dtype, operands=(dtype,)
    )


def array_of(xp, x, dtype: Any = None) -> Any:
    """A value as an array of a library, in a dtype of NumPy's."""
    if isinstance(x, StandardArray):
        if dtype is None or x.dtype == dtype:
            return x.array
        return xp.astype(x.array, own_dtype(xp, dtype))
    if isinstance(x, list | tuple) and any(isinstance(part, StandardArray) for part in x):
        return xp.stack(alike(xp, *x))
    if type(x) in NUMBERS and dtype is not None:
        return xp.asarray(x, dtype=own_dtype(xp, dtype))
    return xp.asarray(np.array(x, dtype, order="C"))


def alike(xp, *values) -> list[Any]:
    """Values as arrays of a library in the dtype in which NumPy computes with all of them."""
    dtype = np.result_type(*(x.dtype if hasattr(x, "dtype") else x for x in values))
    return [array_of(xp, x, dtype) for x in values]


def namespace_of(values: Iterable[Any]) -> Any:
    """The namespace of the first array of a library among values and lists of them; NumPy where
    there is none.
    """
    for x in values:
        if isinstance(x, StandardArray):
            return x.xp
        if isinstance(x, list | tuple) and (xp := namespace_of(x)) is not np:
            return xp
    return np


def standard_entries(x: StandardArray, index: tuple[Any, ...]) -> Any:
    """``x[index]`` as NumPy has it, also with arrays of integers and masks, which the standard has
    not.
    """
    index = tuple(
        np.asarray(part) if isinstance(part, list | StandardArray) else part for part in index
    )
    if not any(isinstance(part, np.ndarray) and part.ndim for part in index):
        basic = tuple(
            operator.index(part) if isinstance(part, np.ndarray | np.integer) else part
            for part in within_bounds(index, x.shape)
        )
        given = sum(part is not None and part is not ... for part in basic)
        return wrapped(x.array[basic if ... in basic or given == x.ndim else (*basic, ...)])
    positions = np.arange(x.size).reshape(x.shape)[index]
    flat = x.xp.reshape(x.array, (-1,))
    return wrapped(
        x.xp.reshape(x.xp.take(flat, x.xp.asarray(positions.reshape(-1)), axis=0), positions.shape)
    )


def within_bounds(index: tuple[Any, ...], shape: tuple[int, ...]) -> Iterator[Any]:
    """The parts of an index without arrays, with slices that end within the array: the standard does
    not say what others read.
    """
    count = sum(part is not None and part is not ... for part in index)
    axis = 0
    for part in index:
        if part is ...:
            axis += len(shape) - count
        elif part is not None:
            if isinstance(part, slice) and axis < len(shape):
                part = slice_within(part, shape[axis])
            axis += 1
        yield part


def slice_within(part: slice, length: int) -> slice:
    """The slice that reads the same entries of an axis, with bounds that are positions or None."""
    positions = range(length)[part]
    if not positions:
        return slice(0, 0)
    # before the first entry there is no position
    stop = None if positions.stop < 0 else positions.stop
    return slice(positions.start, stop, positions.step)


def operator_of(function: Function, reflected: bool = False) -> Callable[[Any, Any], Any]:
    """A function as the operator of arrays, which leaves other classes to theirs."""

    def operate(self: StandardArray, other):
        if not issubclass(
            type(other), StandardArray | np.ndarray | np.generic | int | float | complex
        ):
            return NotImplemented
        return function(other, self) if reflected else function(self, other)

    return operate


def on_standard(function: Function, original: Function) -> Function:
    """A function where an argument is an array of the standard, and NumPy's where none is."""

    def either(*args, **options):
        is_standard = any(isinstance(x, StandardArray) for x in (*args, *options.values()))
        return (function if is_standard else original)(*args, **options)

    return either
