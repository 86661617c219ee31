"""Samples of functions that turn, shift and repeat entries."""

import numpy as np

from chainrules_py.testing.samples.table import DOUBLE, Draw, Sample, Samples, Tag, samples_for


@samples_for(np.flip, dtypes=DOUBLE)
def flip_samples(draw: Draw) -> Samples:
    """All axes, one, several."""
    yield Sample(draw.any(2, 3))
    for axis in (0, -1, (0, 1)):
        yield Sample(draw.any(2, 3), options={"axis": axis}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(0), tags=[Tag.EMPTY])


@samples_for(np.fliplr, np.flipud, dtypes=DOUBLE)
def flip_matrix_samples(draw: Draw) -> Samples:
    """A matrix, a stack."""
    yield Sample(draw.any(2, 3))
    yield Sample(draw.any(2, 3, 2))


@samples_for(np.rot90, dtypes=DOUBLE)
def rot90_samples(draw: Draw) -> Samples:
    """Every number of turns; other axes."""
    for k in (0, 1, 2, 3, -1):
        yield Sample(draw.any(2, 3), options={"k": k}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(2, 3, 2), options={"axes": (2, 1)}, tags=[Tag.OPTIONS])


@samples_for(np.roll, dtypes=DOUBLE)
def roll_samples(draw: Draw) -> Samples:
    """Flat, along an axis, along several by different steps."""
    yield Sample(draw.any(2, 3), options={"shift": 2})
    for shift, axis in ((-1, 1), (2, -1), ((1, -1), (0, 1)), (1, (0, 1)), ((1, 1), (0, 0))):
        yield Sample(draw.any(2, 3), options={"shift": shift, "axis": axis}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(0), options={"shift": 1}, tags=[Tag.EMPTY])


@samples_for(np.tile, dtypes=DOUBLE)
def tile_samples(draw: Draw) -> Samples:
    """Fewer, as many and more counts than axes; none."""
    for reps in (2, (2, 3), (2, 1, 2), (0, 2), ()):
        yield Sample(draw.any(2, 3), options={"reps": reps})
    yield Sample(draw.any(), options={"reps": 3}, tags=[Tag.ZERO_D])


@samples_for(np.repeat, dtypes=DOUBLE)
def repeat_samples(draw: Draw) -> Samples:
    """One count for all, one for each, flat and along an axis."""
    yield Sample(draw.any(2, 3), options={"repeats": 2})
    yield Sample(draw.any(2, 3), options={"repeats": np.array([1, 0, 2, 1, 3, 0])}, name="2x3-counts")
    for repeats, axis in ((2, 0), (np.array([2, 0, 1]), -1), ([2], 1), (0, 0)):
        yield Sample(draw.any(2, 3), options={"repeats": repeats, "axis": axis}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(), options={"repeats": 3}, tags=[Tag.ZERO_D])
    yield Sample(draw.any(0, 2), options={"repeats": 3, "axis": 1}, tags=[Tag.EMPTY])
    yield Sample(draw.any(3), options={"repeats": np.array([1, 2])}, error=ValueError)


@samples_for(np.resize, dtypes=DOUBLE)
def resize_samples(draw: Draw) -> Samples:
    """To more entries and to fewer, whole copies and parts."""
    for new_shape in ((3, 5), (2,), (2, 6), 0):
        yield Sample(draw.any(2, 3), options={"new_shape": new_shape})
    yield Sample(draw.any(0), options={"new_shape": (2,)}, tags=[Tag.EMPTY])
