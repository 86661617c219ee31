"""Samples of what `chainrules_py.makers` itself registers."""

from collections.abc import Iterator

from chainrules_py.makers import declarations
from chainrules_py.testing.samples.draw import Draw
from chainrules_py.testing.samples.table import Sample, samples_for


@samples_for(declarations._ignored)
def ignored_samples(draw: Draw) -> Iterator[Sample]:
    """Declared constant: no derivative to compare with."""
    yield Sample(draw.any(2), fixed=[0])
