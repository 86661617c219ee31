"""Samples of numpy.linalg: inverses, solvers, determinants, norms, powers and products."""

from typing import Any

import numpy as np

from chainrules_py.rulesets.linalg.adjugates import adjugate
from chainrules_py.testing.samples import (
    REAL,
    REAL_AND_COMPLEX,
    Draw,
    Sample,
    Samples,
    Tag,
    samples_for,
)

Shape = tuple[int, ...]
Factors = list[tuple[Shape, ...]]

SQUARE_STACKS: list[Shape] = [(3, 3), (2, 3, 2, 2), (1, 1)]
EMPTY_STACKS: list[Shape] = [(0, 2, 2), (2, 0, 0)]


@samples_for(np.linalg.inv, np.linalg.det, np.linalg.slogdet, dtypes=REAL_AND_COMPLEX)
def square_samples(draw: Draw) -> Samples:
    """Well-conditioned matrices, alone and in stacks; empty ones."""
    for shape in SQUARE_STACKS:
        yield Sample(draw.well_conditioned(*shape))
    for shape in EMPTY_STACKS:
        yield Sample(draw.any(*shape))


@samples_for(np.linalg.det, dtypes=REAL_AND_COMPLEX)
def singular_det_samples(draw: Draw) -> Samples:
    """Matrices of rank n - 1, n - 2 and 0: determinants are polynomials.

    They stand alone, next to a regular matrix, and are singular but for rounding.
    """
    for rank in (2, 1, 0):
        stack = np.stack(
            [np.diag([2.0, 3.0, 0.0][:rank] + [0.0] * (3 - rank)), draw.well_conditioned(3, 3)]
        )
        yield Sample(np.asarray(stack, draw.dtype), name=f"2x3x3-rank{rank}")
        yield Sample(draw.any(3, rank) @ draw.any(rank, 3), name=f"3x3-rank{rank}-up-to-roundoff")


@samples_for(adjugate, dtypes=REAL_AND_COMPLEX)
def adjugate_samples(draw: Draw) -> Samples:
    """Matrices of every rank, and no matrix, along one direction and two."""
    yield Sample(draw.well_conditioned(3, 3))
    yield Sample(draw.well_conditioned(2, 2, 2), draw.any(2, 2, 2))
    for rank in (2, 1, 0):
        a = np.asarray(np.diag([2.0, 3.0, 0.0][:rank] + [0.0] * (3 - rank)), draw.dtype)
        yield Sample(a, draw.any(3, 3), name=f"3x3-rank{rank}-direction")
    yield Sample(
        draw.any(4, 2) @ draw.any(2, 4), draw.any(4, 4), draw.any(4, 4), name="4x4-rank2-directions"
    )
    for shape in ((0, 0), (0, 2, 2)):
        yield Sample(draw.any(*shape), draw.any(*shape))


@samples_for(np.linalg.matrix_power, dtypes=REAL_AND_COMPLEX)
def matrix_power_samples(draw: Draw) -> Samples:
    """Every way through repeated squaring, and through the inverse."""
    for n in (0, 1, 6, -3):
        yield Sample(draw.well_conditioned(2, 2), options={"n": n})
    yield Sample(draw.well_conditioned(2, 3, 3), options={"n": 2})
    yield Sample(draw.any(0, 0), options={"n": 3})


CHAINS: Factors = [
    *(((2, 3), (3, 4)), ((2, 2), (2, 3), (3, 2), (2, 2))),
    *(((3,), (3, 2), (2, 2)), ((3,), (3, 2), (2,))),
]


@samples_for(np.linalg.multi_dot, dtypes=REAL_AND_COMPLEX)
def multi_dot_samples(draw: Draw) -> Samples:
    """Two to four factors, vectors at either end or at both."""
    for factors in CHAINS:
        yield Sample(
            [draw.any(*shape) for shape in factors],
            name="@".join(map(str, factors)).replace(" ", ""),
        )
    yield Sample((draw.any(2, 0), draw.any(0, 3)))


