"""Samples of what `ignore_derivatives` registers."""

from collections.abc import Iterator

from chainrules_py import ignoring
from chainrules_py.testing.samples.draw import Draw
from chainrules_py.testing.samples.table import Sample, samples_for


@samples_for(ignoring._ignored)
def ignored_samples(draw: Draw) -> Iterator[Sample]:
    """Declared constant: no derivative to compare with."""
    yield Sample(draw.any(2), fixed=[0])
