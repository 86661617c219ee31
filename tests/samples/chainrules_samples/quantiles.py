"""Samples of medians and quantiles."""

from typing import Any

import numpy as np

from chainrules_py.errors import OptionError
from chainrules_py.rulesets.reductions.quantiles import CONTINUOUS, DISCRETE
from chainrules_py.testing.samples import Draw, Sample, Samples, Tag, samples_for
from chainrules_samples.reductions import reduced


@samples_for(np.median, np.nanmedian)
def median_samples(draw: Draw) -> Samples:
    """Odd and even numbers of entries, and ties in the middle."""
    yield from reduced(draw.distinct)
    yield Sample(np.array([2.0, 1.0, 2.0, 5.0, 0.0], draw.dtype), tags=[Tag.TIE])


@samples_for(np.quantile, np.nanquantile, np.percentile, np.nanpercentile)
def quantile_samples(draw: Draw, primal) -> Samples:
    """One and several quantiles, over every form of axis, by every method."""
    unit = 100.0 if "percentile" in primal.__name__ else 1.0
    yield Sample(draw.distinct(6), 0.37 * unit)
    yield Sample(draw.distinct(3, 5), np.asarray([0.13 * unit, 0.55 * unit], draw.dtype))
    yield Sample(draw.distinct(2, 3, 4), 0.61 * unit, options={"axis": (0, 2)})
    q = np.asarray([[0.13 * unit], [0.55 * unit]], draw.dtype)
    yield Sample(draw.distinct(3, 5), q, options={"axis": 1, "keepdims": True})
    for method in (*CONTINUOUS, *DISCRETE):
        yield Sample(draw.distinct(7), 0.44 * unit, options={"method": method})
    yield Sample(
        draw.distinct(4), 0.5 * unit, options={"method": "closest_observation"}, error=OptionError
    )
    yield Sample(
        np.array([2.0, 1.0, 2.0, 5.0, 2.0], draw.dtype), 0.3 * unit, fixed=[1], tags=[Tag.TIE]
    )


@samples_for(np.nanmedian, np.nanquantile)
def nan_samples(draw: Draw, primal) -> Samples:
    """Rows with different numbers of nans."""
    x = draw.distinct(3, 5)
    x[0, 1] = x[2, 0] = x[2, 3] = np.nan
    q = () if primal is np.nanmedian else (0.37,)
    yield Sample(x, *q, options={"axis": 1}, tags=[Tag.DOMAIN], name="nans")


@samples_for(np.quantile, np.nanquantile, np.percentile, np.nanpercentile)
def weighted_samples(draw: Draw, primal) -> Samples:
    """A weight for each entry, or each along an axis; ties; a list of levels.

    NumPy's nan-functions do not take weights along an axis.
    """
    unit = 100.0 if "percentile" in primal.__name__ else 1.0
    levels, weights = [0.13 * unit, 0.55 * unit], np.array([1.0, 0.0, 2.0, 0.5])
    yield Sample(draw.distinct(5), levels, name="5,list")
    options: dict[str, Any] = {"method": "inverted_cdf", "weights": weights}
    yield Sample(draw.distinct(4), 0.37 * unit, options=options)
    options = {**options, "axis": 1, "keepdims": True}
    if not primal.__name__.startswith("nan"):
        yield Sample(draw.distinct(3, 4), np.asarray(levels), options=options)
    full = {**options, "weights": draw.positive(2, 3), "axis": (1, 0)}
    yield Sample(draw.distinct(2, 3), 0.37 * unit, options=full, name="weights of all")
    yield Sample(
        np.array([[2.0, 2.0, 1.0, 2.0]], draw.dtype),
        0.5 * unit,
        options={**options, "weights": weights[None]},
        tags=[Tag.TIE],
    )
