"""Samples of piecewise linear interpolation."""

import numpy as np

from chainrules_py.testing.samples import Draw, Sample, Samples, Tag, samples_for


@samples_for(np.interp)
def interp_samples(draw: Draw) -> Samples:
    """Inside, outside with and without an end value, at a data point, in a period."""
    points, values = np.array([0.0, 1.0, 2.5, 4.0], draw.dtype), draw.any(4)
    x = np.array([[0.3, 1.7], [3.1, 0.6]], draw.dtype)
    yield Sample(x, points, values)
    yield Sample(np.array([-1.0, 0.5, 5.0], draw.dtype), points, values, name="outside")
    ends = {"left": 3.0, "right": -3.0}
    yield Sample(np.array([-1.0, 0.5, 5.0], draw.dtype), points, values, options=ends)
    shuffled = np.array([2.5, 0.5, 4.0, 1.0], draw.dtype)
    yield Sample(
        np.array([-1.1, 0.2, 7.3, 0.7], draw.dtype),
        shuffled,
        values,
        options={"period": 5.0},
    )
    yield Sample(np.array(1.2, draw.dtype), points, values)
    yield Sample(1.2, points, values, name="number,4,4")
    yield Sample(draw.any(0), points, values)
    yield Sample(np.array([1.0], draw.dtype), points, values, tags=[Tag.KINK])
    yield Sample(x, points, draw.any(3), error=ValueError)


@samples_for(np.interp, dtypes=("complex128",))
def complex_value_samples(draw: Draw) -> Samples:
    """Complex values between real points."""
    yield Sample(np.array([0.3, 1.7]), np.array([0.0, 1.0, 2.5]), draw.any(3))
