"""Samples of running sums and products."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.testing.samples import (
    REAL_AND_COMPLEX,
    Draw,
    Sample,
    Samples,
    Tag,
    samples_by_shape,
    samples_for,
)

RUNNING: Any = [
    *(((5,), {}), ((2, 3), {"axis": None})),
    *(((2, 3), {"axis": -1}), ((3,), {"dtype": "complex128"})),
    *(((), {}), ((0, 2), {"axis": 0})),
]
CUMULATIVE: Any = [
    ((5,), {}),
    *(((2, 3), {"axis": 1, "dtype": "complex128"}), ((0,), {})),
    ((2, 3), {"axis": 0, "include_initial": True}),
]
CALLS: dict[Callable[..., Any], Any] = {
    **dict.fromkeys((np.cumsum, np.cumprod, np.nancumsum, np.nancumprod), RUNNING),
    **dict.fromkeys((np.cumulative_sum, np.cumulative_prod), CUMULATIVE),
}
samples_by_shape(CALLS, dtypes=REAL_AND_COMPLEX)


@samples_for(np.cumprod, np.nancumprod, np.cumulative_prod, dtypes=REAL_AND_COMPLEX)
def zero_factor_samples(draw: Draw, primal) -> Samples:
    """Zeros among the factors."""
    x = draw.any(5)
    x[[0, 3]] = 0
    yield Sample(x, name="zeros")


@samples_for(np.nancumsum, np.nancumprod)
def nan_samples(draw: Draw) -> Samples:
    """With nan here and there."""
    x = draw.any(2, 3)
    x[0, 1] = np.nan
    yield Sample(x, options={"axis": 1}, tags=[Tag.DOMAIN], name="nans")
