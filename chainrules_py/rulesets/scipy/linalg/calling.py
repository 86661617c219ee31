"""Call SciPy's functions inside of rules, so that engines see the call, and higher derivatives
work.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chainrules_py.rulesets.formulas.known_values import any_at_hand
from chainrules_py.values.arrays import ArrayLibrary, library_of_types

if TYPE_CHECKING:
    Pair = Any
else:
    Pair = Sequence  # what rules dispatch on: a bare class; SciPy returns a list for a stack


def library_of_values(*args) -> ArrayLibrary:
    """The array library of these values, also of those in tuples and lists."""
    parts = [part for arg in args for part in (arg if isinstance(arg, tuple | list) else (arg,))]
    return library_of_types(map(type, parts))


def call(function, *args, **options) -> Any:
    """Call a function of SciPy through the array library of its arguments."""
    return library_of_values(*args).implementation(function)(*args, **options)


def require_finite(*arrays, xp) -> None:
    """Raise SciPy's error for infinities and nan, if the numbers can be read."""
    if any(any_at_hand(~xp.isfinite(a)) for a in arrays):
        raise ValueError("array must not contain infs or NaNs")
