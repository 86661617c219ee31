"""Samples of the methods of ufuncs: `reduce`, `accumulate`, `reduceat`."""

import numpy as np

from chainrules_py.testing.samples import (
    REAL_AND_COMPLEX,
    Draw,
    Sample,
    Samples,
    Tag,
    samples_for,
)

EXTREMES = (np.maximum, np.minimum, np.fmax, np.fmin)
SUMS = (np.logaddexp, np.logaddexp2, np.hypot)
STRETCHES: dict[str, list[int]] = {
    "one": [0],
    "from the middle": [2, 3],
    "overlapping": [0, 4, 1, 5, 2],
    "twice": [3, 3, 1],
}


@samples_for(*(ufunc.accumulate for ufunc in (*EXTREMES, *SUMS)))
@samples_for(np.subtract.accumulate, np.divide.accumulate, dtypes=REAL_AND_COMPLEX)
def accumulate_samples(draw: Draw) -> Samples:
    """Along each axis, in another precision, of nothing and of one entry."""
    numbers = draw.any if draw.is_complex else draw.distinct
    yield Sample(numbers(5))
    for axis in (1, -2):
        yield Sample(numbers(3, 4), options={"axis": axis})
    yield Sample(
        numbers(4),
        options={"dtype": "complex128" if draw.is_complex else "float64"},
    )
    yield Sample(numbers(0, 2))


@samples_for(*(ufunc.accumulate for ufunc in EXTREMES))
def running_tie_samples(draw: Draw) -> Samples:
    """An extreme that is met again."""
    yield Sample(np.array([2.0, 1.0, 2.0, 3.0, 1.0, 3.0, 3.0], draw.dtype), tags=[Tag.TIE])


@samples_for(*(ufunc.reduce for ufunc in (*SUMS, np.fmax, np.fmin)))
def reduce_samples(draw: Draw) -> Samples:
    """Every form of axis, a start, a mask, kept axes, another precision."""
    x, mask = draw.distinct(2, 3), np.array([[True, False, True], [False, True, True]])
    yield Sample(draw.distinct(2, 3, 2))
    for axis in (None, -1, (0, 1)):
        yield Sample(x, options={"axis": axis})
    yield Sample(x, options={"axis": 1, "keepdims": True})
    yield Sample(x, options={"axis": 1, "where": mask, "initial": 0.5})
    yield Sample(x, options={"dtype": "float64"})
    yield Sample(draw.distinct(0, 2), options={"initial": 0.5})


@samples_for(np.fmax.reduce, np.fmin.reduce)
def extreme_samples(draw: Draw) -> Samples:
    """Ties, with a start; nan."""
    x = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]], draw.dtype)
    yield Sample(x, options={"axis": 1, "initial": 2.0}, tags=[Tag.TIE])
    yield Sample(np.array([1.0, np.nan, 3.0], draw.dtype), tags=[Tag.DOMAIN], name="nan")


@samples_for(*(ufunc.reduceat for ufunc in (*EXTREMES, *SUMS)))
@samples_for(np.add.reduceat, np.multiply.reduceat, dtypes=REAL_AND_COMPLEX)
def reduceat_samples(draw: Draw, primal) -> Samples:
    """Stretches that follow each other, have gaps, overlap; another axis and precision."""
    numbers = draw.any if draw.is_complex else draw.distinct
    for name, indices in STRETCHES.items():
        yield Sample(numbers(6), np.array(indices), name=name)
    yield Sample(numbers(2, 4), np.array([0, 2]), options={"axis": 1})
    yield Sample(
        numbers(4),
        np.array([0, 2]),
        options={"dtype": "complex128" if draw.is_complex else "float64"},
    )
    if primal is np.multiply.reduceat:
        yield Sample(
            np.array([0.0, 2.0, 0.0, 0.0, 3.0], draw.dtype), np.array([0, 2, 4]), name="zeros"
        )
