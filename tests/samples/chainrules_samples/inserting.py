"""Samples of `insert`."""

import numpy as np

from chainrules_py.testing.samples import DOUBLE, Draw, Sample, Samples, samples_for


@samples_for(np.insert, dtypes=DOUBLE)
def insert_samples(draw: Draw) -> Samples:
    """At one place, at several, at slices and masks; values broadcast in both of NumPy's ways."""
    yield Sample(draw.any(2, 3), 2, 2.5)
    yield Sample(draw.any(4), np.array([3, 1, 1]), draw.real(3), name="4,places")
    yield Sample(draw.any(4), np.array([True, False, True, False]), draw.real(2), name="4,mask")
    yield Sample(draw.any(4), slice(0, 4, 2), draw.real(2), name="4,slice")
    for obj, shape, axis in (
        (1, (1, 2), 1),
        ([1], (2, 2), 1),
        ([0, 2], (2, 2), -1),
        (-1, (3,), 0),
    ):
        yield Sample(draw.any(2, 3), obj, draw.real(*shape), options={"axis": axis})
    yield Sample(draw.any(3), np.array([], int), np.zeros(0), name="3,nothing")
    yield Sample(draw.any(3), 7, 2.5, error=IndexError)
