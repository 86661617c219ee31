"""Samples of contractions."""

from collections.abc import Iterator

import numpy as np

from chainrules_py.testing.samples.draw import Draw
from chainrules_py.testing.samples.table import Sample, Tag, samples_for

DTYPES = ("float64", "complex128")


@samples_for(np.tensordot, dtypes=DTYPES)
def tensordot_samples(draw: Draw) -> Iterator[Sample]:
    """Counted and listed axes, out of order, negative, none; numbers."""
    yield Sample(draw.any(2, 3, 4), draw.any(3, 4, 2))
    for a, b in ((draw.any(2, 3), 2.5), (2.5, draw.any(2, 3)), (1.5, 2.5)):
        yield Sample(a, b, options={"axes": 0}, tags=[Tag.OPTIONS])
    for one, other, axes in (
        ((2, 3, 4), (4, 3, 2), ([0, 2], [2, 0])),
        ((2, 3), (4, 2, 3), ((1, 0), (-1, -2))),
        ((2, 3), (3, 2), (1, 0)),
        ((2, 3), (3, 2), 1),
        ((2,), (3,), 0),
        ((2, 3), (2, 3), 2),
    ):
        yield Sample(draw.any(*one), draw.any(*other), options={"axes": axes}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(2, 0), draw.any(0, 3), options={"axes": 1}, tags=[Tag.EMPTY])
    yield Sample(draw.any(2, 3), draw.any(2, 3), options={"axes": 1}, error=ValueError)


@samples_for(np.dot, dtypes=DTYPES)
def dot_samples(draw: Draw) -> Iterator[Sample]:
    """Numbers, vectors, matrices and stacks, in every combination that `dot` knows."""
    shapes = (
        ((2, 3), (3, 4)),
        ((3,), (3,)),
        ((3,), (2, 3, 2)),
        ((2, 2, 3), (3,)),
        ((2, 2, 3), (2, 3, 2)),
        ((), (3,)),
        ((2,), ()),
    )
    for one, other in (*shapes, ((), ())):
        yield Sample(draw.any(*one), draw.any(*other))
    yield Sample(2.5, draw.any(2))
    yield Sample(draw.any(2, 0), draw.any(0, 3), tags=[Tag.EMPTY])
    yield Sample(draw.any(2), draw.any(3), error=ValueError)


@samples_for(np.inner, dtypes=DTYPES)
def inner_samples(draw: Draw) -> Iterator[Sample]:
    """Numbers, vectors, matrices and stacks."""
    for one, other in (((2, 3), (4, 3)), ((3,), (3,)), ((3,), (2, 2, 3)), ((2, 2, 3), (3,)), ((), (3,)), ((2,), ()), ((), ())):
        yield Sample(draw.any(*one), draw.any(*other))
    yield Sample(draw.any(2), 2.5)
