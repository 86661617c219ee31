"""The numbers of a value that are differentiated, on arrays of any library, and a cotangent for
each of them.
"""

import numpy as np

from chainrules_py import NO_TANGENT, AbstractTangent, Array, Tangent
from chainrules_py.tangents import entries, unthunk, with_entries
from chainrules_py.values.arrays import library_of
from chainrules_py.values.structure import fields, is_container


def is_moving(x):
    """Whether a value is an array of real or complex numbers, or one of NumPy's scalars."""
    return isinstance(x, Array | np.generic) and x.dtype.kind in "fc"


def leaves(x):
    """The numbers in a value or tangent, in order."""
    x = unthunk(x)
    if isinstance(x, AbstractTangent):
        return (
            [leaf for entry in entries(x).values() for leaf in leaves(entry)]
            if isinstance(x, Tangent)
            else []
        )
    if is_container(x):
        return [leaf for part in fields(x).values() for leaf in leaves(part)]
    return [x] if is_moving(x) or isinstance(x, float | complex) else []


def seed_of(y):
    """A cotangent of an output, of its own library, which depends on nothing but the shape."""
    if is_container(y):
        return with_entries(type(y), {key: seed_of(part) for key, part in fields(y).items()})
    if not is_moving(y):
        return NO_TANGENT
    steps = np.arange(y.size, dtype=float).reshape(y.shape)
    seed = np.cos(steps) + 1j * np.sin(1 + steps) if y.dtype.kind == "c" else np.cos(steps)
    return library_of(type(y)).namespace.asarray(seed, dtype=y.dtype)
