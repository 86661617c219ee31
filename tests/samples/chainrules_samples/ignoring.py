"""Samples of what `ignore_derivatives` registers."""

from chainrules_py import ignoring
from chainrules_py.testing.samples import Draw, Sample, Samples, samples_for


@samples_for(ignoring._ignored)
def ignored_samples(draw: Draw) -> Samples:
    """Declared constant: no derivative to compare with."""
    yield Sample(draw.any(2), fixed=[0])
