"""Samples of where and clip."""

import numpy as np

from chainrules_py.errors import NoRuleError
from chainrules_py.testing.samples import (
    REAL_AND_COMPLEX,
    Draw,
    Sample,
    Samples,
    Tag,
    samples_for,
)


@samples_for(np.where, dtypes=REAL_AND_COMPLEX)
def where_samples(draw: Draw) -> Samples:
    """Masks, alternatives and both broadcast; a number on either side, or a list of numbers."""
    yield Sample(draw.mask(2, 3), draw.any(2, 3), draw.any(2, 3))
    yield Sample(draw.mask(4, 2, 3), draw.any(3), draw.any(2, 1))
    yield Sample(draw.mask(3), draw.any(3), 0.0)
    yield Sample(draw.mask(2), draw.any(2), [0.5, -0.25], fixed=[2])
    yield Sample(draw.mask(2, 2), [[0.5, -0.25], [1.5, 2.5]], draw.any(2), fixed=[1])
    yield Sample(True, draw.any(), draw.any())
    yield Sample(draw.mask(0, 2), draw.any(0, 2), draw.any(2))
    yield Sample(draw.mask(2), fixed=[0], name="positions")
    yield Sample(draw.mask(2), draw.any(2), None, fixed=[2], error=NoRuleError, name="nothing")


@samples_for(np.clip)
def clip_samples(draw: Draw) -> Samples:
    """Every call form; bounds that move, that broadcast, that are missing; ties and crossed bounds."""
    x = np.array([-1.5, -0.2, 0.3, 1.7], draw.dtype)
    yield Sample(x, -1.0, 1.0)
    yield Sample(x, None, 1.0, name="4,none,upper")
    yield Sample(x, -1.0, None, name="4,lower,none")
    yield Sample(x, options={"min": -1.0, "max": 1.0})
    yield Sample(x, name="4,no bounds")
    yield Sample(
        x,
        np.full((2, 1), -0.7, draw.dtype),
        np.array([1.1, 1.2, 1.3, 1.4], draw.dtype),
    )
    yield Sample(x, 0.5, -0.5, name="4,crossed")
    yield Sample(np.array([-1.0, 1.0, 0.0], draw.dtype), -1.0, 1.0, tags=[Tag.TIE])
    yield Sample(draw.between(-0.5, 0.5), -1.0, 1.0)
    yield Sample(draw.any(0, 2), -1.0, 1.0)
