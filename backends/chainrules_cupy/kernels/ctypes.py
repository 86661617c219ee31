"""C++ types of NumPy's dtypes, as CuPy's kernels spell them.

A *kind* is what dispatch on types needs to know of a value: a dtype, or for a Python number its
class, which is weak (it takes the dtype of what it meets). float16 is stored as such and computed
with in float, rounded once at the end.
"""

from typing import Any

import numpy as np

Kind = np.dtype[Any] | type

_STORED = {
    "?": "bool",
    "e": "float16",
    "f": "float",
    "d": "double",
    "F": "complex<float>",
    "D": "complex<double>",
    "b": "signed char",
    "B": "unsigned char",
    "h": "short",
    "H": "unsigned short",
    "i": "int",
    "I": "unsigned int",
    "l": "long long",
    "q": "long long",
    "L": "unsigned long long",
    "Q": "unsigned long long",
}
_WEAK = {
    bool: np.dtype(bool),
    int: np.dtype(np.int64),
    float: np.dtype(float),
    complex: np.dtype(complex),
}


class NoSpelling(Exception):
    """A function or dtype that a kernel cannot have, because there is no C++ for it."""


def stored(kind: Kind) -> str:
    """The C++ type in which values of a kind are in memory; that of a kernel parameter.

    >>> stored(np.dtype("float16")), stored(complex)
    ('float16', 'complex<double>')
    """
    dtype = concrete(kind)
    if dtype.char not in _STORED or not dtype.isnative:
        raise NoSpelling(f"no C++ type for {dtype}")
    return _STORED[dtype.char]


def computing_type(kind: Kind) -> str:
    """The C++ type in which values of a kind are computed with."""
    name = stored(kind)
    return "float" if name == "float16" else name


def concrete(kind: Kind) -> np.dtype[Any]:
    """The dtype of a kind; of a Python number, the one that holds it."""
    if not isinstance(kind, type):
        return kind
    if kind not in _WEAK:
        raise NoSpelling(f"no C++ type for a {kind.__qualname__}")
    return _WEAK[kind]


def is_weak(kind: Kind) -> bool:
    """Tell whether a kind takes the dtype of what it meets."""
    return isinstance(kind, type)


def weakened(dtype: np.dtype[Any]) -> Kind:
    """The Python class of what Python numbers make among themselves; a comparison makes a boolean."""
    return {"i": int, "f": float, "c": complex}.get(dtype.kind, dtype)


def cast(code: str, given: Kind, wanted: Kind) -> str:
    """The C++ that turns a value of one kind into another; the real part where that is real and the
    value is not.
    """
    source, target = computing_type(given), computing_type(wanted)
    if source == target:
        return code
    if target.startswith("complex"):
        inner = code if source.startswith("complex") else f"({target[8:-1]})({code})"
        return f"{target}({inner})"
    return f"({target})({code}.real())" if source.startswith("complex") else f"({target})({code})"
