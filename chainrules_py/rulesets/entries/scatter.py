"""Writing entries: the adjoint of reading them.

`scatter_add` is a function of its values, with rules of its own, so that indexing can be
differentiated any number of times on arrays of any library, immutable and traced ones included.
`scattered` is what adjoints return: the same as a thunk, which can also add itself into a buffer
and then touches only its own entries.

How NumPy's buffers are written (docs/design/in_place.md):

    integers, slices, None, Ellipsis    buffer[index] += values              no entry is hit twice
    a mask                              the same where it holds: NumPy's own way with masks takes ten times as long
    one array of integers               np.add.at(buffer, index, values)     on vectors: a tight loop since NumPy 1.25
    any arrays of integers              np.add.at on positions in the flat buffer, to get into that loop
    few of them into a large array      np.add.at(buffer, index, values)     its general loop: positions would cost more
"""

import math
import operator
from types import EllipsisType, NoneType
from typing import Any

import numpy as np

from chainrules_py import NO_TANGENT, InplaceableThunk, Space, linear_rule, primitive, unthunk
from chainrules_py.introspection import process_lock
from chainrules_py.projection.dense import dense_space
from chainrules_py.tangents import NotImplementedTangent, has_tangent
from chainrules_py.values.arrays import is_numpys, library_of, library_of_types, numpy_library
from chainrules_py.values.indices import read

_BASIC = frozenset({int, slice, NoneType, EllipsisType})
_PLAIN = _BASIC | {np.ndarray, np.int64, list}
# a matrix of few columns and many rows: column by column takes a third of NumPy's loop over rows
_FEW, _MANY = 4, 256
# fewer values than one in 8 entries: numbering all entries costs more than the slow loop
_SPARSE = 8


