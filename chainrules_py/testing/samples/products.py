"""Samples of products."""

from collections.abc import Iterator

import numpy as np

from chainrules_py.testing.samples.draw import Draw
from chainrules_py.testing.samples.table import Sample, Tag, samples_for

DTYPES = ("float64", "complex128")
Pairs = list[tuple[tuple[int, ...], tuple[int, ...]]]
VECTORS_AND_MATRICES: Pairs = [((2, 3), (3, 4)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((1, 2), (2, 1))]
STACKS: Pairs = [
    *(((5, 2, 3), (3, 2)), ((2, 3), (5, 3, 2)), ((5, 1, 2, 3), (4, 3, 2))),
    *(((3,), (2, 3, 2)), ((2, 2, 3), (3,))),
]


@samples_for(np.matmul, dtypes=DTYPES)
def matmul_samples(draw: Draw) -> Iterator[Sample]:
    """Every combination of vector, matrix and stack, batches broadcast both ways."""
    for one, other in VECTORS_AND_MATRICES:
        yield Sample(draw.any(*one), draw.any(*other))
    for one, other in STACKS:
        yield Sample(draw.any(*one), draw.any(*other), tags=[Tag.BROADCAST])
    yield Sample(draw.any(2, 0), draw.any(0, 3), tags=[Tag.EMPTY])
    yield Sample(draw.any(2, 3), draw.integers(0, 3, 3, 2), name="integers")
    yield Sample(draw.any(2, 3), draw.any(2, 3), error=ValueError)


@samples_for(np.matvec, dtypes=DTYPES)
def matvec_samples(draw: Draw) -> Iterator[Sample]:
    """One of each, stacks broadcast both ways."""
    for one, other in (((2, 3), (3,)), ((2, 1, 4, 3), (5, 3)), ((4, 3), (2, 3)), ((0, 3), (3,))):
        yield Sample(draw.any(*one), draw.any(*other), tags=[Tag.BROADCAST])


@samples_for(np.vecmat, dtypes=DTYPES)
def vecmat_samples(draw: Draw) -> Iterator[Sample]:
    """One of each, stacks broadcast both ways."""
    for one, other in (((2,), (2, 3)), ((5, 4), (2, 1, 4, 3)), ((2, 4), (4, 3)), ((3,), (3, 0))):
        yield Sample(draw.any(*one), draw.any(*other), tags=[Tag.BROADCAST])


@samples_for(np.vecdot, dtypes=DTYPES)
def vecdot_samples(draw: Draw) -> Iterator[Sample]:
    """Vectors, stacks broadcast both ways, along another axis."""
    for one, other in (((3,), (3,)), ((2, 3), (3,)), ((2, 1, 3), (4, 3)), ((0, 3), (3,))):
        yield Sample(draw.any(*one), draw.any(*other), tags=[Tag.BROADCAST])
    yield Sample(draw.any(3, 2), draw.any(4, 3, 1), options={"axis": -2}, tags=[Tag.OPTIONS])


@samples_for(np.vdot, dtypes=DTYPES)
def vdot_samples(draw: Draw) -> Iterator[Sample]:
    """Any shapes with as many entries."""
    for one, other in (((3,), (3,)), ((2, 3), (3, 2)), ((), ()), ((0,), (0,))):
        yield Sample(draw.any(*one), draw.any(*other))


@samples_for(np.outer, dtypes=DTYPES)
def outer_samples(draw: Draw) -> Iterator[Sample]:
    """Any shapes, numbers, nothing."""
    for one, other in (((2,), (3,)), ((2, 2), (1, 3)), ((), (2,)), ((0,), (2,))):
        yield Sample(draw.any(*one), draw.any(*other))
    yield Sample(draw.any(2), 2.5)


@samples_for(np.kron, dtypes=DTYPES)
def kron_samples(draw: Draw) -> Iterator[Sample]:
    """As many axes, fewer on either side, numbers."""
    for one, other in (((2, 3), (3, 2)), ((2, 2), (3,)), ((3,), (2, 1, 2)), ((2,), ()), ((), (2,))):
        yield Sample(draw.any(*one), draw.any(*other))


@samples_for(np.cross, dtypes=DTYPES)
def cross_samples(draw: Draw) -> Iterator[Sample]:
    """Vectors, stacks broadcast both ways, any axes."""
    for one, other in (((3,), (3,)), ((2, 3), (3,)), ((2, 1, 3), (4, 3))):
        yield Sample(draw.any(*one), draw.any(*other), tags=[Tag.BROADCAST])
    options = {"axisa": 0, "axisb": 1, "axisc": 0}
    yield Sample(draw.any(3, 2), draw.any(2, 3), options=options, tags=[Tag.OPTIONS])
    yield Sample(draw.any(3, 2), draw.any(3, 2), options={"axis": 0}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(4), draw.any(4), error=ValueError)
