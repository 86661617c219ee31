"""A known value is that of one call: the same arguments, and options that are equal."""

import numpy as np
import pytest

from chainrules_py.engines import KnownCall

X, Y = np.ones(2), np.ones(2)


@pytest.mark.parametrize(
    ("args", "options", "expected"),
    [
        ((X,), {"axis": (0, 1), "phi": 1.5}, True),
        ([X], {"phi": 1.5, "axis": (0, 1)}, True),
        ((Y,), {"axis": (0, 1), "phi": 1.5}, False),
        ((X, X), {"axis": (0, 1), "phi": 1.5}, False),
        ((X,), {"axis": (0, 1), "phi": 91.5}, False),
        ((X,), {"axis": (0, True), "phi": 1.5}, False),
        ((X,), {"phi": 1.5}, False),
    ],
)
def test_which_call_is_known(args, options, expected):
    known = KnownCall()
    known.call = (X,), {"axis": (0, 1), "phi": 1.5}, 7.0
    assert known.value_of(args, options) == (7.0 if expected else None)
