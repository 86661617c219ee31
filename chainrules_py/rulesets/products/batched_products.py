"""Products of many examples at once, with as few calls of the product as there can be."""

from collections.abc import Sequence
from string import ascii_letters
from typing import Any

import numpy as np

from chainrules_py import Array, axes_rule, batched
from chainrules_py.annotations import Options
from chainrules_py.batching.along_axes import from_the_end
from chainrules_py.batching.cores import Contracts
from chainrules_py.batching.lanes import Lanes, behind_lanes, has_known_numbers
from chainrules_py.batching.words import in_a_loop
from chainrules_py.rulesets.products.convolution import initial
from chainrules_py.rulesets.products.einsum import read_subscripts
from chainrules_py.values.arrays import shape_of

SMALL = 16  # entries of a matrix

# --- The letters of each, as einsum writes them ---


def matmul_letters(a: Sequence[int], b: Sequence[int], **options) -> str:
    """The subscripts of `matmul`; a vector has no row on the left, and no column on the right."""
    stack = ascii_letters[: max(len(a), len(b), 2) - 2]
    left = "K" if len(a) == 1 else "XK"
    right = "K" if len(b) == 1 else "KY"
    of_a, of_b = stack_of(stack, len(a) - 2), stack_of(stack, len(b) - 2)
    return f"{of_a}{left},{of_b}{right}->{stack}{left[:-1]}{right[1:]}"


def stack_of(letters: str, rank: int) -> str:
    """The last letters of a stack, as many as there are axes."""
    return letters[len(letters) - rank :] if rank > 0 else ""


def vecdot_letters(a: Sequence[int], b: Sequence[int], *, axis: int = -1, **options) -> str:
    """The subscripts of `vecdot`, which sums over an axis of each, and broadcasts the others."""
    rank = max(len(a), len(b)) - 1
    stack = ascii_letters[:rank]
    terms = []
    for shape in (a, b):
        own = list(stack_of(stack, len(shape) - 1))
        own.insert(axis % len(shape), "K")
        terms.append("".join(own))
    return f"{','.join(terms)}->{stack}"


# --- Matrices and vectors ---

axes_rule(np.matvec, kind="stacked", core=(2, 1), result=1)
axes_rule(np.vecmat, kind="stacked", core=(1, 2), result=1)


@batched.register(np.matmul, axes=Contracts(matmul_letters))
def matmul_batched(lanes: Lanes, a: Array, b: Array, *, xp, **options) -> Any:
    """Products with a constant matrix are one product of matrices, where that needs no copy."""
    a_rank, b_rank = a.ndim - (lanes[0] is True), b.ndim - (lanes[1] is True)
    if lanes[1] is not True and b_rank < 3 and a_rank < 3:
        return times_constant(a, b, a_rank, xp, options)
    if lanes[1] is not True and a_rank == 2 and b_rank == 3 and is_small(a, b) and not options:
        return times_constant_stack(a, b, xp)
    if lanes[0] is not True and b_rank == 1 and a_rank < 3:
        # (n, k) @ (k, m): one product, where a @ (n, k, 1) would be one for each lane
        return xp.matmul(b, a.T, **options)
    rank = max(a_rank, b_rank, 2)
    if a_rank == 1:
        a = a[..., None, :]
    if b_rank == 1:
        b = b[..., None]
    a = behind_lanes(a, rank) if lanes[0] is True else a
    b = behind_lanes(b, rank) if lanes[1] is True else b
    y = xp.matmul(a, b, **options)
    if a_rank == 1:
        y = y[..., 0, :]
    if b_rank == 1:
        y = y[..., 0]
    return y


def times_constant(a, b, rank: int, xp, options: Options) -> Any:
    """Vectors or matrices in lanes times a constant: the rows of all lanes are one matrix."""
    if rank < 1 or b.ndim < 1:
        raise ValueError("matmul: an operand is a number; write numpy.multiply for it")
    if rank == 1 or b.ndim == 1:
        return xp.matmul(a, b, **options)
    rows = a.reshape((a.shape[0] * a.shape[1], a.shape[2]))
    return xp.matmul(rows, b, **options).reshape((*a.shape[:2], b.shape[1]))


def is_small(a, b) -> bool:
    """Whether matrices are so small that NumPy's loop over them takes longer than the products."""
    sizes: list[int] = [x.shape[1] * x.shape[2] for x in (a, b)]
    return max(sizes) <= SMALL


def times_constant_stack(a, b, xp) -> Any:
    """A small matrix in each lane times a constant stack of such: one product of two matrices.

    A quarter of the time of 18,000 products of 3 x 3.
    """
    (count, height, _), (stack, depth, width) = a.shape, b.shape
    rows = a.reshape((count * height, a.shape[2]))
    columns = xp.moveaxis(b, 0, 1).reshape((depth, stack * width))
    found = xp.matmul(rows, columns).reshape((count, height, stack, width))
    return xp.moveaxis(found, 2, 1).copy()


