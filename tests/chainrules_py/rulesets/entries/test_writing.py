"""Rules of assignments and sums at an index, by the kit's oracle: each as a function that copies
its argument first.
"""

import operator

import numpy as np
import pytest

from chainrules_py import ZERO, frule, rrule
from overwriting import KEEPS_TRACK, check_overwriting_rule

DRAW = np.random.default_rng(3)
MASK = DRAW.random((3, 4)) < 0.5


INDICES = {
    "an entry": ((1, 2), ()),
    "a row": (1, (4,)),
    "a row, one number": (1, ()),
    "a slice": (slice(1, None), (2, 4)),
    "broadcast": (slice(None), (4,)),
    "leading ones": (slice(None), (1, 3, 4)),
    "everything, one number": (..., ()),
    "a mask": (MASK, (int(MASK.sum()),)),
    "a mask of rows": (np.array([True, False, True]), (4,)),
    "positions": (np.array([2, 0]), (2, 4)),
    "pairs": ((np.array([2, 0]), np.array([1, 1])), (2,)),
    "nothing": (slice(0, 0), (0, 4)),
    "a row twice": (np.array([2, 0, 2]), (3, 4)),
    "an entry twice": ((np.array([2, 0, 2]), np.array([1, 1, 1])), (3,)),
    "negative positions": (np.array([-1, 2]), (2, 4)),
    "a number": (np.array([0, 0]), ()),
}


CASES = [
    (primal, *case)
    for primal in (operator.setitem, np.add.at, np.subtract.at)
    for name, case in INDICES.items()
    if primal is operator.setitem or name != "leading ones"
]


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize(("primal", "index", "shape"), CASES)
def test_by_the_oracle(primal, index, shape, dtype):
    a, values = (
        DRAW.normal(size=s) + (1j * DRAW.normal(size=s) if dtype is complex else 0.0)
        for s in ((3, 4), shape)
    )
    check_overwriting_rule(primal, a, (index,), values if shape else values[()])


def test_a_real_array_takes_the_real_part_of_a_cotangent():
    a = np.zeros(2, complex)
    _, pullback = rrule(operator.setitem, a, 0, 2.0, config=KEEPS_TRACK)
    a_bar, _, value_bar = pullback(np.array([1.0 + 2.0j, 3.0j]))
    assert a.tolist() == [2.0, 0.0]
    assert a_bar.tolist() == [0.0, 3.0j]
    assert value_bar == 1.0


def test_the_value_is_the_argument_itself():
    a = np.zeros(3)
    assert rrule(operator.setitem, a, 0, 2.0, config=KEEPS_TRACK)[0] is a
    assert frule((np.ones(3), ZERO, ZERO), operator.setitem, a, 0, 2.0, config=KEEPS_TRACK)[0] is a
