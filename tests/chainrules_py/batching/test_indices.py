"""Reading and writing at indices in lanes, against one lane at a time."""

import itertools

import numpy as np
import pytest

from chainrules_py import BatchingError, batched
from chainrules_py.batching.indices import axes_before, read_in_lanes

LANES = 7
RNG = np.random.default_rng(5)
A = RNG.normal(size=(LANES, 4, 5, 3, 6))
PLAIN = [
    slice(1, 3),
    None,
    Ellipsis,
    2,
    np.int64(1),
    True,
    np.array([0, 2, 1]),
    np.array([[0], [1]]),
    [0, 1, 1],
]
LANED = [RNG.integers(-3, 3, size=shape) for shape in ((LANES,), (LANES, 3), (LANES, 2, 1))]
ITEMS = [(item, False) for item in PLAIN] + [(item, True) for item in LANED]


def indices():
    """Every index of one and two items, and some of three and four."""
    some = np.random.default_rng(1)
    chosen = [*itertools.product(ITEMS, repeat=1), *itertools.product(ITEMS, repeat=2)]
    for length in (3, 4):
        for _ in range(150):
            chosen.append(tuple(ITEMS[k] for k in some.integers(len(ITEMS), size=length)))
    for pairs in chosen:
        index = tuple(item for item, _ in pairs)
        if sum(item is Ellipsis for item in index) < 2:
            yield index, tuple(lane for _, lane in pairs)


def in_lane(index, lanes, number):
    pairs = zip(index, lanes, strict=True)
    return tuple(item[number] if lane else item for item, lane in pairs)


def lanes_of(lanes):
    return lanes if any(lanes) else False


def of_each_lane(array, index, lanes):
    """What each lane reads, or None where an index is refused."""
    try:
        rows = [array(number)[in_lane(index, lanes, number)] for number in range(LANES)]
    except IndexError:
        return None
    return np.stack(rows)


@pytest.mark.parametrize("laned", [True, False])
def test_every_kind_of_index_reads_what_each_lane_reads(laned):
    count = 0
    for index, lanes in indices():
        if not laned and not any(lanes):
            continue
        expected = of_each_lane(lambda number: A[number] if laned else A[0], index, lanes)
        if expected is None:
            continue
        count += 1
        found = read_in_lanes((laned, lanes_of(lanes)), A if laned else A[0], index)
        assert found.shape == expected.shape, index
        assert np.array_equal(found, expected), index
    assert count > 60


def test_masks_that_differ_from_lane_to_lane_are_refused():
    with pytest.raises(BatchingError, match=r"numpy\.where"):
        batched(np.ndarray.__getitem__, (True, True), A, A > 0)


def test_the_axes_before_an_item():
    assert axes_before([slice(None), None, Ellipsis, 0], 3, 4) == 4


def test_masks_that_choose_as_many_entries_in_each_lane():
    mask = np.sort(RNG.normal(size=(LANES, 4)), axis=1) != 2.0
    mask[np.arange(LANES), np.arange(LANES) % 4] = False
    for a, index in ((A, (mask,)), (A, (mask, slice(1, 3))), (A[0], (mask,))):
        lanes = (a is A, (True, *[False] * (len(index) - 1)))
        found = read_in_lanes(lanes, a, index)
        for lane in range(LANES):
            own = a[lane] if a is A else a
            np.testing.assert_array_equal(found[lane], own[(mask[lane], *index[1:])])
    assert read_in_lanes((True, (True,)), A[:0], (mask[:0],)).shape == (0, 4, 5, 3, 6)
