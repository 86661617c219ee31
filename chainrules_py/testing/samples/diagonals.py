"""Samples of diagonals and triangles."""

import numpy as np

from chainrules_py.testing.samples.table import DOUBLE, Draw, Sample, Samples, Tag, samples_for


@samples_for(np.tril, np.triu, dtypes=DOUBLE)
def triangle_samples(draw: Draw) -> Samples:
    """Square and not, stacks, vectors, other diagonals."""
    for shape in ((3, 3), (2, 3), (2, 2, 3), (3,), (0, 2)):
        yield Sample(draw.any(*shape))
    for k in (1, -1, 5):
        yield Sample(draw.any(3, 2), options={"k": k}, tags=[Tag.OPTIONS])


@samples_for(np.diagonal, np.trace, dtypes=DOUBLE)
def diagonal_samples(draw: Draw) -> Samples:
    """Any two axes, any diagonal, one that lies outside."""
    yield Sample(draw.any(2, 3))
    for offset in (1, -1, 7):
        yield Sample(draw.any(2, 3), options={"offset": offset}, tags=[Tag.OPTIONS])
    for axis1, axis2 in ((0, 2), (2, 0), (-1, 1)):
        yield Sample(draw.any(2, 3, 4), options={"axis1": axis1, "axis2": axis2, "offset": 1}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(0, 2), tags=[Tag.EMPTY])
    yield Sample(draw.any(3), error=ValueError)


@samples_for(np.trace)
def trace_samples(draw: Draw) -> Samples:
    """In another dtype."""
    yield Sample(draw.any(2, 2), options={"dtype": np.dtype("complex128")}, tags=[Tag.OPTIONS])


@samples_for(np.diag, dtypes=DOUBLE)
def diag_samples(draw: Draw) -> Samples:
    """Vectors to matrices and back."""
    for shape in ((3,), (2, 3), (3, 2), (0,)):
        for k in (0, 1, -2):
            yield Sample(draw.any(*shape), options={"k": k}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(2, 2, 2), error=ValueError)


@samples_for(np.diagflat, dtypes=DOUBLE)
def diagflat_samples(draw: Draw) -> Samples:
    """Any shape, any diagonal."""
    yield Sample(draw.any(2, 2))
    yield Sample(draw.any(3), options={"k": -1}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(), tags=[Tag.ZERO_D])


@samples_for(np.vander, dtypes=DOUBLE)
def vander_samples(draw: Draw) -> Samples:
    """Square and not, both orders, at 0."""
    yield Sample(draw.any(3))
    for count in (0, 1, 4):
        yield Sample(draw.any(3), options={"N": count, "increasing": True}, tags=[Tag.OPTIONS])
    yield Sample(np.zeros(2, draw.dtype), options={"N": 3}, name="zeros")
    yield Sample(draw.any(2, 2), error=ValueError)
