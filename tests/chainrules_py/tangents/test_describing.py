"""Errors name a value by what a reader needs of it, and stay short."""

import numpy as np
import pytest

from chainrules_py import ZERO, Tangent
from chainrules_py.tangents.describing import describe

CASES = [
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


@pytest.mark.parametrize(("value", "text"), CASES, ids=[text for _, text in CASES])
def test_a_value_in_a_few_words(value, text):
    assert describe(value) == text


def test_a_long_text_is_cut():
    assert len(describe("x" * 1000)) == 60