@batched.register(np.vecdot, axes=Contracts(vecdot_letters))
def vecdot_batched(lanes: Lanes, x1: Array, x2: Array, *, axis: int = -1, xp, **options):
    """Products of vectors along an axis, which counts in the array of more axes."""
    first, second = len(shape_of(x1)) - bool(lanes[0]), len(shape_of(x2)) - bool(lanes[1])
    x1 = xp.moveaxis(x1, from_the_end(axis, first), -1)
    x2 = xp.moveaxis(x2, from_the_end(axis, second), -1)
    rank = max(first, second)
    x1 = behind_lanes(x1, rank) if lanes[0] else x1
    x2 = behind_lanes(x2, rank) if lanes[1] else x2
    return xp.vecdot(x1, x2, **options)


# --- Contractions ---


def einsum_letters(*shapes, **options) -> str:
    """The subscripts of a call of `einsum`, whose first argument they are."""
    subscripts, *operands = shapes
    read = read_subscripts(subscripts, list(map(len, operands)))
    return f"{','.join(read.inputs)}->{read.output}"


@batched.register(np.einsum, axes=Contracts(einsum_letters))
def einsum_batched(lanes: Lanes, subscripts: str, *operands: object, xp, **options) -> Any:
    """Give the lanes a letter of their own."""
    ranks = [
        len(shape_of(operand)) - bool(lane)
        for lane, operand in zip(lanes[1:], operands, strict=True)
    ]
    read = read_subscripts(subscripts, ranks)
    used = "".join(read.inputs) + subscripts
    free = next((letter for letter in ascii_letters if letter not in used), None)
    if free is None or any(type(lane) is tuple for lane in lanes):
        return in_a_loop(xp.einsum, lanes)(subscripts, *operands, **options)
    terms = [
        free + term if lane else term for lane, term in zip(lanes[1:], read.inputs, strict=True)
    ]
    return xp.einsum(f"{','.join(terms)}->{free}{read.output}", *operands, **options)


# --- Sequences ---


@batched.register(np.convolve)
def convolve_batched(lanes: Lanes, a: Array, v: Array, *, mode: str | int = "full", xp) -> Any:
    """Products of windows of the longer sequence with the other one, reversed."""
    a, v = as_vectors(lanes, a, v)
    if lengths(lanes, a, v)[0] < lengths(lanes, a, v)[1]:
        return convolve_batched((lanes[1], lanes[0]), v, a, mode=mode, xp=xp)
    if not is_finite(v, xp):  # the zeros behind the ends are no factors
        return in_a_loop(xp.convolve, lanes)(a, v, mode=mode)
    return windows_times(lanes, a, xp.flip(v, axis=-1), mode, xp)


@batched.register(np.correlate)
def correlate_batched(lanes: Lanes, a: Array, v: Array, *, mode: str | int = "valid", xp):
    """Products of windows of the longer sequence with the other one, conjugated."""
    a, v = as_vectors(lanes, a, v)
    first, second = lengths(lanes, a, v)
    if not is_finite(v if first >= second else a, xp):
        return in_a_loop(xp.correlate, lanes)(a, v, mode=mode)
    if first >= second:
        return windows_times(lanes, a, xp.conj(v), mode, xp)
    y = windows_times((lanes[1], lanes[0]), xp.conj(v), a, mode, xp)
    return xp.copy(xp.flip(y, axis=-1))


def as_vectors(lanes: Lanes, *operands) -> list[Any]:
    """Two sequences; a number, in each lane or in all of them, is a sequence of one entry."""
    pairs = zip(lanes, operands, strict=True)
    return [x if np.ndim(x) > bool(lane) else with_an_axis(x) for lane, x in pairs]


def with_an_axis(x) -> Any:
    """Numbers with an axis of length one behind the lanes."""
    return x[..., None] if hasattr(x, "ndim") else np.asarray(x)[None]


def lengths(lanes: Lanes, a, v) -> tuple[int, int]:
    """The lengths of two sequences, which are not empty."""
    for lane, x in zip(lanes, (a, v), strict=True):
        if x.ndim - bool(lane) > 1:
            raise ValueError("object too deep for desired array")
        if x.shape[-1] == 0:
            raise ValueError("a sequence cannot be empty")
    return a.shape[-1], v.shape[-1]


def windows_times(lanes: Lanes, a, v, mode: str | int, xp) -> Any:
    """Windows of `a` of the length of `v`, times `v`; at the borders they have zeros in them."""
    short = v.shape[-1]
    borders = {
        "f": (short - 1, short - 1),
        "s": (short // 2, short - 1 - short // 2),
        "v": (0, 0),
    }
    before, after = borders[initial(mode)]
    widths = [*[(0, 0)] * (a.ndim - 1), (before, after)]
    windows = xp.lib.stride_tricks.sliding_window_view(xp.pad(a, widths), short, axis=-1)
    return each_times(lanes, windows, v, xp)


def is_finite(v, xp) -> bool:
    """Whether it is known that all entries of an array are finite."""
    return bool(has_known_numbers(v) and xp.isfinite(v).all())


def each_times(lanes: Lanes, windows, v, xp) -> Any:
    """Each window times a sequence, in each lane."""
    if lanes == (False, True):
        return xp.matmul(v, windows.T)
    return xp.matmul(windows, v) if not lanes[1] else xp.matmul(windows, v[..., None])[..., 0]
