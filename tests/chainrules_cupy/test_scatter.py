"""What is written twice: sums add up, and of values the last one counts, as NumPy has it."""

import numpy as np
import pytest

from chainrules_cupy.library import implementation
from chainrules_cupy.scatter import writers
from chainrules_py import rrule
from chainrules_py.rulesets.entries.replacing import replaced, writers as by_numpy
from stand_ins.devices import GPU
from stand_ins.waiting import staying

cupy = pytest.importorskip("cupy")

INDICES = {
    "vector": (np.array([0, 2, 0, 1]), (4,)),
    "negative": (np.array([-1, 2, 0]), (3,)),
    "rows": (np.array([1, 1]), (2, 3)),
    "two axes": ((np.array([0, 1, 0]), np.array([2, 0, 2])), (2, 3)),
    "with a slice": ((slice(None), np.array([1, 1])), (2, 3)),
}


@pytest.mark.gpu
@pytest.mark.parametrize("name", INDICES)
def test_the_last_writer(name):
    index, shape = INDICES[name]
    index_on_device = GPU.put(index)
    with staying():
        found = writers(index_on_device, shape)
    np.testing.assert_array_equal(found.get(), by_numpy(index, shape))


@pytest.mark.gpu
@pytest.mark.parametrize("name", INDICES)
def test_replacing_and_its_pullback(name):
    index, shape = INDICES[name]
    a, values = np.zeros(shape), np.random.default_rng(0).normal(size=np.zeros(shape)[index].shape)
    y, pullback = rrule(replaced, a, index, values)
    y_bar = np.random.default_rng(1).normal(size=shape)
    *arguments, y_bar_on_device = GPU.put((a, index, values, y_bar))
    with staying():
        found, found_pullback = rrule(replaced, *arguments)
        bars = found_pullback(y_bar_on_device)
    np.testing.assert_array_equal(found.get(), y)
    for got, wanted in zip(bars[::2], pullback(y_bar)[::2], strict=True):
        np.testing.assert_array_equal(got.get(), wanted)


def test_functions_of_the_rules_have_implementations_of_their_own():
    assert implementation(replaced).__module__ == "chainrules_cupy.scatter"
    assert implementation(len) is None
