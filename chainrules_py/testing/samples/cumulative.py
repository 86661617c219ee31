"""Samples of running sums and products."""

from typing import Any

import numpy as np

from chainrules_py.testing.samples.table import REAL_AND_COMPLEX, Draw, Sample, Samples, Tag, samples_for


@samples_for(np.cumsum, np.cumprod, np.nancumsum, np.nancumprod, dtypes=REAL_AND_COMPLEX)
def running_samples(draw: Draw) -> Samples:
    """Along each axis and over the flattened array."""
    yield Sample(draw.any(5))
    for axis in (None, 0, -1):
        yield Sample(draw.any(2, 3), options={"axis": axis}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(3), options={"dtype": "complex128"}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(), tags=[Tag.ZERO_D])
    yield Sample(draw.any(0, 2), options={"axis": 0}, tags=[Tag.EMPTY])


@samples_for(np.cumulative_sum, np.cumulative_prod, dtypes=REAL_AND_COMPLEX)
def cumulative_samples(draw: Draw) -> Samples:
    """With and without the initial one."""
    yield Sample(draw.any(5))
    yield Sample(draw.any(5), options={"include_initial": True}, tags=[Tag.OPTIONS])
    for axis in (0, -1):
        yield Sample(draw.any(2, 3), options={"axis": axis, "include_initial": True}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(2, 3), options={"axis": 1, "dtype": "complex128"}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(0), tags=[Tag.EMPTY])


@samples_for(np.cumprod, np.nancumprod, np.cumulative_prod, dtypes=REAL_AND_COMPLEX)
def zero_factor_samples(draw: Draw, primal: Any) -> Samples:
    """Zeros among the factors."""
    for places in ((1,), (0, 3)):
        x = draw.any(5)
        x[list(places)] = 0
        yield Sample(x, name=f"5-zeros-at-{places}")


@samples_for(np.nancumsum, np.nancumprod)
def nan_samples(draw: Draw) -> Samples:
    """With nan here and there."""
    x = draw.any(2, 3)
    x[0, 1] = np.nan
    yield Sample(x, options={"axis": 1}, tags=[Tag.DOMAIN], name="nans")
