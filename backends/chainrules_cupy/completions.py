"""Functions, and parameters of functions, that rules use and CuPy lacks, written with what it has.

Each takes CuPy itself as `cp`. Only what needs no host is here: what CuPy lacks because its answer
depends on the data stays missing. What takes positions is in `positions`.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.linalg._linalg import EighResult, EigResult, QRResult, SlogdetResult, SVDResult

from chainrules_cupy.numbers import (
    broadcast_to,
    expand_dims,
    like,
    reshape,
    stack,
    where,
)
from chainrules_cupy.positions import compress, delete, extract, repeat
from chainrules_cupy.ramps import linspace, pad
from chainrules_cupy.sums import total
from chainrules_py.annotations import Function
from chainrules_py.engines import Axis, averaging, reduction

# --- Reductions with `initial` and `where` ---


def reduced(cp, name: str, a, *, axis: Axis, dtype, keepdims: bool) -> Any:
    """CuPy's reduction by this name, of which some do not take `dtype=None`."""
    run = partial(total, cp) if name == "sum" else getattr(cp, name)
    options = {} if dtype is None else {"dtype": dtype}
    return run(a, axis=axis, keepdims=keepdims, **options)


def reductions(cp, xp) -> dict[str, Function]:
    """The reductions by name, for CuPy, and the completed one."""
    made = {
        name: reduction(name, partial(reduced, cp, name), xp)
        for name in ("sum", "prod", "max", "min")
    }
    mean = averaging(made["sum"], partial(reduced, cp, "mean"), xp)
    return made | {"mean": mean, "amax": made["max"], "amin": made["min"]}


# --- Entry by entry ---


def power(cp, x1, x2, **options) -> Any:
    """x1**x2; squares by a product, as CuPy's operator and unlike its function, which calls `pow`."""
    if (
        type(x2) in (int, float)
        and x2 == 2
        and not options
        and getattr(x1, "dtype", np.dtype(int)).kind in "fc"
    ):
        return cp.square(x1)
    return cp.power(x1, x2, **options)


# --- Order ---


def comparison(name: str) -> Any:
    """A comparison, where a number of NumPy's on the left arrives as an array without axes
    (numpy/numpy#12142).
    """

    def compare(cp, x1, x2, **options):
        return getattr(cp, name)(number_or_array(x1), number_or_array(x2), **options)

    compare.__name__ = name
    return compare


def number_or_array(x) -> Any:
    """The number in an array of NumPy's without axes; anything else as it is."""
    return x.item() if type(x) is np.ndarray and not x.ndim else x


def sort(cp, a, axis: int | None = -1, *, stable: bool | None = None, **options) -> Any:
    """Sorted; CuPy's sort is always stable."""
    return cp.sort(a, axis, **options)


def argsort(cp, a, axis: int | None = -1, *, stable: bool | None = None, **options) -> Any:
    """The positions that sort; CuPy's are always those of a stable sort."""
    return cp.argsort(a, axis, **options)


# --- Shapes ---


def take(cp, a, indices, axis: int | None = None, *, mode: str = "raise") -> Any:
    """Entries at indices; where NumPy raises for one out of range, CuPy wraps: a check would wait
    for the device.
    """
    length = a.size if axis is None else a.shape[axis]
    return cp.take(a, cp.clip(indices, 0, length - 1) if mode == "clip" else indices, axis=axis)


def take_along_axis(cp, arr, indices, axis: int | None = -1) -> Any:
    """Entries at the same positions of each line."""
    return cp.take_along_axis(arr, indices, axis)


def unravel_index(cp, indices, shape, order: str = "C") -> Any:
    """Flat positions by axis; CuPy calls the shape `dims`."""
    return cp.unravel_index(indices, shape, order)


# --- Linear algebra ---


def svdvals(cp, x) -> Any:
    """The singular values."""
    return cp.linalg.svd(x, compute_uv=False)


def cholesky(cp, a, *, upper: bool = False) -> Any:
    """The Cholesky factor, lower or upper."""
    factor = cp.linalg.cholesky(a)
    return cp.conj(cp.swapaxes(factor, -1, -2)) if upper else factor


def solve(cp, a, b) -> Any:
    """The solutions of linear systems; CuPy's own wants as many matrices as right-hand sides."""
    if b.ndim > 1 and a.shape[:-2] != b.shape[:-2]:
        stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a, b = (cp.broadcast_to(x, (*stack, *x.shape[-2:])) for x in (a, b))
    return cp.linalg.solve(a, b)


def named_parts(name: str, names: Function) -> Any:
    """A decomposition whose parts have the names that NumPy's have."""

    def decomposed(cp, a, *args, **options) -> Any:
        found = getattr(cp.linalg, name)(a, *args, **options)
        return names(*found) if isinstance(found, tuple) else found

    decomposed.__name__ = name
    return decomposed


MAIN = (
    *map(comparison, ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")),
    *(sort, argsort),
    *map(like, ("empty_like", "zeros_like", "ones_like", "full_like")),
    *(broadcast_to, expand_dims, reshape, stack, where),
    *(unravel_index, take, take_along_axis, linspace, pad),
    *(power, compress, extract, repeat, delete),
)
LINALG = (
    *(svdvals, cholesky, solve),
    *(named_parts("eig", EigResult), named_parts("eigh", EighResult), named_parts("qr", QRResult)),
    *(named_parts("slogdet", SlogdetResult), named_parts("svd", SVDResult)),
)
