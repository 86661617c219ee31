"""Check cotangents of outputs and tangents of arguments before a rule sees them.

Natural tangents of a value with a shape are let in here, for every `Space`. An error is raised for
anything else: None, a wrong shape, an integer or object array, a complex seed of a real value. A
Python number is weak: it takes the value's dtype.
"""

from typing import Any

from chainrules_py.errors import SeedError
from chainrules_py.tangents import ZERO, AbstractZero, NotImplementedTangent, Tangent, unthunk
from chainrules_py.values.arrays import numpy_library

# Python's numbers have no dtype: their class says what they are
_KINDS = {int: "i", float: "f", complex: "c"}


def admit_natural(seed, shape: tuple[int, ...], dtype, where: str) -> Any:
    """Bring a dense tangent to this shape and dtype, or raise SeedError.

    A Python number becomes an array where the shape is ().
    """
    if issubclass(type(seed), AbstractZero):  # isinstance would ask a traced seed for its value
        return ZERO
    wanted = dtype.kind if hasattr(dtype, "kind") else _KINDS.get(dtype, "f")
    if wanted in "biu":
        raise seed_error(
            seed,
            repr(seed),
            f"value of dtype {dtype}",
            where,
            "pass NO_TANGENT: integers have no tangent",
        )
    if issubclass(type(seed), (int, float, complex)) and not hasattr(seed, "dtype"):
        return _weak_number(seed, shape, dtype, wanted, where)
    if getattr(seed, "shape", None) != shape:
        got = f"shape {seed.shape}" if hasattr(seed, "shape") else f"a {type(seed).__qualname__}"
        raise _mismatch(seed, got, shape, dtype, where)
    kind = getattr(getattr(seed, "dtype", None), "kind", "f")
    if kind != wanted and (kind, wanted) != ("f", "c"):
        raise _mismatch(seed, f"dtype {getattr(seed, 'dtype', None)}", shape, dtype, where)
    return seed


def admit_dense(y_bar, shape: tuple[int, ...], dtype, where: str):
    """`admit_natural` for generated pullbacks, which forces thunks and converts float dtypes."""
    y_bar = unthunk(y_bar)
    if y_bar is None or isinstance(y_bar, NotImplementedTangent | Tangent):
        raise _mismatch(y_bar, repr(y_bar), shape, dtype, where)
    y_bar = admit_natural(y_bar, shape, dtype, where)
    return y_bar if y_bar is ZERO or y_bar.dtype == dtype else y_bar.astype(dtype)


def _weak_number(seed, shape: tuple[int, ...], dtype, wanted: str, where: str) -> Any:
    if shape != () or (isinstance(seed, complex) and wanted != "c"):
        raise _mismatch(seed, f"the number {seed!r}", shape, dtype, where)
    if hasattr(dtype, "kind"):
        return numpy_library().namespace.asarray(seed, dtype=dtype)[()]
    return seed


def _mismatch(seed, got: str, shape: tuple[int, ...], dtype, where: str) -> SeedError:
    name = dtype.__name__ if isinstance(dtype, type) else dtype
    instead = "pass one of that shape and kind, or ZERO"
    if name == "object":
        instead = (
            "convert the value to an array of numbers, by .astype(float): arrays of objects, which"
            " numpy.frompyfunc makes, have no tangents"
        )
    return seed_error(
        seed,
        got,
        f"value of shape {shape} and dtype {name}",
        where,
        instead,
    )


def seed_error(seed, got: str, space: str, where: str, instead: str) -> SeedError:
    """The error for a seed that is no tangent of the value it was handed in for."""
    return SeedError(
        where,
        f"got {got} as the tangent of a {space}",
        instead,
        rule=where,
        value=seed,
        expected=space,
    )
