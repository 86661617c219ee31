"""Samples of reductions: every form of axis, every option, ties, zeros and nans."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.testing.samples import (
    COMPLEX,
    REAL,
    REAL_AND_COMPLEX,
    Draw,
    Sample,
    Samples,
    Tag,
    samples_for,
)

AXES: tuple[Any, ...] = (None, 0, -1, (0, 2))


def reduced(draw: Callable[..., Any], **about) -> Samples:
    """Every form of axis, with and without keepdims; a number."""
    for axis in AXES:
        yield Sample(draw(2, 3, 2), options={"axis": axis}, **about)
    yield Sample(draw(2, 3), options={"axis": 1, "keepdims": True}, **about)
    yield Sample(draw(), **about)


@samples_for(
    np.sum,
    np.mean,
    np.nansum,
    np.nanmean,
    np.prod,
    np.nanprod,
    np.max,
    np.min,
    np.nanmax,
    np.nanmin,
    np.ptp,
)
def reduction_samples(draw: Draw) -> Samples:
    """Distinct numbers: no ties."""
    yield from reduced(draw.distinct)


@samples_for(np.sum, np.mean, np.nansum, np.nanmean, np.prod, np.nanprod, dtypes=COMPLEX)
def complex_reduction_samples(draw: Draw) -> Samples:
    """Complex numbers, and axes that are none."""
    yield Sample(draw.any(2, 3), options={"axis": 0})
    yield Sample(draw.any(2, 3), options={"axis": ()})


@samples_for(np.sum, np.nansum, np.prod, np.nanprod, dtypes=REAL_AND_COMPLEX)
def started_samples(draw: Draw) -> Samples:
    """A start and a mask; another dtype; nothing to reduce."""
    mask = draw.mask(2, 3)
    yield Sample(
        draw.any(2, 3),
        options={"axis": 1, "where": mask[:1], "initial": 0.5, "keepdims": True},
    )
    yield Sample(draw.any(2, 3), options={"dtype": "complex128"})
    yield Sample(draw.any(0, 2), options={"axis": 0})


@samples_for(np.mean, np.nanmean, dtypes=REAL_AND_COMPLEX)
def mean_option_samples(draw: Draw) -> Samples:
    """A mask that leaves something in every row; another dtype."""
    mask = np.array([[True, False, True], [False, True, True]])
    yield Sample(draw.any(2, 3), options={"where": mask})
    yield Sample(draw.any(2, 3), options={"axis": 1, "where": mask, "keepdims": True})
    yield Sample(draw.any(2, 3), options={"axis": 0, "dtype": "complex128"})


@samples_for(np.prod, np.nanprod, dtypes=REAL_AND_COMPLEX)
def zero_factor_samples(draw: Draw) -> Samples:
    """One and two zeros among the factors: smooth there, to every order."""
    for zeros in (1, 2):
        x = draw.any(4)
        x[:zeros] = 0
        yield Sample(x, name=f"4-with-{zeros}-zeros")


@samples_for(np.max, np.min, np.nanmax, np.nanmin)
def extreme_samples(draw: Draw) -> Samples:
    """Ties, a mask, a start that wins, loses and ties."""
    x = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]], draw.dtype)
    mask = np.array([[True, False, True], [True, True, False]])
    yield Sample(x, options={"axis": 1}, tags=[Tag.TIE])
    for initial in (-9.0, 9.0):
        yield Sample(draw.distinct(2, 3), options={"axis": 1, "initial": initial})
    yield Sample(x, options={"axis": 1, "initial": 2.0, "keepdims": True}, tags=[Tag.TIE])
    yield Sample(draw.distinct(2, 3), options={"axis": 1, "initial": 0.0, "where": mask})
    yield Sample(draw.any(0, 2), options={"axis": 0, "initial": 1.0})


@samples_for(np.ptp)
def ptp_samples(draw: Draw) -> Samples:
    """Ties of the largest."""
    yield Sample(np.array([1.0, 3.0, 3.0, 0.5], draw.dtype), tags=[Tag.TIE])


@samples_for(np.nansum, np.nanmean, np.nanprod, np.nanmax, np.nanmin, dtypes=REAL)
def nan_samples(draw: Draw) -> Samples:
    """With nan here and there."""
    x = draw.distinct(3, 4)
    x[0, 1] = x[2, 0] = x[2, 3] = np.nan
    yield Sample(x, tags=[Tag.DOMAIN], name="nans")
    yield Sample(x, options={"axis": 1, "keepdims": True}, tags=[Tag.DOMAIN], name="nans-axis=1")
