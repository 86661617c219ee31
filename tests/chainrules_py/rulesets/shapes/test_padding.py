"""Equal entries share the cotangent of an extreme that pads equally."""

import numpy as np

from chainrules_py import rrule


def pulled(x, y_bar, *args, **options):
    return rrule(np.pad, x, *args, **options)[1](y_bar)[0]


def test_ties_share_equally():
    np.testing.assert_allclose(
        pulled(np.ones(4), np.array([4.0, 0, 0, 0, 0]), (1, 0), mode="maximum"), np.ones(4)
    )
