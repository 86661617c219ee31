"""All special tangents share a base class, and arrays of other libraries leave arithmetic with them
to it.
"""

import numpy as np
import pytest

from chainrules_py.tangents import (
    NO_TANGENT,
    ZERO,
    InplaceableThunk,
    Tangent,
    Thunk,
    not_implemented,
)
from chainrules_py.tangents.describing import describe

SPECIAL = [
    ZERO,
    NO_TANGENT,
    not_implemented("reason"),
    Thunk(lambda: 1.0),
    InplaceableThunk(lambda buffer: None, lambda: 1.0, lambda: np.zeros(1)),
    Tangent[tuple](1.0),
]


@pytest.mark.parametrize("t", SPECIAL, ids=lambda t: type(t).__name__)
def test_arrays_of_other_libraries_defer_by_priority(t):
    class Deferring:  # as CuPy does: by the number, without __array_ufunc__
        def __add__(self, other):
            return (
                NotImplemented if getattr(other, "__array_priority__", 0) > 100 else "did not defer"
            )

    if t is ZERO or t is NO_TANGENT:
        x = Deferring()
        assert x + t is x
    else:
        assert t.__array_priority__ > 100


# --- Errors name a value by what a reader needs of it, and stay short ---

DESCRIBED = [
    (np.ones((2, 3), "f"), "ndarray of shape (2, 3) and dtype float32"),
    (np.float64(2), "float64 of shape () and dtype float64"),
    (None, "None"),
    (ZERO, "ZERO"),
    (2.5, "2.5"),
    ((1.0, np.ones(2)), "a tuple of 1.0, ndarray of shape (2,) and dtype float64"),
    ({"w": 1}, "a dict of w: 1"),
    (
        Tangent[tuple](np.ones(2), ZERO),
        "a Tangent[tuple] of ndarray of shape (2,) and dtype float64, ZERO",
    ),
    ([], "a list of length 0"),
    (np.sin, "a ufunc"),
]


@pytest.mark.parametrize(("value", "text"), DESCRIBED, ids=[text for _, text in DESCRIBED])
def test_a_value_in_a_few_words(value, text):
    assert describe(value) == text


def test_a_long_text_is_cut():
    assert len(describe("x" * 1000)) == 60
