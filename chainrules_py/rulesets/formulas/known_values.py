"""Values that decide about shapes; a lazy library may refuse to compute them."""

from typing import Any

from chainrules_py.values.arrays import ArrayLibrary, library_of_types


def known_number(number: Any) -> int:
    """A number that decides about a shape, as an integer of Python's."""
    require_known(number, library_of_types((type(number),)))
    return int(number)


def require_known(value: Any, library: ArrayLibrary) -> None:
    """Let a lazy library refuse, by an implementation of its own, to compute a value here."""
    own = library.implementation(require_known)
    if own is not require_known:
        own(value)