@primitive
def scatter_add(values: Any, index: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Zeros of this shape and dtype with `values` added at `index`; what arrives twice adds up.

    >>> scatter_add(np.array([1.0, 2.0]), np.array([0, 0]), (3,), float)
    array([3., 0., 0.])
    """
    return added_to_zeros(values, index, shape, dtype)


def added_to_zeros(values, index, shape: tuple[int, ...], dtype) -> Any:
    """`scatter_add` of values that are not traced."""
    if type(values) is NotImplementedTangent:  # the tangent of a cotangent
        values.refuse_use("the cotangent of x[index]")
    library = library_of_types((type(values),))
    own = library.implementation(scatter_add)
    if own is not scatter_add:
        return own(values, index, shape, dtype)
    buffer = library.namespace.zeros(shape, dtype)
    if library.mutable and is_basic(index):
        buffer[index] = values  # the buffer is fresh: nothing to add to
        return buffer
    library.implementation(add_at)(buffer, index, values, library.namespace)
    return buffer


@linear_rule(scatter_add)
def scatter_add_adjoint(y_bar, values: Space, *, index, shape: tuple[int, ...], dtype):
    """Reads the entries back."""
    return read(y_bar, index if is_basic(index) else known(index, values.shape, len(shape)))


def known(index, shape: tuple[int, ...], ndim: int) -> Any:
    """An index of an array of `ndim` axes, for which it is known that it selects something of this
    shape.
    """
    library = library_of_types(map(type, index) if isinstance(index, tuple) else (type(index),))
    return library.implementation(located)(index, shape, ndim)


def located(index, shape: tuple[int, ...], ndim: int) -> Any:
    """An index that can be read without asking how much a mask selects.

    Only libraries whose masks would wait have another.
    """
    return index


def scattered(y_bar, index, shape: tuple[int, ...], dtype) -> Any:
    """The cotangent of ``x[index]`` for an `x` of this shape and dtype.

    One of objects admits none but zero.
    """
    if has_tangent(dtype):
        return Scatter(y_bar, index, shape, dtype)
    if getattr(dtype, "kind", "") == "O":
        return dense_space(np.ndarray, shape, dtype)(y_bar)
    return NO_TANGENT


_forcing = process_lock()  # of all scatters


class Scatter(InplaceableThunk):
    """``scatter_add(values, index, shape, dtype)``, postponed.

    A tape makes one per read, so it has slots instead of closures.
    """

    __slots__ = ("_dtype", "_index", "_shape", "_values")

    def __init__(self, values, index, shape: tuple[int, ...], dtype) -> None:
        # Set here, as calling the constructors of the bases takes a third of the time of the
        # pullback of reading an entry.
        self._compute = scatter_add
        self._name = "scatter_add"
        self._value = None
        self._lock = _forcing
        self._values, self._index, self._shape, self._dtype = values, index, shape, dtype

    def is_in(self, shape: tuple[int, ...], dtype) -> bool:
        """A scatter knows its shape and dtype."""
        return self._shape == shape and self._dtype is dtype

    def fits_into(self, buffer) -> bool:
        """Whether the library of the buffer computes with the values, too.

        Nothing is allocated to find out.
        """
        values, cls = self._values, type(buffer)
        if cls is np.ndarray and not is_known_index(self._index):
            return False
        values = unthunk(self) if self.forced else values
        return type(values) in (cls, np.float64) or library_of_types(
            (cls, type(values))
        ) is library_of(cls)

    def _evaluate(self) -> Any:
        values, index = admitted(self._values, self._dtype), self._index
        if type(values) is not np.ndarray or not is_known_index(index):
            return scatter_add(values, index, self._shape, self._dtype)
        buffer = np.zeros(self._shape, self._dtype)  # what is plain need not be asked: 3 us less
        add_at(buffer, index, values, np)
        return buffer

    def _release(self) -> None:
        super()._release()
        self._values = self._index = None

    def add_into(self, buffer) -> None:
        """``buffer[index] += values``."""
        values, index = self._values, self._index
        if self.forced:  # by another thread, perhaps between these two lines
            buffer += unthunk(self)
            return
        values, library = (
            admitted(values, self._dtype),
            library_of_types((type(buffer), type(values))),
        )
        if type(buffer) in library.buffer_types:
            at: Any = np.add.at
            at(buffer, index, values)
        else:
            library.implementation(add_at)(buffer, index, values, library.namespace)

    def zeros(self) -> Any:
        """A fresh buffer of the argument's shape and dtype."""
        like = unthunk(self) if self.forced else self._values
        library = library_of_types((type(like),))
        if library.make_buffer is not None:
            return library.make_buffer(self._shape, self._dtype)
        return library.namespace.zeros(self._shape, self._dtype)


def is_known_index(index) -> bool:
    """Whether an index is plain; where it differs from example to example, an engine traces it."""
    if type(index) in _PLAIN:
        return True
    own = index if type(index) is tuple else (index,)
    if _PLAIN.issuperset(map(type, own)):
        return True
    return library_of_types(map(type, own)) is numpy_library()


def admitted(values, dtype) -> Any:
    """Values as an array of this dtype takes them: the real part, where it is real."""
    if type(values) is NotImplementedTangent:
        values.refuse_use("the cotangent of x[index]")
    if (
        getattr(dtype, "kind", "") == "f"
        and getattr(getattr(values, "dtype", None), "kind", "") == "c"
    ):
        return library_of_types((type(values),)).namespace.real(values)
    return values


def scattered_flat(y_bar, index, a: Space, xp) -> Any:
    """The cotangent of ``ravel(x)[index]`` for an `x` like `a`."""
    if a.ndim == 1 or not has_tangent(a.dtype):
        return scattered(y_bar, index, a.shape, a.dtype)
    return xp.reshape(unthunk(scattered(y_bar, index, (a.size,), a.dtype)), a.shape)


def add_at(buffer, index, values, xp) -> None:
    """``buffer[index] += values``, where what arrives twice adds up."""
    # nearly all reads: before any other question, which costs as much as the sum
    if is_basic(index):
        _add_basic(buffer, index, values)
    elif is_mask_array(index) and is_numpys(buffer) and buffer.flags.c_contiguous:
        _add_where(buffer, index, xp.asarray(values, buffer.dtype))
    elif hits_nothing_twice(index):
        buffer[index] += values
    elif is_numpys(buffer):
        _add_repeated(buffer, index, xp.asarray(values, buffer.dtype))
    else:
        xp.add.at(buffer, index, values)


def is_basic(index: Any) -> bool:
    """Whether an index consists of Python's integers and slices, None and Ellipsis, so that it
    reads a view.
    """
    return _BASIC.issuperset(map(type, index)) if type(index) is tuple else type(index) in _BASIC


def one_for_each_axis(index: Any, ndim: int) -> list[Any]:
    """The items of an index that is no mask without `None` and `...`, one for each axis.

    >>> one_for_each_axis((..., None, 1), 2)
    [slice(None, None, None), 1]
    """
    items = [item for item in (index if isinstance(index, tuple) else (index,)) if item is not None]
    at = next((n for n, item in enumerate(items) if item is ...), len(items))
    rest = [slice(None)] * (ndim - len(items) + (at < len(items)))
    return [*items[:at], *rest, *items[at + 1 :]]


def _add_basic(buffer, index, values) -> None:
    part = buffer[index]
    if has_few_columns(part):
        for target, column in zip(part.T, np.broadcast_to(values, part.shape).T, strict=True):
            target += column
    else:  # `buffer[index] += values`, by which Python would read the part once more
        part += values
        buffer[index] = part


def has_few_columns(part) -> bool:
    """Whether part of an array is a long matrix of short rows, to which NumPy adds column by column
    in a third of the time.
    """
    if type(part) is not np.ndarray and not is_numpys(part):
        return False
    return part.ndim == 2 and part.shape[1] <= _FEW and part.shape[0] >= _MANY


def is_mask_array(index) -> bool:
    """Whether an index is one array of booleans."""
    return is_numpys(index) and index.dtype.kind == "b" and index.ndim > 0


def _add_where(buffer, mask, values) -> None:
    chosen = np.flatnonzero(mask)
    if mask.ndim == buffer.ndim:
        np.add.at(buffer.reshape(-1), chosen, values)
    else:
        rest = buffer.shape[mask.ndim :]
        buffer.reshape(mask.size, *rest)[chosen] += values


def hits_nothing_twice(index) -> bool:
    """Whether an index reads no entry twice, as far as its type tells: anything but arrays and
    lists of integers.

    >>> hits_nothing_twice((1, slice(None), None)), hits_nothing_twice([1, 2])
    (True, False)
    """
    if isinstance(index, tuple):
        return all(map(hits_nothing_twice, index))
    if index is None or index is Ellipsis or isinstance(index, int | slice | np.integer):
        return True
    return (
        getattr(index, "ndim", 1) == 0 or getattr(getattr(index, "dtype", None), "kind", "") == "b"
    )


def _add_repeated(buffer, index, values) -> None:
    flat = buffer.ndim == 1 or not buffer.flags.c_contiguous
    positions = None if flat else _positions(index, buffer.shape, values.size)
    if positions is None:
        np.add.at(buffer, index, values)
    else:
        np.add.at(buffer.reshape(-1), positions.reshape(-1), values.reshape(-1))


def _positions(index, shape: tuple[int, ...], count: int) -> Any:
    """Where the indexed entries are in the flat array.

    It is None where finding out costs more than it saves.
    """
    parts = index if isinstance(index, tuple) else (index,)
    if all(getattr(getattr(part, "dtype", None), "kind", "") in ("i", "u") for part in parts):
        lead, rest = shape[: len(parts)], math.prod(shape[len(parts) :])
        if len(parts) == 1:
            starts = parts[0] if are_positive(parts[0]) else parts[0] % max(lead[0], 1)
        else:
            starts = np.ravel_multi_index(np.broadcast_arrays(*parts), lead, mode="wrap")
        return starts[..., None] * rest + np.arange(rest)
    if count * _SPARSE < math.prod(shape):
        return None
    library = library_of_types(map(type, parts))
    numbers = np.arange(math.prod(shape)).reshape(shape)
    return library.implementation(operator.getitem)(numbers, index)


def are_positive(positions) -> bool:
    """Whether no position counts from the end; only plain ones are looked at."""
    is_plain = type(positions) is np.ndarray
    return bool(is_plain and positions.size and positions.min() >= 0)
