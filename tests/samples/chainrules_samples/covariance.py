"""Samples of covariances and correlations."""

import numpy as np

from chainrules_py.testing.samples import (
    REAL_AND_COMPLEX,
    Draw,
    Sample,
    Samples,
    samples_for,
)


@samples_for(np.cov, np.corrcoef, dtypes=REAL_AND_COMPLEX)
def covariance_samples(draw: Draw) -> Samples:
    """Variables in rows and in columns, one or several, a second set of them."""
    yield Sample(draw.any(3, 5))
    yield Sample(draw.any(5))
    yield Sample(draw.any(2, 5), draw.any(5))
    yield Sample(draw.any(5, 2), draw.any(5, 3), options={"rowvar": False})
    yield Sample(draw.any(3, 5), options={"dtype": "complex128"})


@samples_for(np.cov, dtypes=REAL_AND_COMPLEX)
def weighted_samples(draw: Draw) -> Samples:
    """Every way to weigh and to normalise."""
    x, counts, weights = (
        draw.any(2, 5),
        np.array([1, 2, 1, 3, 1]),
        np.array([0.5, 1.0, 2.0, 1.0, 0.3]),
    )
    yield Sample(x, options={"bias": True})
    yield Sample(x, options={"ddof": 2})
    yield Sample(x, options={"fweights": counts})
    weights = weights.astype(np.real(x).dtype)
    yield Sample(x, options={"fweights": counts, "aweights": weights, "ddof": 1})
    yield Sample(x, options={"aweights": [0.5, 1.0, 2.0, 1.0, 0.3]}, name="2x5,list")
