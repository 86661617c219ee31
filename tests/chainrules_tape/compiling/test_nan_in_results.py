"""The search for NaN in results, wherever it stands in whatever containers."""

from collections import namedtuple

import numpy as np
import pytest

from chainrules_recorder.program import Value
from chainrules_tape.compiling.nan_in_results import FEW, nan_finder

Pair = namedtuple("Pair", "one other")
LEAVES = [
    np.float64(2.0),
    3.0,
    2.0 - 1.0j,
    np.ones(3),
    np.full((2, 2), -np.inf),
    np.ones((3, 3), complex).T,
    np.ones(5, np.float32)[::2],
    np.full(FEW + 1, 1e200),
    np.array(4.0),
]
NONE = [np.arange(3), np.ones(2, bool), np.empty(0), np.int64(3), 7, None, "text"]
CONTAINERS = [
    lambda x: x,
    lambda x: (x,),
    lambda x: [1.0, x],
    lambda x: {"a": np.ones(2), ("b", 1): {"c": x}},
    lambda x: Pair(x, (np.inf, -np.inf, ())),
]


def as_values(x):
    if isinstance(x, tuple):
        parts = [as_values(part) for part in x]
        return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
    if isinstance(x, list):
        return [as_values(part) for part in x]
    if isinstance(x, dict):
        return {key: as_values(part) for key, part in x.items()}
    return Value(x)


def with_nan(x):
    if not isinstance(x, np.ndarray):
        return type(x)(np.nan)
    found = x.copy()
    found[(-1,) * x.ndim] = np.nan
    return found


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("leaf", LEAVES, ids=str)
def test_one_nan(leaf, container):
    has_nan = nan_finder(as_values(container(leaf)))
    assert has_nan(container(leaf)) is False
    assert has_nan(container(with_nan(leaf))) is True


@pytest.mark.parametrize("leaf", NONE, ids=str)
def test_what_cannot_be_nan(leaf):
    assert nan_finder(as_values((leaf, 1.0)))((leaf, 1.0)) is False


def test_constants_of_a_result():
    assert nan_finder((np.array([np.nan]), Value(1.0)))((np.array([np.nan]), 1.0)) is True
