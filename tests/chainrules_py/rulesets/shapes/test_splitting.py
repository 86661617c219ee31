"""The rules of splitting functions put the cotangents of the parts together in place, where parts
overlap or are unused too.
"""

import weakref

import numpy as np
import pytest

from chainrules_py import ZERO, InplaceableThunk, Tangent, rrule, unthunk
from chainrules_py.accumulation import accumulate, accumulated
from chainrules_py.rulesets.shapes.splitting import sections_of
from chainrules_py.testing import load_shipped
from chainrules_py.testing.pytest_cases import parametrize_rules

load_shipped()


@parametrize_rules(
    np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, np.unstack, np.ndarray.tolist
)
def test_splitting(case):
    case.run()


@pytest.mark.parametrize("sections", [1, 2, 3, 5, 9, [2], [1, 3], [3, 1], [-2], [0, 0, 9]])
def test_sections_are_those_of_numpy(sections):
    x = np.arange(5)
    expected = [part.tolist() for part in np.array_split(x, sections)]
    assert [x[section].tolist() for section in sections_of(sections, 5)] == expected


def test_unused_parts_are_zeros():
    (x_bar,) = rrule(np.split, np.ones(6), 3)[1](Tangent[list](ZERO, np.array([5.0, 7.0]), ZERO))
    np.testing.assert_array_equal(unthunk(x_bar), [0.0, 0.0, 5.0, 7.0, 0.0, 0.0])


def test_overlapping_parts_add_up():
    (x_bar,) = rrule(np.split, np.ones(4), [3, 1])[1]([np.ones(3), np.ones(0), 10 * np.ones(3)])
    np.testing.assert_array_equal(unthunk(x_bar), [1.0, 11.0, 11.0, 10.0])


def test_parts_accumulate_in_place():
    x, acc = np.ones(6), ZERO
    for _ in range(3):
        (x_bar,) = rrule(np.split, x, 2)[1](Tangent[list](np.ones(3), ZERO))
        assert isinstance(x_bar, InplaceableThunk)
        acc = accumulate(acc, x_bar)
        assert not x_bar.forced
    np.testing.assert_array_equal(accumulated(acc), [3.0, 3.0, 3.0, 0.0, 0.0, 0.0])


def test_the_argument_is_not_kept():
    x = np.ones(4)
    kept = weakref.ref(x)
    pullback = rrule(np.unstack, x)[1]
    del x
    assert kept() is None
    assert callable(pullback)
