"""Samples of functions that change axes and keep entries."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.errors import OptionError
from chainrules_py.testing.samples import (
    DOUBLE,
    Draw,
    Sample,
    Samples,
    samples_by_shape,
    samples_for,
)

CALLS: dict[Callable[..., Any], Any] = {
    np.expand_dims: [
        ((2, 3), {"axis": -1}),
        ((2, 3), {"axis": (0, 2)}),
        ((), {"axis": 0}),
    ],
    np.squeeze: [
        ((1, 3, 1), {}),
        *(((1, 3, 1), {"axis": axis}) for axis in (-1, (0, 2))),
        ((1, 0), {}),
    ],
    np.transpose: [
        ((2, 3), {}),
        ((2, 3, 4), {"axes": (-1, 0, 1)}),
        ((), {}),
        ((0, 2), {}),
    ],
    np.matrix_transpose: [((2, 3), {}), ((2, 3, 2), {}), ((0, 2), {})],
    np.swapaxes: [((2, 3, 4), {"axis1": one, "axis2": other}) for one, other in ((0, 2), (-1, 1))],
    np.moveaxis: [
        ((2, 3, 4), {"source": s, "destination": d}) for s, d in ((0, -1), ((0, 1), (2, 0)))
    ],
    np.rollaxis: [
        ((2, 3, 4), {"axis": axis, "start": start}) for axis in (0, -1) for start in (0, 3, -1)
    ],
    np.broadcast_to: [
        ((2, 1), {"shape": (2, 3)}),
        *(((1, 3), {"shape": (2, 2, 3), "subok": True}), ((), {"shape": (2,)})),
    ],
}
samples_by_shape(CALLS, dtypes=DOUBLE)


@samples_for(np.broadcast_to, dtypes=DOUBLE)
def broadcast_number_samples(draw: Draw) -> Samples:
    """A number."""
    yield Sample(2.5, options={"shape": (2, 2)})


@samples_for(np.reshape, dtypes=DOUBLE)
def reshape_samples(draw: Draw) -> Samples:
    """To more and fewer axes, with a computed length, in both orders."""
    for shape in ((3, 2), (1, -1, 2)):
        yield Sample(draw.any(2, 3), options={"shape": shape})
    yield Sample(draw.any(2, 3), options={"shape": (3, 2), "order": "F", "copy": True})
    yield Sample(draw.any(0, 2), options={"shape": (4, 0)})
    yield Sample(draw.any(), options={"shape": (1, 1)})
    yield Sample(
        draw.any(2, 3),
        options={"shape": -1, "order": "A"},
        error=OptionError,
        error_data={"option": "order"},
    )


@samples_for(np.ravel, dtypes=DOUBLE)
def ravel_samples(draw: Draw) -> Samples:
    """Both orders, and the two that depend on memory, which are refused."""
    yield Sample(draw.any(2, 3))
    yield Sample(draw.any(2, 3), options={"order": "F"})
    yield Sample(draw.any())
    yield Sample(draw.any(0, 2))
    yield Sample(
        draw.any(2, 3), options={"order": "K"}, error=OptionError, error_data={"option": "order"}
    )


@samples_for(np.atleast_1d, np.atleast_2d, np.atleast_3d, dtypes=DOUBLE)
def atleast_samples(draw: Draw) -> Samples:
    """One array, several, numbers."""
    for shape in ((), (2,), (2, 3), (2, 1, 2)):
        yield Sample(draw.any(*shape))
    yield Sample(draw.any(2), 1.5, draw.any(2, 2))


@samples_for(np.broadcast_arrays, dtypes=DOUBLE)
def broadcast_arrays_samples(draw: Draw) -> Samples:
    """Two and three, a number among them."""
    yield Sample(draw.any(2, 1), draw.any(3))
    yield Sample(draw.any(2, 1), 1.5, draw.any(1, 3))
    yield Sample(draw.any(2))


@samples_for(np.meshgrid, dtypes=DOUBLE)
def meshgrid_samples(draw: Draw) -> Samples:
    """One to three axes, both indexings, sparse, without copies."""
    options: list[dict[str, Any]] = [
        {},
        {"indexing": "ij"},
        {"sparse": True},
        {"copy": False, "sparse": True, "indexing": "ij"},
    ]
    for given in options:
        yield Sample(draw.any(2), draw.any(3), draw.any(4), options=given)
    yield Sample(draw.any(3), draw.any())
    yield Sample(draw.any(3), draw.any(0))


@samples_for(np.ix_, dtypes=DOUBLE)
def ix_samples(draw: Draw) -> Samples:
    """One to three sequences, and positions, for which it is made."""
    yield Sample(draw.any(3))
    yield Sample(draw.any(2), draw.any(3), draw.any(4))
    yield Sample(draw.any(2), draw.any(0))
    yield Sample(np.array([0, 1]), draw.any(3))
