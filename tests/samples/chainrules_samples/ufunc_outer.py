"""Samples of ``ufunc.outer``."""

import numpy as np

from chainrules_py.testing.samples import DOUBLE, Draw, Sample, Samples, samples_for


@samples_for(np.ufunc.outer, dtypes=DOUBLE)
def outer_samples(draw: Draw) -> Samples:
    """A sum, a product, a quotient; numbers and 0-d arrays on either side."""
    for ufunc in (np.add, np.multiply, np.divide):
        yield Sample(ufunc, draw.any(2, 2), draw.any(3), name=f"{ufunc.__name__}-2x2,3")
    yield Sample(np.multiply, draw.any(), draw.any(2))
    yield Sample(np.multiply, 2.5, draw.any(2), name="number,2")
    yield Sample(np.multiply, draw.any(2), 2.5, name="2,number")
    yield Sample(np.greater, draw.real(2), draw.real(2), name="greater")
