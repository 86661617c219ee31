"""Samples of sorting and of distinct values."""

import numpy as np

from chainrules_py.testing.samples import (
    REAL_AND_COMPLEX,
    Draw,
    Sample,
    Samples,
    Tag,
    samples_for,
)
from chainrules_py.values.identity import takes


@samples_for(np.sort, dtypes=REAL_AND_COMPLEX)
def sort_samples(draw: Draw) -> Samples:
    """Along axes, flattened, by every algorithm, with ties."""
    yield Sample(draw.distinct(6))
    for axis in (None, 0, -1):
        yield Sample(draw.distinct(3, 4, 2), options={"axis": axis})
    yield Sample(draw.distinct(4), options={"kind": "mergesort"})
    yield Sample(draw.distinct(4), options={"stable": True})
    # differences of complex entries tell nothing of three that are equal
    third = 6.0 if np.dtype(draw.dtype).kind == "c" else 1.0
    ties = np.array([[2.0, 1.0, 2.0, 1.0, 3.0], [third, 5.0, 5.0, 4.0, 3.0]], draw.dtype)
    yield Sample(ties, tags=[Tag.TIE])
    if takes(np.sort, "descending"):
        for axis in (None, 0, 1):
            options = {"axis": axis, "descending": True}
            yield Sample(draw.distinct(3, 4), options=options)
            yield Sample(ties, options=options, tags=[Tag.TIE])
    yield Sample(draw.any(0))


@samples_for(np.sort_complex, dtypes=REAL_AND_COMPLEX)
def sort_complex_samples(draw: Draw) -> Samples:
    """Along the last axis; complex in any case."""
    yield Sample(draw.distinct(2, 4))


@samples_for(np.partition)
def partition_samples(draw: Draw) -> Samples:
    """One pivot and several, along every axis, with ties."""
    yield Sample(draw.distinct(9), options={"kth": 4})
    yield Sample(draw.distinct(3, 7), options={"kth": (1, 4), "axis": -1})
    yield Sample(draw.distinct(5, 2), options={"kth": 2, "axis": None})
    yield Sample(draw.distinct(5), options={"kth": -2})
    yield Sample(
        np.array([2.0, 1.0, 2.0, 1.0, 3.0], draw.dtype), options={"kth": 2}, tags=[Tag.TIE]
    )


@samples_for(np.unique, np.unique_values, np.unique_counts, np.unique_inverse, np.unique_all)
def unique_samples(draw: Draw, primal) -> Samples:
    """Without repetitions, near which the number of values jumps."""
    yield Sample(draw.distinct(2, 3))
    yield Sample(draw.distinct())
    yield Sample(draw.any(0))
    if primal is np.unique:
        for flag in ("return_index", "return_inverse", "return_counts"):
            yield Sample(draw.distinct(5), options={flag: True})
        yield Sample(draw.distinct(4), options={"equal_nan": False})
