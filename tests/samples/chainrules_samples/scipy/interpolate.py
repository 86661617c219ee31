"""Samples of `scipy.interpolate`: B-splines and their coefficients."""

import numpy as np

from chainrules_py.rulesets.scipy.interpolate.b_splines import b_spline_values
from chainrules_py.rulesets.scipy.interpolate.surfaces import surface_values
from chainrules_py.testing.samples import Draw, Sample, Samples, samples_for

KNOTS = np.array([0.0, 0, 0, 1, 1.6, 2.5, 2.5, 2.5])


@samples_for(b_spline_values, dtypes=["float64"])
def spline_value_samples(draw: Draw) -> Samples:
    """Values and derivatives, inside and outside."""
    points = np.asarray([0.3, 1.2, 2.2, 2.8], draw.dtype)
    how = {"t": KNOTS, "k": 2}
    for nu, extrapolate in ((0, True), (1, "periodic")):
        options = {**how, "c": draw.any(5, 2), "nu": nu, "extrapolate": extrapolate}
        yield Sample(points, options=options, second_order=nu == 0)
    yield Sample(points[:3], options={**how, "c": draw.any(5), "nu": 0, "extrapolate": False})


@samples_for(surface_values, dtypes=["float64"])
def surface_value_samples(draw: Draw) -> Samples:
    """Values and derivatives up to the degrees, within the knots."""
    x = np.asarray([0.3, 1.2, 2.1, 2.3], draw.dtype)
    surface = KNOTS, KNOTS[1:-1], draw.any(5, 4), 2, 1
    for dx, dy in ((0, 0), (1, 0), (2, 1)):
        options = {"surface": surface, "dx": dx, "dy": dy}
        yield Sample(x, x[::-1] + 0.05, options=options, second_order=dx == 0)
