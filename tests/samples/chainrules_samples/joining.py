"""Samples of joining functions."""

from typing import Any

import numpy as np

from chainrules_py.testing.samples import DOUBLE, Draw, Sample, Samples, samples_for

CASTS: list[dict[str, Any]] = [{"dtype": "complex128"}, {"casting": "safe"}]


@samples_for(np.concatenate, dtypes=DOUBLE)
def concatenate_samples(draw: Draw) -> Samples:
    """Lists, tuples and arrays of arrays; along any axis, and flat; of different dtypes."""
    yield Sample([draw.any(2, 3), draw.any(1, 3), draw.any(0, 3)])
    for axis in (-1, None):
        yield Sample((draw.any(2, 3), draw.any(2, 3)), options={"axis": axis})
    yield Sample(draw.any(2, 3, 2), options={"axis": 1}, name="array")
    yield Sample([draw.any(2), draw.real(3), draw.integers(0, 3, 2)], name="mixed")
    for given in CASTS:
        yield Sample([draw.any(2), draw.any(1)], options=given)


@samples_for(np.stack, dtypes=DOUBLE)
def stack_samples(draw: Draw) -> Samples:
    """Any new axis; numbers; integers next to floats."""
    for axis in (0, -1):
        yield Sample([draw.any(2, 3), draw.any(2, 3)], options={"axis": axis})
    yield Sample((draw.any(), 2.5, draw.any()))
    yield Sample([draw.any(2), draw.integers(0, 3, 2)], name="mixed")
    yield Sample(draw.any(2, 3), options={"axis": 1}, name="array")
    for given in CASTS:
        yield Sample([draw.any(2), draw.any(2)], options=given)


@samples_for(np.hstack, np.vstack, np.dstack, np.column_stack, dtypes=DOUBLE)
def directed_stack_samples(draw: Draw, primal) -> Samples:
    """Vectors, matrices, stacks of them; numbers."""
    yield Sample([draw.any(2), draw.any(2)], name="vectors")
    yield Sample((draw.any(2, 2), draw.any(2, 2)), name="matrices")
    yield Sample([draw.any(), 2.5])
    yield Sample(draw.any(2, 2, 2), name="rows of an array")
    if primal in (np.vstack, np.column_stack):
        yield Sample([draw.any(2), draw.any(2, 2)], name="mixed")
    if primal in (np.vstack, np.hstack):
        for given in CASTS:
            yield Sample([draw.any(2), draw.any(2)], options=given)


@samples_for(np.append, dtypes=DOUBLE)
def append_samples(draw: Draw) -> Samples:
    """Flat, along an axis, a number."""
    yield Sample(draw.any(2, 3), draw.any(2))
    yield Sample(draw.any(2, 3), draw.any(2, 1), options={"axis": 1})
    yield Sample(draw.any(2), 2.5)
    yield Sample(draw.any(2), draw.any(0))


@samples_for(np.block, dtypes=DOUBLE)
def block_samples(draw: Draw) -> Samples:
    """Nested once, twice and not at all; numbers and vectors among matrices."""
    yield Sample([draw.any(2), draw.any(1), 2.5], name="row")
    yield Sample([[draw.any(2, 2), draw.any(2, 1)], [draw.any(1, 3)]], name="rows")
    yield Sample(draw.any(2), name="array")
