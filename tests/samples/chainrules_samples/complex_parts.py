"""Samples of functions that treat the parts of a complex number apart."""

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
from chainrules_samples.elementwise import unary


@samples_for(np.conjugate, np.real, np.imag, np.sign, np.angle, dtypes=REAL_AND_COMPLEX)
def part_samples(draw: Draw) -> Samples:
    """Anywhere but at 0."""
    yield from unary(draw.any)


@samples_for(np.sign, np.angle, dtypes=COMPLEX)
def origin_samples(draw: Draw, primal) -> Samples:
    """A jump at the origin; an angle in degrees."""
    yield Sample(np.zeros(2, draw.dtype), tags=[Tag.KINK])
    if primal is np.angle:
        yield Sample(draw.any(3), options={"deg": True})


@samples_for(np.real_if_close, dtypes=REAL_AND_COMPLEX)
def real_if_close_samples(draw: Draw) -> Samples:
    """Complex for good, or real from the start."""
    yield Sample(draw.any(2, 3))
    yield Sample(draw.any(3), options={"tol": 50})


@samples_for(np.nan_to_num, dtypes=REAL_AND_COMPLEX)
def nan_to_num_samples(draw: Draw) -> Samples:
    """Finite numbers pass, with or without replacements for the others."""
    yield from unary(draw.any)
    yield Sample(draw.any(3), options={"nan": 1.0, "posinf": 2.0, "neginf": -2.0})


@samples_for(np.round, dtypes=REAL)
def round_samples(draw: Draw, primal) -> Samples:
    """Between the jumps, for integers and for tens."""
    yield Sample(draw.between(1.1, 1.4, 2, 3))
    yield Sample(draw.between(11.0, 14.0, 2), options={"decimals": -1})
