"""Samples of diagonals and triangles, of any axes, inside and outside of the array."""

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

TRIANGLES: Any = [
    *((shape, {}) for shape in ((3, 3), (2, 2, 3), (3,), (0, 2))),
    *(((3, 2), {"k": k}) for k in (1, -1, 5)),
]
DIAGONALS: Any = [
    *(((2, 3), {}), ((2, 3), {"offset": -1})),
    *(((2, 3), {"offset": 7}), ((0, 2), {})),
    *(((2, 3, 4), {"axis1": one, "axis2": other, "offset": 1}) for one, other in ((2, 0), (-1, 1))),
]
CALLS: dict[Callable[..., Any], Any] = {
    np.tril: TRIANGLES,
    np.triu: TRIANGLES,
    np.diagonal: DIAGONALS,
    np.trace: DIAGONALS,
    np.diag: [(shape, {"k": k}) for shape in ((3,), (2, 3), (3, 2), (0,)) for k in (1, -2)],
    np.diagflat: [((2, 2), {}), ((3,), {"k": -1}), ((), {})],
    np.vander: [((3,), {}), *(((3,), {"N": count, "increasing": True}) for count in (0, 1, 4))],
}
samples_by_shape(CALLS, dtypes=DOUBLE)


@samples_for(np.trace)
def trace_samples(draw: Draw) -> Samples:
    """In another dtype."""
    yield Sample(draw.any(2, 2), options={"dtype": np.dtype("complex128")})


@samples_for(np.vander, dtypes=DOUBLE)
def vander_samples(draw: Draw) -> Samples:
    """At 0; of a matrix."""
    yield Sample(np.zeros(2, draw.dtype), options={"N": 3}, name="zeros")
    yield Sample(draw.any(2, 2), error=ValueError)
