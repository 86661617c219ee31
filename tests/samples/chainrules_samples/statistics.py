"""Samples of variances and weighted averages."""

import numpy as np

from chainrules_py.testing.samples import (
    REAL_AND_COMPLEX,
    Draw,
    Sample,
    Samples,
    Tag,
    samples_for,
)
from chainrules_samples.reductions import reduced

SPREADS = (np.var, np.std, np.nanvar, np.nanstd)


@samples_for(*SPREADS, dtypes=REAL_AND_COMPLEX)
def spread_samples(draw: Draw) -> Samples:
    """Axes, degrees of freedom under both names, a mask, a mean that is given, another dtype."""
    mask = np.array([[True, False, True], [True, True, True]])
    for sample in reduced(draw.distinct):  # the roots of two near ones bend
        if Tag.ZERO_D not in sample.tags:
            yield sample
    yield Sample(draw.any(2, 3), options={"axis": 0, "correction": 0.5})
    yield Sample(draw.any(2, 3), options={"axis": 1, "where": mask, "ddof": 1})
    yield Sample(
        draw.any(2, 3),
        options={"dtype": "complex128" if draw.is_complex else "float64"},
    )
    x = draw.any(2, 3)
    yield Sample(x, options={"axis": 1, "mean": np.full((2, 1), 0.25, draw.dtype)})


@samples_for(np.std, np.nanstd, dtypes=REAL_AND_COMPLEX)
def constant_samples(draw: Draw) -> Samples:
    """No deviation at all."""
    yield Sample(np.full((2, 3), 2.0, draw.dtype), options={"axis": 1}, tags=[Tag.KINK])


@samples_for(np.nanvar, np.nanstd)
def nan_samples(draw: Draw) -> Samples:
    """With nan here and there."""
    x = draw.any(3, 4)
    x[0, 1] = x[2, 0] = np.nan
    yield Sample(x, options={"axis": 1}, tags=[Tag.DOMAIN], name="nans")


@samples_for(np.average, dtypes=REAL_AND_COMPLEX)
def average_samples(draw: Draw) -> Samples:
    """Without weights, with one per entry, with one per row, for some axes."""
    yield Sample(draw.any(2, 3))
    yield Sample(draw.any(2, 3), options={"axis": 1, "keepdims": True})
    yield Sample(draw.any(2, 3), None, draw.positive(2, 3), name="2x3,weights")
    yield Sample(
        draw.any(2, 3, 4),
        options={"axis": (2, 0), "weights": draw.positive(4, 2)},
    )
    yield Sample(
        draw.any(2, 3),
        options={"axis": 0, "weights": draw.positive(2, 3), "keepdims": True},
    )
    yield Sample(draw.any(2, 3), options={"weights": draw.positive(2)}, error=TypeError)
    yield Sample(draw.any(2, 3), options={"returned": True})
    yield Sample(draw.any(2, 3), options={"axis": 1, "weights": draw.positive(3), "returned": True})
