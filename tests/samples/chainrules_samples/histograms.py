"""Samples of counting into bins."""

import numpy as np

from chainrules_py.testing.samples import Draw, Sample, Samples, samples_for


@samples_for(np.bincount)
def bincount_samples(draw: Draw) -> Samples:
    """With weights and without; more bins than numbers; nothing to count."""
    x = np.array([0, 2, 2, 5])
    yield Sample(x, draw.any(4))
    yield Sample(x)
    yield Sample(x, draw.any(4), options={"minlength": 8})
    yield Sample(np.zeros(0, int), draw.any(0), options={"minlength": 2})


# Bins keep clear of the data, so that no step of a finite difference moves an entry into another
# bin.
DATA = np.array([0.05, 0.15, 0.48, 0.55, 0.95, 0.72])
EDGES = np.array([0.0, 0.3, 0.6, 1.0])


@samples_for(np.histogram)
def histogram_samples(draw: Draw) -> Samples:
    """Edges from the data, from a range, given; counts, weights, densities."""
    x, edges, weights = (
        np.asarray(DATA, draw.dtype),
        np.asarray(EDGES, draw.dtype),
        draw.positive(6),
    )
    yield Sample(x)
    yield Sample(x, 4, (0.0, 2.0))
    yield Sample(x.reshape(2, 3), edges, options={"weights": weights.reshape(2, 3)})
    yield Sample(x, edges, options={"density": True})
    yield Sample(x, edges, options={"density": True, "weights": weights})
    yield Sample(x, 3, options={"density": True, "weights": weights}, name="6-density-weights")
    yield Sample(x, 3, options={"range": (0.1, 1.0), "weights": weights}, name="6-range-weights")
    yield Sample(draw.any(0), 3)


@samples_for(np.histogram_bin_edges)
def histogram_bin_edges_samples(draw: Draw) -> Samples:
    """A number of bins, a method that finds it, edges that are given, a range."""
    x = np.asarray(DATA, draw.dtype)
    yield Sample(x)
    yield Sample(x, "sturges")
    yield Sample(x, np.asarray(EDGES, draw.dtype))
    yield Sample(x, 4, options={"range": (0.0, 2.0)})
    yield Sample(x, 4, options={"weights": draw.positive(6)})


@samples_for(np.histogram2d)
def histogram2d_samples(draw: Draw) -> Samples:
    """Edges from the data and given; weights, densities."""
    x, y, weights = (
        np.asarray(DATA, draw.dtype),
        np.asarray(0.9 * DATA[::-1], draw.dtype),
        draw.positive(6),
    )
    yield Sample(x, y)
    yield Sample(x, y, 3)
    yield Sample(x, y, 3, [(0.0, 1.0), (0.0, 2.0)])
    yield Sample(x, y, 3, None, True)
    yield Sample(
        x,
        y,
        [EDGES, EDGES],
        options={"density": True, "weights": weights},
        name="6,6,edges-density",
    )
    yield Sample(x, y, [2, 3], options={"density": True, "weights": weights}, name="6,6,density")
    yield Sample(
        x,
        y,
        2,
        options={"range": [(0.0, 1.0), (0.0, 1.0)], "weights": weights},
        name="6,6,range",
    )


@samples_for(np.histogramdd)
def histogramdd_samples(draw: Draw) -> Samples:
    """Data in columns and in a list of arrays; weights, densities."""
    x, weights = np.asarray(DATA, draw.dtype), draw.positive(6)
    data = np.stack([x, x[::-1], 0.3 + x * x], axis=1)
    yield Sample(data, 2, None, False, weights)
    yield Sample(
        [x, x[::-1].copy()],
        [EDGES, EDGES],
        None,
        True,
        weights,
        name="list,edges,density",
    )
    yield Sample(data, 2, [(0.0, 2.0)] * 3, None, weights, name="6x3,range")
    yield Sample(data[:, :2])
    yield Sample(data, 2)
    yield Sample(data, 2, [(0.0, 2.0)] * 3, name="6x3,range,counts")
    yield Sample(data, 2, None, True)