@samples_for(np.linalg.pinv, dtypes=REAL_AND_COMPLEX)
def pinv_samples(draw: Draw) -> Samples:
    """Tall, wide, square and batched matrices of full rank; every tolerance; a Hermitian one."""
    for shape in ((4, 2), (2, 3)):
        yield Sample(draw.any(*shape))
    yield Sample(draw.any(2, 3, 2))
    for option in ({"rtol": 1e-9}, {"rtol": None}):
        yield Sample(draw.well_conditioned(2, 2), options=option)
    for rows, columns in ((5, 3), (3, 4)):
        left, right = (np.linalg.qr(draw.any(n, n))[0][:, :3] for n in (rows, columns))
        values = np.array([2.0, 1.2, 0.3], np.real(left).dtype)
        yield Sample(
            (left * values) @ right.conj().T,
            options={"rcond": 0.4},
            second_order=False,
        )
    yield Sample(
        draw.positive_definite(3, 3),
        options={"hermitian": True},
        structures={0: "hermitian"},
    )
    yield Sample(draw.any(0, 2))


@samples_for(np.linalg.tensorinv, dtypes=REAL_AND_COMPLEX)
def tensorinv_samples(draw: Draw) -> Samples:
    """Square matrices folded in different places."""
    yield Sample(np.reshape(draw.well_conditioned(6, 6), (2, 3, 6, 1)))
    yield Sample(np.reshape(draw.well_conditioned(6, 6), (6, 3, 2)), options={"ind": 1})


SYSTEMS: Factors = [((3, 3), (3,)), ((3, 3), (3, 2))]
BROADCAST_SYSTEMS: Factors = [((2, 2, 2), (2,)), ((3, 1, 2, 2), (2, 2, 1))]


@samples_for(np.linalg.solve, dtypes=REAL_AND_COMPLEX)
def solve_samples(draw: Draw) -> Samples:
    """One vector, several columns, batches broadcast both ways, as NumPy 2 reads right-hand sides."""
    for a, b in SYSTEMS:
        yield Sample(draw.well_conditioned(*a), draw.any(*b))
    for a, b in BROADCAST_SYSTEMS:
        yield Sample(draw.well_conditioned(*a), draw.any(*b))
    yield Sample(draw.well_conditioned(2, 2), np.array([1, 2]), name="2x2,2-integer")
    yield Sample(draw.any(0, 0), draw.any(0, 2))


@samples_for(np.linalg.tensorsolve, dtypes=REAL_AND_COMPLEX)
def tensorsolve_samples(draw: Draw) -> Samples:
    """Equations and unknowns folded in different places; equations' axes last and first."""
    yield Sample(np.reshape(draw.well_conditioned(6, 6), (2, 3, 6)), draw.any(2, 3))
    a = np.transpose(np.reshape(draw.well_conditioned(6, 6), (2, 3, 3, 2)), (2, 0, 3, 1))
    yield Sample(a, draw.any(2, 3), options={"axes": (0, 2)})
    yield Sample(draw.any(2, 3, 5), draw.any(2, 3), error=np.linalg.LinAlgError)


@samples_for(np.linalg.lstsq, dtypes=REAL_AND_COMPLEX)
def lstsq_samples(draw: Draw) -> Samples:
    """More equations than unknowns, fewer, and as many; ranks that `rcond` makes."""
    for a, b in (((4, 2), (4,)), ((2, 3), (2, 2)), ((1, 1), (1,))):
        yield Sample(draw.any(*a), draw.any(*b))
    yield Sample(draw.well_conditioned(2, 2), draw.any(2), options={"rcond": -1})


@samples_for(np.linalg.matrix_rank)
def matrix_rank_samples(draw: Draw) -> Samples:
    """A number of dimensions does not move."""
    yield Sample(draw.well_conditioned(2, 3, 3))


VECTOR_ORDERS: tuple[Any, ...] = (1, 2, 3, 2.5, -1, 0, np.inf, -np.inf)
MATRIX_ORDERS: tuple[Any, ...] = ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)


