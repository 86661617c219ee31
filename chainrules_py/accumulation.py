"""Adding cotangents up, with ownership.

An accumulator `acc` is one of

    ZERO            nothing has arrived
    a tangent       one has arrived; it is *borrowed*: kept by reference, and never written to,
                    because others may hold it
    Owned           a buffer made here, that nobody else holds: later arrivals are added in place
    OwnedEntries    an accumulator for each entry of a structural tangent

The second arrival makes the one buffer. An `InplaceableThunk` makes it without computing its value,
so that n reads of an n-array, each differentiated, cost O(n). What cannot be written (numbers,
NumPy scalars, arrays of a library that is not `mutable`, traced values, user's types) is added
functionally. A sum whose dtype the buffer cannot hold is made outside.

    acc = ZERO
    for t in arrivals:
        acc = accumulate(acc, t)
    total = accumulated(acc)
"""

from typing import Any

import numpy as np

from chainrules_py.errors import ProjectionError, TangentTypeError
from chainrules_py.tangents.abstract import AbstractTangent
from chainrules_py.tangents.not_implemented import NotImplementedTangent
from chainrules_py.tangents.plain_containers import as_tangent
from chainrules_py.tangents.structural import SequenceTangent, Tangent, entries, with_entries
from chainrules_py.tangents.thunk import InplaceableThunk, Thunk, unthunk
from chainrules_py.tangents.zero import ZERO, AbstractZero
from chainrules_py.values.arrays import library_of, numpy_library

_ndarray, _add = np.ndarray, np.add  # module globals: an attribute of a module costs 20 ns more
# Classes of numbers, which nobody writes to; engines add those of theirs.
NUMBERS: set[type] = {
    float,
    complex,
    np.float16,
    np.float32,
    np.float64,
    np.longdouble,
    np.complex64,
    np.complex128,
    np.clongdouble,
}


class Owned:
    """A buffer that only this accumulation holds."""

    __slots__ = ("buffer",)

    def __init__(self, buffer) -> None:
        self.buffer = buffer


class OwnedEntries:
    """One accumulator per entry of a structural tangent."""

    __slots__ = ("accumulators", "tangent_type")

    def __init__(self, tangent_type: type[Tangent[Any]], accumulators: dict[Any, Any]) -> None:
        self.tangent_type = tangent_type
        self.accumulators = accumulators


def accumulate(acc: Any, t: Any) -> Any:
    """The accumulator that also holds `t`; starts from ZERO, ends in `accumulated`.

    >>> x_bar = np.ones(2)
    >>> acc = accumulate(accumulate(ZERO, x_bar), x_bar)
    >>> accumulated(accumulate(acc, x_bar)), x_bar
    (array([3., 3.]), array([1., 1.]))
    """
    if acc is ZERO:
        return t
    # The two cases of every dense gradient; everything else is in _accumulate. Comparing the shapes
    # costs 80 ns of 400, but without it a rule's wrong shape would broadcast into a wrong sum of
    # the right shape.
    if type(t) is _ndarray:
        if type(acc) is Owned:
            buffer = acc.buffer
            if (
                type(buffer) is _ndarray
                and buffer.dtype is t.dtype
                and (shape := buffer.shape) == t.shape
            ):
                if shape != (1,):
                    _add(buffer, t, buffer)
                else:  # NumPy takes 620 ns to add one number in place, 180 ns otherwise
                    acc.buffer = _add(buffer, t)
                return acc
        elif type(acc) is _ndarray and acc.shape == t.shape:
            total = _add(acc, t)
            # NumPy makes scalars of 0-d arrays
            return Owned(total) if type(total) is _ndarray else total
    elif type(t) in NUMBERS and type(acc) in NUMBERS:
        return acc + t
    elif (
        type(acc) is Owned
        and issubclass(type(t), InplaceableThunk)
        and acc.buffer is not None
        and t.fits_into(acc.buffer)
    ):
        t.add_into(acc.buffer)
        return acc
    # traced values, of which `isinstance` asks for the class of the value each time, 0.7 us
    elif _are_alike_and_immutable(acc, t):
        return acc + t
    elif _is_like(held := acc.buffer if type(acc) is Owned else acc, t):
        if held is acc:  # arrays of a device: 0.3 us sooner than in _accumulate
            total = acc + t
            # while NumPy is recorded, scalars of 0-d arrays, too
            return Owned(total) if type(total) is type(t) else total
        acc.buffer += t
        return acc
    return _accumulate(acc, t)


def accumulated(acc: Any) -> Any:
    """Return the sum that an accumulator holds; the accumulator cannot be used again.

    No one writes to the sum again.
    """
    if type(acc) is Owned:
        total, acc.buffer = _buffer_of(acc), None
        return total
    if type(acc) is OwnedEntries:
        values = {key: accumulated(entry) for key, entry in acc.accumulators.items()}
        return with_entries(acc.tangent_type.primal_type, values)
    return acc


def _buffer_of(acc: Owned) -> Any:
    """Return the buffer of an accumulator; raise where its sum was handed over."""
    if acc.buffer is None:
        instead = "start another accumulation from ZERO"
        raise TangentTypeError(
            "accumulate",
            "got an accumulator whose sum was handed over",
            instead,
            operation="accumulate",
            operands=(acc,),
        )
    return acc.buffer


