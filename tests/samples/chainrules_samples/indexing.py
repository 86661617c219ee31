"""Samples of reading and writing entries."""

import operator
from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from chainrules_py.rulesets.entries.replacing import replaced
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.testing.samples import (
    DOUBLE,
    Draw,
    Sample,
    Samples,
    samples_by_shape,
    samples_for,
)

_ALL = slice(None)

BASIC: list[Any] = [
    *(1, np.int64(2), (1, 2, 0), slice(None, None, -2), (Ellipsis, 1), ()),
    *((slice(2, 0, -1), None, Ellipsis), True, False, np.array(1), slice(0, 0)),
]
ADVANCED: list[Any] = [
    *(np.array([0, 2, 0]), [2, 0], np.array([], int)),
    (np.array([0, 0]), _ALL, np.array([1, 1])),
    *((_ALL, np.array([3, 0, 3]), 1), (np.array([[0], [2]]), np.array([1, 1]))),
    (Ellipsis, np.array([1, 0, 1])),
    *((np.array([True, False, True]), 1), (0, None, np.array([2, 2]))),
]


@samples_for(operator.getitem, dtypes=DOUBLE)
def getitem_samples(draw: Draw) -> Samples:
    """Every kind of index that NumPy accepts, and mixtures; repeated indices."""
    x = draw.any(3, 4, 2)
    for number, index in enumerate([*BASIC, *ADVANCED, np.real(x) > 0, (np.real(x) > 0)[..., 0]]):
        yield Sample(x, index, name=f"3x4x2-index{number}")
    yield Sample(draw.any(), (), name="0d-nothing")
    yield Sample(draw.any()[()], None, name="number-axis")
    yield Sample(draw.any(0, 2), np.array([], int), name="0x2-none")
    parts = [draw.any(2), draw.any(), draw.any(3)]
    for index in (-1, slice(0, 2)):
        yield Sample(parts, index, name=f"list-{index}")
        yield Sample(tuple(parts), index, name=f"tuple-{index}")
    yield Sample(parts, 3, name="list-absent", error=IndexError)


@samples_for(scatter_add, dtypes=DOUBLE)
def scatter_add_samples(draw: Draw) -> Samples:
    """Into a vector, into rows, through a slice."""
    for index, shape, into in (
        (np.array([0, 2, 0]), (3,), (3,)),
        (np.array([1, 1]), (2, 2), (3, 2)),
        (slice(0, 2), (2,), (4,)),
    ):
        yield Sample(
            draw.any(*shape),
            options={"index": index, "shape": into, "dtype": draw.dtype},
        )


@samples_for(replaced, dtypes=DOUBLE)
def replaced_samples(draw: Draw) -> Samples:
    """Numbers and broadcast arrays at integers, slices, masks and repeated indices."""
    x = draw.any(3, 2)
    yield Sample(x, (1, 0), 2.5, name="entry")
    yield Sample(x, np.real(x) > 0, 1.5, name="mask")
    yield Sample(x, np.array([0, 2, 0]), draw.real(3, 2), name="repeated")
    yield Sample(x, 0, draw.real(1, 1, 2), name="leading-axes")


# before NumPy 2.3
LAST_AXIS = {} if signature(np.take_along_axis).parameters["axis"].default == -1 else {"axis": -1}
CALLS: dict[Callable[..., Any], Any] = {
    np.take: [
        ((2, 3), {"indices": np.array([[0, 5], [-1, 0]])}),
        *(((3,), {"indices": 1}), ((3,), {"indices": np.array([], int)})),
        ((2, 3), {"indices": [0, 1, 0], "axis": -1}),
        *(((2, 3), {"indices": [4, -4, 1], "axis": 1, "mode": mode}) for mode in ("wrap", "clip")),
    ],
    np.take_along_axis: [
        ((2, 3), {"indices": np.array([[0, 0], [1, 2]]), **LAST_AXIS}),
        ((2, 3), {"indices": np.array([5, 0, 5]), "axis": None}),
        ((2, 3), {"indices": np.array([[0], [2]]), "axis": 1}),
    ],
    np.delete: [
        ((2, 3), {"obj": 1}),
        *(
            ((2, 3), {"obj": obj, "axis": 1})
            for obj in ([0, 2], slice(0, 2), np.array([True, False, True]))
        ),
    ],
    # Nothing to trim: where zeros are trimmed, the number of entries jumps, and tests of their own
    # look at it.
    np.trim_zeros: [((4,), {}), ((2, 3), {"trim": "f", "axis": 1})],
}
samples_by_shape(CALLS, dtypes=DOUBLE)


@samples_for(np.trim_zeros)
def unsuitable_samples(draw: Draw) -> Samples:
    """An end that is none."""
    yield Sample(draw.any(3), options={"trim": "x"}, error=ValueError)


@samples_for(np.compress, dtypes=DOUBLE)
def compress_samples(draw: Draw) -> Samples:
    """Flat and along an axis, with a condition that is too short."""
    yield Sample([False, True, True], draw.any(2, 3), name="list,2x3")
    yield Sample(np.array([True, False]), draw.any(2, 3), options={"axis": -1})


@samples_for(np.extract, dtypes=DOUBLE)
def extract_samples(draw: Draw) -> Samples:
    """A mask of the same shape; one of integers."""
    yield Sample(draw.mask(2, 3), draw.any(2, 3))
    yield Sample(np.array([0, 2, 1]), draw.any(3))
