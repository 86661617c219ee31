"""Functions of NumPy's that the standard lacks, or has with fewer options, as programs of others.

NumPy's functions hand calls with arrays of the standard over to the functions here.
"""

from functools import partial, reduce
from math import log
from typing import Any

import numpy as np

from chainrules_array_api.moves import numbers_of, read_numbered
from chainrules_array_api.standard_array import StandardArray, on_standard, wrapped
from chainrules_py.annotations import Function
from chainrules_py.engines import by_body, matvec, nanmax, nanmin, vecdot, vecmat
from chainrules_py.rulesets.products.einsum import read_subscripts


def sinc(x) -> Any:
    """The sine of pi x over pi x; one at zero."""
    is_zero = x == 0
    y = np.pi * np.where(is_zero, 1.0, x)
    return np.where(is_zero, np.ones_like(y), np.sin(y) / y)


def exp2(x) -> Any:
    """Powers of two."""
    return np.exp(x * log(2.0))


def cbrt(x):
    """The real cubic root."""
    return np.sign(x) * np.abs(x) ** (1 / 3)


def deg2rad(x):
    """Degrees as radians."""
    return x * (np.pi / 180)


def rad2deg(x) -> Any:
    """Radians as degrees."""
    return x * (180 / np.pi)


def angle(z, deg: bool = False) -> Any:
    """The angle of a complex number."""
    y = np.arctan2(np.imag(z), np.real(z))
    return rad2deg(y) if deg else y


def nan_to_num(
    x, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    """Finite numbers in the place of nan and the infinities."""
    if x.dtype.kind == "c":
        real, imag = (nan_to_num(part, copy, nan, posinf, neginf) for part in (x.real, x.imag))
        return real + 1j * imag
    if x.dtype.kind != "f":
        return x
    limits = np.finfo(x.dtype)
    y = np.where(np.isnan(x), nan, x)
    y = np.where(y == np.inf, limits.max if posinf is None else posinf, y)
    return np.where(y == -np.inf, limits.min if neginf is None else neginf, y)


def isclose(a, b, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
    """Whether entries are as good as equal."""
    near = np.abs(a - b) <= atol + rtol * np.abs(b)
    y = np.where(np.isfinite(b), near, a == b)
    return y | (np.isnan(a) & np.isnan(b)) if equal_nan else y


def rounded(a, decimals: int = 0) -> Any:
    """Numbers with so many decimals."""
    is_whole = a.dtype.kind in "iu"
    if not decimals or (is_whole and decimals > 0):
        return a if is_whole else np.rint(a)
    scale = 10.0**decimals
    y = np.rint(a * scale) / scale
    return y.astype(a.dtype) if is_whole else y


def nonzero(a) -> Any:
    """The positions of the entries that are not zero, along each axis."""
    return tuple(map(wrapped, a.xp.nonzero(a.array)))


def isin(element, test_elements, *, invert: bool = False, **options) -> Any:
    """Whether entries are among others."""
    found = np.any(element[..., None] == np.reshape(test_elements, (-1,)), axis=-1)
    return ~found if invert else found


def count_nonzero(a, axis: Any = None, keepdims: bool = False) -> Any:
    """The number of entries that are not zero."""
    return np.sum(a != 0, axis=axis, keepdims=keepdims)


def partition(a, kth, axis: Any = -1, **options) -> Any:
    """The entries in order, which is one of the orders that NumPy allows."""
    return np.sort(a, axis=axis)


def argpartition(a, kth, axis: Any = -1, **options) -> Any:
    """The positions of the entries in order."""
    return np.argsort(a, axis=axis)


def einsum(*operands, optimize: Any = False, order: str = "K", casting: str = "safe") -> Any:
    """The sums of products, in which all operands are broadcast to all labels."""
    text, *arrays = operands
    if not isinstance(text, str):
        return by_body(np.einsum)(*operands)
    subscripts = read_subscripts(text, [np.ndim(x) for x in arrays])
    labels = subscripts.output + "".join(
        sorted(set("".join(subscripts.inputs)) - set(subscripts.output))
    )
    terms = zip(arrays, subscripts.inputs, strict=True)
    product = reduce(np.multiply, [with_labelled_axes(x, term, labels) for x, term in terms])
    summed = tuple(range(len(subscripts.output), len(labels)))
    return np.sum(product, axis=summed) if summed else product


def with_labelled_axes(x, term: str, labels: str) -> Any:
    """An operand with an axis for each label: on the diagonal where it has a label twice."""
    own = "".join(label for label in labels if label in term)
    at = tuple(slice(None) if label in term else None for label in labels)
    if not isinstance(x, StandardArray):
        return np.einsum(f"{term}->{own}", x)[at]
    return read_numbered(x, np.einsum(f"{term}->{own}", numbers_of(x)))[at]


PROGRAMS: dict[str, Function] = {
    **{f.__name__: f for f in (sinc, exp2, cbrt, deg2rad, rad2deg, angle, nan_to_num, isclose)},
    **{f.__name__: f for f in (count_nonzero, partition, argpartition, einsum)},
    **{f.__name__: partial(f, xp=np) for f in (vecdot, matvec, vecmat, nanmax, nanmin)},
    "round": rounded,
    "around": rounded,
    "nonzero": nonzero,
    "isin": isin,
    "radians": deg2rad,
    "degrees": rad2deg,
}
# Functions that rules have as programs of others.
BODIES = (
    *("dot", "outer", "vdot", "trace", "diff", "clip"),
    *("broadcast_arrays", "split", "array_split", "unstack"),
)
FUNCTIONS = {name: on_standard(f, getattr(np, name)) for name, f in PROGRAMS.items()}
FUNCTIONS |= {name: by_body(getattr(np, name)) for name in BODIES}
