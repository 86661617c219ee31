"""Samples of differences and integrals of samples."""

import numpy as np

from chainrules_py.testing.samples import (
    REAL_AND_COMPLEX,
    Draw,
    Sample,
    Samples,
    samples_for,
)


@samples_for(np.diff, dtypes=REAL_AND_COMPLEX)
def diff_samples(draw: Draw) -> Samples:
    """Any order, along any axis, with arrays and numbers in front and behind; none left."""
    yield Sample(draw.any(4))
    yield Sample(draw.any(4), 2)
    for n, axis in ((0, -1), (1, 0), (3, 1)):
        yield Sample(draw.any(3, 4), n, axis, name=f"3x4-{n}-{axis}")
    yield Sample(draw.any(2, 3), options={"prepend": 0.5, "append": draw.any(2, 2)})
    yield Sample(draw.any(2, 3), options={"axis": 0, "append": draw.any(1, 3)})
    yield Sample(draw.any(2, 3), options={"prepend": draw.any(2, 1)})
    yield Sample(draw.any(2), 5, name="2-too-often")
    yield Sample(draw.any(0))


@samples_for(np.ediff1d, dtypes=REAL_AND_COMPLEX)
def ediff1d_samples(draw: Draw) -> Samples:
    """Flattened, between what is put in front and behind."""
    yield Sample(draw.any(2, 3))
    yield Sample(draw.any(4), draw.real(2), draw.real(1))
    yield Sample(draw.any(4), options={"to_begin": draw.real(2)})
    yield Sample(draw.any(0), draw.real(2))


@samples_for(np.unwrap)
def unwrap_samples(draw: Draw) -> Samples:
    """Jumps that are taken back, along any axis, in another period."""
    jumps = np.array([[0.0, 0.5, 6.5], [7.0, 0.9, 1.2]], draw.dtype)
    yield Sample(jumps)
    yield Sample(jumps, options={"axis": 0, "period": 4.5})
    yield Sample(jumps, options={"discont": 5.5})


@samples_for(np.trapezoid, dtypes=REAL_AND_COMPLEX)
def trapezoid_samples(draw: Draw) -> Samples:
    """Equal steps, points along the axis, points for every row."""
    yield Sample(draw.any(5))
    yield Sample(draw.any(5, 2), draw.any(5), options={"axis": 0})
    yield Sample(draw.any(2, 5), None, 0.3, name="2x5,none,0.3")
    yield Sample(draw.any(1, 5), draw.any(3, 5))
    yield Sample(draw.any(2, 0))
