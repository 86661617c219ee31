"""Samples of set operations."""

import numpy as np

from chainrules_py.testing.samples import Draw, Sample, Samples, Tag, samples_for


@samples_for(np.union1d, np.setxor1d, np.setdiff1d)
def set_samples(draw: Draw, primal) -> Samples:
    """Values that do not meet; values that do, within and between the arguments."""
    one, other = (
        np.array([[1.0, 7.0], [5.0, 3.0]], draw.dtype),
        np.array([6.0, 2.0, 4.0], draw.dtype),
    )
    yield Sample(one, other)
    yield Sample(one, other[:0])
    if primal is not np.union1d:
        yield Sample(one.ravel(), other, options={"assume_unique": True})
    if primal is np.union1d:
        yield Sample(
            np.array([1.0, 2.0, 2.0], draw.dtype),
            np.array([2.0, 3.0], draw.dtype),
            tags=[Tag.TIE],
            second_order=False,
        )


@samples_for(np.intersect1d)
def intersect1d_samples(draw: Draw) -> Samples:
    """Common entries are ties, and their number changes: only conventions are tested."""
    yield Sample(
        np.array([1.0, 2.0, 3.0], draw.dtype),
        np.array([3.0, 2.0], draw.dtype),
        tags=[Tag.TIE],
        second_order=False,
    )
    yield Sample(np.array([1.0, 3.0], draw.dtype), np.array([2.0, 4.0], draw.dtype))
    yield Sample(
        np.array([1.0, 3.0], draw.dtype),
        np.array([2.0], draw.dtype),
        options={"assume_unique": True},
    )
