"""Samples of functions that change axes and keep entries."""

from typing import Any

import numpy as np

from chainrules_py.errors import OptionError
from chainrules_py.testing.samples.table import DOUBLE, Draw, Sample, Samples, Tag, samples_for


@samples_for(np.reshape, dtypes=DOUBLE)
def reshape_samples(draw: Draw) -> Samples:
    """To more and fewer axes, with a computed length, in both orders."""
    for shape in ((3, 2), -1, (1, -1, 2)):
        yield Sample(draw.any(2, 3), options={"shape": shape})
    yield Sample(draw.any(2, 3), options={"shape": (3, 2), "order": "F", "copy": True}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(0, 2), options={"shape": (4, 0)}, tags=[Tag.EMPTY])
    yield Sample(draw.any(), options={"shape": (1, 1)}, tags=[Tag.ZERO_D])
    yield Sample(draw.any(2, 3), options={"shape": (4,)}, error=ValueError)
    yield Sample(draw.any(2, 3), options={"shape": -1, "order": "A"}, error=OptionError, error_data={"option": "order"})


@samples_for(np.ravel, dtypes=DOUBLE)
def ravel_samples(draw: Draw) -> Samples:
    """Both orders, and the two that depend on memory, which are refused."""
    yield Sample(draw.any(2, 3))
    yield Sample(draw.any(2, 3), options={"order": "F"}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(), tags=[Tag.ZERO_D])
    yield Sample(draw.any(0, 2), tags=[Tag.EMPTY])
    yield Sample(draw.any(2, 3), options={"order": "K"}, error=OptionError, error_data={"option": "order"})


@samples_for(np.expand_dims, dtypes=DOUBLE)
def expand_dims_samples(draw: Draw) -> Samples:
    """One axis, a negative one, several."""
    for axis in (0, -1, (0, 2)):
        yield Sample(draw.any(2, 3), options={"axis": axis})
    yield Sample(draw.any(), options={"axis": 0}, tags=[Tag.ZERO_D])


@samples_for(np.squeeze, dtypes=DOUBLE)
def squeeze_samples(draw: Draw) -> Samples:
    """All axes of length one, or some."""
    yield Sample(draw.any(1, 3, 1))
    for axis in (0, -1, (0, 2)):
        yield Sample(draw.any(1, 3, 1), options={"axis": axis}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(1, 0), tags=[Tag.EMPTY])
    yield Sample(draw.any(2, 3), options={"axis": 0}, error=ValueError)


@samples_for(np.atleast_1d, np.atleast_2d, np.atleast_3d, dtypes=DOUBLE)
def atleast_samples(draw: Draw) -> Samples:
    """One array, several, numbers."""
    for shape in ((), (2,), (2, 3), (2, 1, 2)):
        yield Sample(draw.any(*shape))
    yield Sample(draw.any(2), 1.5, draw.any(2, 2))


@samples_for(np.transpose, dtypes=DOUBLE)
def transpose_samples(draw: Draw) -> Samples:
    """Reversed and permuted axes."""
    yield Sample(draw.any(2, 3))
    for axes in ((1, 2, 0), (-1, 0, 1)):
        yield Sample(draw.any(2, 3, 4), options={"axes": axes}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(), tags=[Tag.ZERO_D])
    yield Sample(draw.any(0, 2), tags=[Tag.EMPTY])


@samples_for(np.matrix_transpose, dtypes=DOUBLE)
def matrix_transpose_samples(draw: Draw) -> Samples:
    """A matrix, a stack, nothing."""
    for shape in ((2, 3), (2, 3, 2), (0, 2)):
        yield Sample(draw.any(*shape))
    yield Sample(draw.any(2), error=ValueError)


@samples_for(np.swapaxes, dtypes=DOUBLE)
def swapaxes_samples(draw: Draw) -> Samples:
    """Axes counted from either end."""
    for axis1, axis2 in ((0, 2), (-1, 1), (1, 1)):
        yield Sample(draw.any(2, 3, 4), options={"axis1": axis1, "axis2": axis2})


@samples_for(np.moveaxis, dtypes=DOUBLE)
def moveaxis_samples(draw: Draw) -> Samples:
    """One axis, several."""
    for source, destination in ((0, -1), (-1, 0), ((0, 1), (2, 0))):
        yield Sample(draw.any(2, 3, 4), options={"source": source, "destination": destination})


@samples_for(np.rollaxis)
def rollaxis_samples(draw: Draw) -> Samples:
    """Every axis to every place, as NumPy counts places."""
    for axis in (0, 1, -1):
        for start in (0, 1, 3, -1):
            yield Sample(draw.any(2, 3, 4), options={"axis": axis, "start": start}, tags=[Tag.OPTIONS])


@samples_for(np.broadcast_to, dtypes=DOUBLE)
def broadcast_to_samples(draw: Draw) -> Samples:
    """New axes, stretched ones, both, none."""
    for own, shape in (((3,), (2, 3)), ((2, 1), (2, 3)), ((1, 3), (2, 2, 3)), ((2,), (2,)), ((1,), (0,))):
        yield Sample(draw.any(*own), options={"shape": shape}, tags=[Tag.BROADCAST])
    yield Sample(draw.any(), options={"shape": (2,)}, tags=[Tag.ZERO_D])
    yield Sample(2.5, options={"shape": (2, 2)})
    yield Sample(draw.any(2), options={"shape": (3,)}, error=ValueError)


@samples_for(np.broadcast_arrays, dtypes=DOUBLE)
def broadcast_arrays_samples(draw: Draw) -> Samples:
    """Two and three, a number among them."""
    yield Sample(draw.any(2, 1), draw.any(3), tags=[Tag.BROADCAST])
    yield Sample(draw.any(2, 1), 1.5, draw.any(1, 3), tags=[Tag.BROADCAST])
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
        yield Sample(draw.any(2), draw.any(3), draw.any(4), options=given, tags=[Tag.OPTIONS])
        yield Sample(draw.any(2), draw.any(3), options=given, tags=[Tag.OPTIONS])
    yield Sample(draw.any(3))
    yield Sample(draw.any(3), draw.any(), tags=[Tag.ZERO_D])
    yield Sample(draw.any(3), draw.any(0), tags=[Tag.EMPTY])


@samples_for(np.ix_, dtypes=DOUBLE)
def ix_samples(draw: Draw) -> Samples:
    """One to three sequences, and positions, for which it is made."""
    yield Sample(draw.any(3))
    yield Sample(draw.any(2), draw.any(3), draw.any(4))
    yield Sample(draw.any(2), draw.any(0), tags=[Tag.EMPTY])
    yield Sample(np.array([0, 1]), draw.any(3))
