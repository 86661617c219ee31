"""Samples of contractions over chosen axes; those of `dot` and `inner` are among the products."""

import numpy as np

from chainrules_py.testing.samples import DOUBLE, Draw, Sample, Samples, samples_for


@samples_for(np.tensordot, dtypes=DOUBLE)
def tensordot_samples(draw: Draw) -> Samples:
    """Counted and listed axes, out of order, negative, none; numbers."""
    yield Sample(draw.any(2, 3, 4), draw.any(3, 4, 2))
    for a, b in ((draw.any(2, 3), 2.5), (2.5, draw.any(2, 3)), (1.5, 2.5)):
        yield Sample(a, b, options={"axes": 0})
    for one, other, axes in (
        ((2, 3, 4), (4, 3, 2), ([0, 2], [2, 0])),
        ((2, 3), (4, 2, 3), ((1, 0), (-1, -2))),
        ((2, 3), (3, 2), (1, 0)),
        ((2,), (3,), 0),
    ):
        yield Sample(draw.any(*one), draw.any(*other), options={"axes": axes})
    yield Sample(draw.any(2, 0), draw.any(0, 3), options={"axes": 1})