@samples_for(np.linalg.norm, dtypes=REAL_AND_COMPLEX)
def norm_samples(draw: Draw) -> Samples:
    """Every order of vectors and matrices, and every form of axis."""
    for order in VECTOR_ORDERS:
        yield Sample(draw.distinct(2, 3), options={"ord": order, "axis": -1})
    for order in MATRIX_ORDERS:
        yield Sample(_with_distinct_extremes(draw), options={"ord": order})
    yield Sample(
        draw.any(2, 3, 2),
        options={"ord": "nuc", "axis": (2, 0), "keepdims": True},
    )
    for options in (
        {},
        {"axis": (0, 2)},
        {"axis": (1,), "keepdims": True},
        {"keepdims": True},
    ):
        yield Sample(draw.any(2, 3, 2), options=options)
    yield Sample(draw.any())
    yield Sample(-1.5)
    yield Sample(draw.any(0))


def _with_distinct_extremes(draw: Draw) -> Any:
    """Singular values and sums of rows and columns that no two of are close."""
    return np.asarray(np.diag([1.0, 2.0, 4.0])[:, :2] * 1.5 + draw.any(3, 2) / 8, draw.dtype)


@samples_for(np.linalg.norm, dtypes=REAL_AND_COMPLEX)
def norm_kink_samples(draw: Draw) -> Samples:
    """Zeros, and several largest or smallest entries, columns and singular values."""
    for order in (2, 1, 3, 0.5, np.inf, -np.inf):
        yield Sample(np.zeros(3, draw.dtype), options={"ord": order}, tags=[Tag.KINK])
    for order in (np.inf, -np.inf):
        yield Sample(np.asarray([1, -2, 2, 1], draw.dtype), options={"ord": order}, tags=[Tag.TIE])
    for order in (1, -1, np.inf, -np.inf, 2, -2):
        yield Sample(np.eye(3, dtype=draw.dtype), options={"ord": order}, tags=[Tag.TIE])
    for order in MATRIX_ORDERS:
        yield Sample(np.zeros((2, 3), draw.dtype), options={"ord": order}, tags=[Tag.KINK])


@samples_for(np.linalg.vector_norm, dtypes=REAL_AND_COMPLEX)
def vector_norm_samples(draw: Draw) -> Samples:
    """Any number of axes at once."""
    for options in (
        {},
        {"axis": -1},
        {"axis": (0, 2), "keepdims": True},
        {"axis": (0, 1, 2), "ord": 3},
        {"ord": np.inf},
    ):
        yield Sample(draw.distinct(2, 3, 2), options=options)
    yield Sample(np.zeros((2, 2), draw.dtype), tags=[Tag.KINK])
    yield Sample(draw.any())


@samples_for(np.linalg.matrix_norm, dtypes=REAL_AND_COMPLEX)
def matrix_norm_samples(draw: Draw) -> Samples:
    """Every order, in stacks."""
    for order in MATRIX_ORDERS:
        yield Sample(
            np.stack([_with_distinct_extremes(draw)] * 2),
            options={"ord": order},
        )
    yield Sample(draw.any(2, 2, 3), options={"keepdims": True})


@samples_for(np.linalg.cond, dtypes=REAL_AND_COMPLEX)
def cond_samples(draw: Draw) -> Samples:
    """Every order; matrices that are not square for the spectral ones; stacks."""
    for p in (None, 2, -2, "fro", "nuc", 1, -1, np.inf, -np.inf):
        yield Sample(_apart(draw), options={"p": p})
    yield Sample(_with_distinct_extremes(draw))
    yield Sample(np.stack([_apart(draw), _apart(draw)]), options={"p": 1})


def _apart(draw: Draw) -> Any:
    return np.asarray(np.diag([1.0, 2.5, 4.0]) + draw.any(3, 3) / 8, draw.dtype)


@samples_for(np.linalg.cond, dtypes=REAL)
def cond_kink_samples(draw: Draw) -> Samples:
    """The least condition number: all singular values are largest and smallest."""
    yield Sample(np.eye(2, dtype=draw.dtype), tags=[Tag.TIE])
