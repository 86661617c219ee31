"""The rules of splitting functions put the cotangents of the parts together in place, where parts
overlap or are unused too.
"""

import numpy as np

from chainrules_py import ZERO, InplaceableThunk, Tangent, rrule
from chainrules_py.accumulation import accumulate, accumulated


def test_parts_accumulate_in_place():
    x, acc = np.ones(6), ZERO
    for _ in range(3):
        x_bar, _ = rrule(np.split, x, 2)[1](Tangent[list](np.ones(3), ZERO))
        assert isinstance(x_bar, InplaceableThunk)
        acc = accumulate(acc, x_bar)
        assert not x_bar.forced
    np.testing.assert_array_equal(accumulated(acc), [3.0, 3.0, 3.0, 0.0, 0.0, 0.0])
