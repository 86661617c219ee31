"""Samples of the parts of derivatives that are functions of their own."""

import numpy as np

from chainrules_py.rulesets.formulas.without_cancellation import one_minus_square, over
from chainrules_py.testing.samples import REAL_AND_COMPLEX, Draw, Sample, Samples, samples_for
from chainrules_samples.elementwise import binary, unary


@samples_for(one_minus_square, dtypes=REAL_AND_COMPLEX)
def product_samples(draw: Draw) -> Samples:
    """Anywhere, and at the zeros of the product and of its derivative."""
    yield from unary(draw.any)
    yield Sample(np.array([0.0, 1.0, -1.0], draw.dtype), name="zeros")


@samples_for(over, dtypes=REAL_AND_COMPLEX)
def quotient_samples(draw: Draw) -> Samples:
    """Anywhere, and beside zeros."""
    yield from binary(draw.any, draw.positive)
    yield Sample(np.array([0.0, 0.0]), np.array([2.0, -3.0]), name="zeros")
