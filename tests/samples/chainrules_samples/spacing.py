"""Samples of evenly spaced numbers."""

from typing import Any

import numpy as np

from chainrules_py.testing.samples import DOUBLE, Draw, Sample, Samples, samples_for

OPTIONS: list[dict[str, Any]] = [
    {"num": 4},
    {"num": 3, "endpoint": False},
    {"num": 3, "axis": 1},
    {"num": 3, "axis": -1},
    {"num": 1},
    {"num": 0},
]


@samples_for(np.linspace, np.logspace, np.geomspace, dtypes=DOUBLE)
def spacing_samples(draw: Draw) -> Samples:
    """Numbers and arrays as ends, broadcast; both ends, one, none of the samples on them; any axis."""
    for given in OPTIONS:
        yield Sample(draw.positive(2), draw.positive(3, 2), options=given)
    yield Sample(0.5, 2.5, options={"num": 3}, name="numbers")
    yield Sample(1, draw.positive(), options={"num": 3}, name="integer,0d")
    yield Sample(
        draw.positive(),
        draw.positive(),
        options={"num": 3, "dtype": np.dtype("complex128")},
    )


@samples_for(np.linspace)
def default_linspace_samples(draw: Draw) -> Samples:
    """As it stands; with the step, which a single sample does not have."""
    yield Sample(draw.any(), draw.any())
    yield Sample(0.5, 2.5, options={"num": 4, "endpoint": False, "retstep": True})


@samples_for(np.logspace, dtypes=DOUBLE)
def logspace_samples(draw: Draw) -> Samples:
    """Other bases."""
    yield Sample(draw.any(), draw.any(), options={"num": 3, "base": 2.0})
    bases = np.array([2.0, 3.0], draw.real().dtype)
    yield Sample(draw.any(2), draw.any(2), options={"num": 3, "base": bases, "axis": -1})


@samples_for(np.geomspace)
def geomspace_samples(draw: Draw) -> Samples:
    """Negative ends."""
    yield Sample(-draw.positive(2), -draw.positive(2), options={"num": 4})
