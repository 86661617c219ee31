"""Read values that decide about shapes, which a lazy library may refuse to compute."""

from typing import Any

import numpy as np

from chainrules_py import batched
from chainrules_py.batching.lanes import Lanes, Same
from chainrules_py.makers import primitive
from chainrules_py.values.arrays import Array, ArrayLibrary, call_on_numbers, library_of_types

HOST = frozenset({np.ndarray, np.bool, bool})


def known_number(number) -> int:
    """A number that decides about a shape, as an integer of Python's."""
    require_known(number, library_of_types((type(number),)))
    return int(number)


@primitive
def greatest_known(numbers) -> int:
    """The greatest of some numbers; their count along the last axis where there are none at all.

    For many examples it is the greatest of all.
    """
    if 0 in numbers.shape:
        count: int = numbers.shape[-1]
        return count
    xp = library_of_types((type(numbers),)).namespace
    return known_number(xp.max(numbers))


@batched.register(greatest_known)
def greatest_known_batched(lanes: Lanes, numbers: Array) -> Same:
    """Take the greatest number of all lanes, because it decides about a shape."""
    return Same(greatest_known(numbers))


def length_of(counts, xp) -> int:
    """How many coefficients there are up to the last that counts.

    That is one number, for which a device is waited for; of many series it is that of the longest.
    """
    return greatest_known(xp.where(counts, xp.arange(1, counts.shape[-1] + 1), 0))


@primitive
def any_known(flags) -> bool:
    """Whether some flag is set, of some example."""
    return bool(known_number(library_of_types((type(flags),)).namespace.any(flags)))


@batched.register(any_known)
def any_known_batched(lanes: Lanes, flags: Array) -> Same:
    """Whether a flag is set in some lane."""
    return Same(any_known(flags))


def any_at_hand(flags) -> bool:
    """Whether some flag is set, as far as numbers are at hand: those on a device and of compilers
    are not.
    """
    return any_of_host(flags) if is_of_host(flags) else False


def is_of_host(flags) -> bool:
    """Whether flags are NumPy's, or traced, so that an engine sees that they are asked; of another
    library's it says itself, by an implementation of this function.
    """
    cls: Any = type(flags)
    if cls in HOST or hasattr(cls, "__chainrules_call__"):
        return True
    own = library_of_types((cls,)).implementation(is_of_host)
    return own is not is_of_host and own(flags)


@primitive
def any_of_host(flags) -> bool:
    """Whether some flag is set in an array of NumPy's, or of a library that says that it knows."""
    if type(flags) in HOST:
        return bool(np.any(flags))
    xp = library_of_types((type(flags),)).namespace
    return is_of_host(flags) and bool(xp.any(flags))


@batched.register(any_of_host)
def any_of_host_batched(lanes: Lanes, flags: Array) -> Same:
    """Whether a flag is set in some lane."""
    return Same(any_of_host(flags))


def is_at_hand(numbers) -> bool:
    """Whether the numbers of an array can be asked for: those of compilers cannot.

    A lazy library that refuses to compute them says so when it is asked.
    """
    if hasattr(type(numbers), "__chainrules_call__"):
        return True
    library = library_of_types((type(numbers),))
    return library.mutable or library.implementation(require_known) is not require_known


@primitive
def largest_known(size) -> float:
    """A number that decides how exact something has to be; of many examples, the largest."""
    largest: float = call_on_numbers(float, size)
    return largest


@batched.register(largest_known)
def largest_known_batched(lanes: Lanes, sizes: Array) -> Same:
    """Take the largest number of all lanes: what is exact enough for it is so for all."""
    return Same(largest_known(library_of_types((type(sizes),)).namespace.max(sizes)))


def require_known(value: Any, library: ArrayLibrary) -> None:
    """Let a lazy library refuse, by an implementation of its own, to compute a value here."""
    own = library.implementation(require_known)
    if own is not require_known:
        own(value)
