"""Values that decide about shapes: on a device they are waited for.

A lazy library may refuse to look at them.
"""

from typing import Any

from chainrules_py.values.arrays import ArrayLibrary, library_of_types


def known_number(number: Any) -> int:
    """A number that decides about a shape, as an integer of Python's."""
    require_known(number, library_of_types((type(number),)))
    return int(number)


def require_known(value: Any, library: ArrayLibrary) -> None:
    """Let a library refuse, by an implementation of its own, where looking would compute all that
    stands behind a value.
    """
    own = library.implementation(require_known)
    if own is not require_known:
        own(value)
