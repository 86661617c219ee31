"""Samples of reductions, shaping, indexing and products."""

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from chainrules_py.makers import declarations
from chainrules_py.testing.samples.draw import Draw
from chainrules_py.testing.samples.table import REAL_AND_COMPLEX, Sample, Tag, samples_for


@samples_for(np.reshape, dtypes=REAL_AND_COMPLEX)
def reshape_samples(draw: Draw) -> Iterator[Sample]:
    """To more and fewer axes, with a computed length, in both orders."""
    for shape in ((3, 2), (6,), -1, (1, -1, 2)):
        yield Sample(draw.any(2, 3), options={"shape": shape})
    yield Sample(draw.any(2, 3), options={"shape": (3, 2), "order": "F"}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(0, 2), options={"shape": (4, 0)}, tags=[Tag.EMPTY])
    yield Sample(draw.any(), options={"shape": (1, 1)}, tags=[Tag.ZERO_D])
    yield Sample(draw.any(2, 3), options={"shape": (4,)}, error=ValueError)


@samples_for(np.transpose, dtypes=REAL_AND_COMPLEX)
def transpose_samples(draw: Draw) -> Iterator[Sample]:
    """Reversed and permuted axes."""
    yield Sample(draw.any(2, 3))
    for axes in ((1, 2, 0), (-1, 0, 1), (0, 1, 2)):
        yield Sample(draw.any(2, 3, 4), options={"axes": axes}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(), tags=[Tag.ZERO_D])
    yield Sample(draw.any(0, 2), tags=[Tag.EMPTY])


@samples_for(operator.getitem, dtypes=REAL_AND_COMPLEX)
def getitem_samples(draw: Draw) -> Iterator[Sample]:
    """Integers, slices, masks, arrays with repeated indices, and mixtures."""
    x = draw.any(3, 4)
    basic = [1, -1, (1, 2), slice(None, None, -2), (slice(1, 3), 0), (None, 1), (Ellipsis, 2), ()]
    advanced = [
        np.array([0, 2, 0]),
        (np.array([0, 0]), np.array([1, 1])),
        np.real(x) > 0,
        ([2, 0],),
        (slice(None), np.array([1, 1])),
    ]
    for number, index in enumerate([*basic, *advanced]):
        yield Sample(x, index, name=f"3x4-index{number}")
    yield Sample(draw.any(3), slice(0, 0), tags=[Tag.EMPTY], name="3-nothing")
    yield Sample(draw.any(3), 7, error=IndexError)


Shape = tuple[int, ...]
_PAIRS: list[tuple[Shape, Shape]] = [((2, 3), (3, 4)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 2), (2, 2))]
_STACKS: list[tuple[Shape, Shape]] = [
    *(((5, 2, 3), (3, 2)), ((2, 3), (5, 3, 2)), ((5, 1, 2, 3), (4, 3, 2))),
    *(((3,), (2, 3, 2)), ((2, 2, 3), (3,))),
]


@samples_for(np.matmul, dtypes=REAL_AND_COMPLEX)
def matmul_samples(draw: Draw) -> Iterator[Sample]:
    """Every combination of vector, matrix and stack, batches broadcast both ways."""
    for a, b in _PAIRS:
        yield Sample(draw.any(*a), draw.any(*b))
    for a, b in _STACKS:
        yield Sample(draw.any(*a), draw.any(*b), tags=[Tag.BROADCAST])
    yield Sample(draw.any(2, 0), draw.any(0, 3), tags=[Tag.EMPTY])
    yield Sample(draw.any(2, 3), draw.any(2, 3), error=ValueError)


@samples_for(np.linalg.inv, dtypes=REAL_AND_COMPLEX)
def inv_samples(draw: Draw) -> Iterator[Sample]:
    """Well-conditioned matrices, in stacks, of one entry and of none; a singular one."""
    for shape in ((3, 3), (2, 3, 3), (1, 1)):
        yield Sample(draw.well_conditioned(*shape))
    yield Sample(draw.any(0, 0), tags=[Tag.EMPTY])
    yield Sample(np.zeros((2, 2), draw.dtype), error=np.linalg.LinAlgError)


@samples_for(declarations._ignored)
def ignored_samples(draw: Draw) -> Iterator[Sample]:
    """Declared constant: no derivative to compare with."""
    yield Sample(draw.any(2), fixed=[0])
