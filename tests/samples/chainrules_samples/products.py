"""Samples of products: of pairs of shapes, and each one's options."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.testing.samples import DOUBLE, Draw, Sample, Samples, samples_for

Pairs = list[tuple[tuple[int, ...], tuple[int, ...]]]
PAIRS: dict[Callable[..., Any], Pairs] = {  # shapes of both factors
    np.matmul: [
        *(((2, 3), (3, 4)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((1, 2), (2, 1))),
        *(((5, 2, 3), (3, 2)), ((2, 3), (5, 3, 2))),
        *(((5, 1, 2, 3), (4, 3, 2)), ((3,), (2, 3, 2)), ((2, 2, 3), (3,))),
    ],
    np.matvec: [((2, 3), (3,)), ((2, 1, 4, 3), (5, 3)), ((4, 3), (2, 3)), ((0, 3), (3,))],
    np.vecmat: [((2,), (2, 3)), ((5, 4), (2, 1, 4, 3)), ((2, 4), (4, 3)), ((3,), (3, 0))],
    np.vecdot: [((3,), (3,)), ((2, 3), (3,)), ((2, 1, 3), (4, 3)), ((0, 3), (3,))],
    np.vdot: [((3,), (3,)), ((2, 3), (3, 2)), ((), ()), ((0,), (0,))],
    np.outer: [((2,), (3,)), ((2, 2), (1, 3)), ((), (2,)), ((0,), (2,))],
    np.kron: [((2, 3), (3, 2)), ((2, 2), (3,)), ((3,), (2, 1, 2)), ((2,), ()), ((), (2,))],
    np.cross: [((3,), (3,)), ((2, 3), (3,)), ((2, 1, 3), (4, 3))],
    np.dot: [
        *(((2, 3), (3, 4)), ((3,), (3,)), ((3,), (2, 3, 2))),
        *(((2, 2, 3), (3,)), ((2, 2, 3), (2, 3, 2))),
        *(((), (3,)), ((2,), ()), ((), ())),
    ],
    np.inner: [
        ((2, 3), (4, 3)),
        ((3,), (3,)),
        ((3,), (2, 2, 3)),
        ((2, 2, 3), (3,)),
        ((), (3,)),
        ((2,), ()),
        ((), (2, 3)),
        ((2, 3), ()),
        ((), ()),
    ],
}


@samples_for(*PAIRS, dtypes=DOUBLE)
def pair_samples(draw: Draw, primal: Callable[..., Any]) -> Samples:
    """Numbers, vectors, matrices and stacks, in every combination; batches broadcast."""
    for one, other in PAIRS[primal]:
        yield Sample(draw.any(*one), draw.any(*other))


@samples_for(np.matmul, np.dot, dtypes=DOUBLE)
def matrix_product_samples(draw: Draw) -> Samples:
    """Nothing to sum over; integers."""
    yield Sample(draw.any(2, 0), draw.any(0, 3))
    yield Sample(draw.any(2, 3), draw.integers(0, 3, 3, 2), name="integers")


@samples_for(np.dot, np.inner, np.outer, dtypes=DOUBLE)
def number_samples(draw: Draw) -> Samples:
    """A number for a factor."""
    yield Sample(draw.any(2), 2.5)
    yield Sample(2.5, draw.any(2))


@samples_for(np.vecdot, dtypes=DOUBLE)
def vecdot_samples(draw: Draw) -> Samples:
    """Along another axis, which in factors of different ranks is not the same from either end."""
    yield Sample(draw.any(3, 2), draw.any(4, 3, 1), options={"axis": -2})
    yield Sample(draw.any(3, 2), draw.any(3, 3, 2), options={"axis": 0})


@samples_for(np.cross, dtypes=DOUBLE)
def cross_samples(draw: Draw) -> Samples:
    """Any axes."""
    options = {"axisa": 0, "axisb": 1, "axisc": 0}
    yield Sample(draw.any(3, 2), draw.any(2, 3), options=options)
    yield Sample(draw.any(3, 2), draw.any(3, 2), options={"axis": 0})
    yield Sample(draw.any(4), draw.any(4), error=ValueError)
