"""Samples of choosing among arrays."""

import numpy as np

from chainrules_py.testing.samples import DOUBLE, Draw, Sample, Samples, samples_for


@samples_for(np.choose, dtypes=DOUBLE)
def choose_samples(draw: Draw) -> Samples:
    """Lists and arrays of choices, broadcast, out of range."""
    yield Sample(np.array([0, 1, 1]), [draw.any(3), draw.any(2, 3)], name="list")
    yield Sample(np.array([[0], [1]]), draw.any(2, 3), name="array")
    for mode in ("wrap", "clip"):
        yield Sample(
            np.array([0, 4, -1]),
            (draw.any(3), draw.any(1)),
            options={"mode": mode},
        )
    yield Sample(np.array([0, 5]), [draw.any(2), draw.any(2)], error=ValueError)


@samples_for(np.select, dtypes=DOUBLE)
def select_samples(draw: Draw) -> Samples:
    """Conditions that overlap and leave gaps; with and without a default."""
    conditions = [np.array([True, True, False, False]), np.array([True, False, True, False])]
    yield Sample(conditions, (draw.any(2, 1), 2.5), draw.any(4), name="default")
    yield Sample(conditions, [draw.any(4), draw.any(4)], 1.5, name="number")
    yield Sample([[True, False], [True, True]], [draw.any(2), draw.any(2)], name="lists")
    yield Sample(conditions, [draw.any(4)], error=ValueError)