def _accumulate(acc, t) -> Any:
    # isinstance would ask traced arrays for the class of their values, 2 us each time
    held, cls = type(acc), type(t)
    if issubclass(cls, AbstractZero):
        return acc
    if issubclass(held, AbstractZero) or issubclass(cls, NotImplementedTangent):
        return t
    if issubclass(held, NotImplementedTangent):
        return acc
    if held is Owned:
        return _add_to_owned(acc, t)
    if held is OwnedEntries:
        return _add_to_entries(acc, t)
    if issubclass(held, Thunk):
        return _accumulate(_opened(acc), t)
    if issubclass(cls, InplaceableThunk) and _writable(acc) and _is_for(t, acc):
        return _accumulate(Owned(acc.copy()), t)
    if issubclass(cls, Thunk):
        # The order of a sum does not matter: the buffer that a scatter makes takes the borrowed
        # value in.
        return _accumulate(_opened(t), acc)
    if issubclass(held, Tangent) and _same_structure(acc, t):
        return _add_to_entries(OwnedEntries(type(acc), dict(entries(acc))), t)
    return _sum(acc, t)


def _is_for(t: InplaceableThunk, acc) -> bool:
    """Whether a thunk is known to be of an array's space, and can be added into it."""
    return not t.forced and t.is_in(acc.shape, acc.dtype) and t.fits_into(acc)


def _opened(thunk: Thunk) -> Any:
    """Compute a thunk, into a buffer of its own where it can write itself into one."""
    if isinstance(thunk, InplaceableThunk) and not thunk.forced:
        buffer = thunk.zeros()
        if _writable(buffer) and (taking := thunk.taking(buffer)) is not None:
            thunk.add_into(taking)
            return Owned(taking)
    return unthunk(thunk)


def _add_to_owned(acc: Owned, t) -> Any:
    buffer = _buffer_of(acc)
    if issubclass(type(t), InplaceableThunk) and (taking := t.taking(buffer)) is not None:
        t.add_into(taking)
        acc.buffer = taking
        return acc
    t = unthunk(t)
    if not _takes(buffer, t) or t.shape != buffer.shape or _sum_dtype(buffer, t) != buffer.dtype:
        return _sum(buffer, t)
    buffer += t
    return acc


def _takes(buffer, t) -> bool:
    """Whether a tangent can be added into a buffer: an array of its class, or of an engine's."""
    if type(t) is type(buffer):
        return True
    library = library_of(type(buffer))
    return (
        library is not None
        and type(buffer) in library.buffer_types
        and library_of(type(t)) in (library, numpy_library())
    )


def _sum_dtype(buffer, t) -> Any:
    if buffer.dtype == t.dtype:
        return buffer.dtype
    library = library_of(type(buffer))
    return library.namespace.result_type(buffer, t) if library is not None else None


def _add_to_entries(acc: OwnedEntries, t) -> Any:
    t = unthunk(t)
    if not isinstance(t, acc.tangent_type) or not _same_length(acc.accumulators, t):
        return accumulated(acc) + t
    for key, entry in entries(t).items():
        acc.accumulators[key] = accumulate(acc.accumulators.get(key, ZERO), entry)
    return acc


def _same_structure(a: Tangent[Any], b) -> bool:
    return type(a) is type(b) and _same_length(entries(a), b)


def _same_length(one: dict[Any, Any], t: Tangent[Any]) -> bool:
    return not isinstance(t, SequenceTangent) or len(one) == len(t)


def _sum(a, b) -> Any:
    one, other = type(a), type(b)
    if issubclass(one, (tuple, list)) or issubclass(other, (tuple, list)):  # whose + joins them
        return as_tangent(a) + as_tangent(b)
    if not (issubclass(one, AbstractTangent) or issubclass(other, AbstractTangent)):
        _check_shapes(a, b)
    total = a + b
    return Owned(total) if total is not a and total is not b and _writable(total) else total


def _check_shapes(a, b) -> None:
    shape, other = getattr(a, "shape", ()), getattr(b, "shape", ())
    if shape != other:  # broadcasting would hide the mistake of a rule
        got = (
            f"got a cotangent of shape {other} for a value whose other cotangents have the shape"
            f" {shape}"
        )
        raise ProjectionError(
            "accumulate",
            got,
            "every rule's cotangent has the shape of its argument",
            space=shape,
            value=b,
        )


def _is_like(held, t) -> bool:
    """Whether both are writable arrays of one class, shape and dtype."""
    return (
        type(held) is type(t) and _writable(t) and held.shape == t.shape and held.dtype == t.dtype
    )


def _are_alike_and_immutable(acc, t) -> bool:
    """Whether both are arrays of one class that are never written to, and of one shape."""
    cls = type(t)
    if type(acc) is not cls:
        return False
    library = library_of(cls)
    is_immutable = library is not None and not library.mutable and cls not in library.buffer_types
    return is_immutable and bool(t.shape == acc.shape)


def _writable(x) -> bool:
    # Exactly the library's own classes: a subclass may share its memory with others, or mean
    # something else by +=.
    cls = type(x)
    library = library_of(cls)
    if library is None or cls in library.number_types:
        return False
    return cls in (library.array_types if library.mutable else library.buffer_types)
