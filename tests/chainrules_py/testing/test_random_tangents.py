"""Random tangents have the structure of their value, are the same for the same seed, and have no
entries 0 or 1.
"""

import subprocess
import sys

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, ZERO, Tangent, Thunk
from chainrules_py.testing import inner, random_tangent
from chainrules_py.testing.random_tangents import seeded


def test_no_entry_is_zero_or_one():
    entries = random_tangent(np.random.default_rng(0), np.ones(10_000))
    assert 0.5 <= np.abs(entries).min()
    assert np.abs(entries).max() <= 1.5
    assert not np.isin(np.abs(entries), [0.0, 1.0]).any()
    assert abs(np.mean(entries)) < 0.05


def test_the_same_seed_gives_the_same_numbers_in_another_process():
    code = (
        "from chainrules_py.testing.random_tangents import seeded; print(seeded('numpy.sin',"
        " 3).uniform())"
    )
    other = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert float(other) == seeded("numpy.sin", 3).uniform()


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (2.0, 3.0, 6.0),
        (1 + 2j, 3j, 6.0),
        (np.array([1j, 2.0]), np.array([1j, 1j]), 1.0),
        (ZERO, 3.0, 0.0),
        (np.ones(2), NO_TANGENT, 0.0),
        (Tangent[tuple](2.0, ZERO), Tangent[tuple](4.0, 5.0), 8.0),
        (Tangent[dict](a=2.0), {"a": 3.0, "b": 1.0}, 6.0),
        (Thunk(lambda: np.ones(3)), np.ones(3), 3.0),
        (np.zeros(0), np.zeros(0), 0.0),
    ],
)
def test_the_inner_product(a, b, expected):
    assert inner(a, b) == inner(b, a) == expected
