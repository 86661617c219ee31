"""Samples of splitting: into equal parts and at indices, with gaps and overlaps."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.testing.samples import (
    DOUBLE,
    Draw,
    Sample,
    Samples,
    samples_by_shape,
    samples_for,
)

PARTS: Any = [
    *(((4, 2), {"indices_or_sections": sections}) for sections in (2, (3, 1), [-1], [0, 9])),
    ((2, 4), {"indices_or_sections": 2, "axis": -1}),
]
DIRECTED: Any = [((2, 2, 4), {"indices_or_sections": sections}) for sections in (2, [1])]
CALLS: dict[Callable[..., Any], Any] = {
    np.split: PARTS,
    np.array_split: [*PARTS, ((5,), {"indices_or_sections": 3})],
    np.hsplit: [*DIRECTED, ((4,), {"indices_or_sections": 2})],
    **dict.fromkeys((np.vsplit, np.dsplit), DIRECTED),
    np.unstack: [((2, 3), {}), ((2, 3), {"axis": -1}), ((3,), {})],
}
samples_by_shape(CALLS, dtypes=DOUBLE)


@samples_for(np.ndarray.tolist, dtypes=DOUBLE)
def tolist_samples(draw: Draw) -> Samples:
    """Arrays with and without axes, and without entries."""
    for shape in ((), (3,), (2, 2), (2, 0)):
        yield Sample(draw.any(*shape))
