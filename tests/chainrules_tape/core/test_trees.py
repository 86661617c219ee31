"""Trees: tangents of them admitted, and arrays handed over that nobody else holds."""

from collections import namedtuple

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, ZERO, SeedError, Tangent
from chainrules_tape.core.trees import TreeSpace, filled_tree, flatten, unshared
from chainrules_tape.overwriting.arguments import copied_leaf

Pair = namedtuple("Pair", "a b")


def test_tangents_of_a_tree_are_admitted_by_structure():
    tree = {"a": Pair(1.0, np.ones(2)), "n": 3}
    space = TreeSpace(*flatten(tree))
    natural = space.leaves({"a": Pair(2.0, np.zeros(2)), "n": NO_TANGENT}, flatten)
    assert natural[0] == 2.0
    assert natural[2] is ZERO
    assert space.leaves(Tangent[dict]({"a": Tangent[Pair](a=5.0)}), flatten) == [5.0, ZERO, ZERO]
    assert space.leaves(ZERO, flatten) == [ZERO] * 3
    for wrong in (None, 1.0, {"a": 1.0}, {"a": Pair(1.0, np.ones(3))}, {"b": 1.0}):
        with pytest.raises(SeedError):
            space.leaves(wrong, flatten)


def test_filled_has_the_structure_of_the_skeleton():
    assert filled_tree(Tangent[tuple](1.0, ZERO), (None, [None, None])) == (1.0, [ZERO, ZERO])


def test_a_fresh_array_is_handed_over():
    def address(x):
        return x.__array_interface__["data"][0]

    made_at = []

    def fresh():
        made = np.ones(100)
        made_at.append(address(made))
        return made

    (found,) = unshared([fresh()])
    assert address(found) == made_at[0]


def test_held_viewed_and_read_only_arrays_are_copied():
    held = np.ones(3)
    frozen = np.ones(3)
    frozen.flags.writeable = False
    for leaf in (held, held[1:], np.broadcast_to(1.0, (2, 2)), frozen):
        (found,) = unshared([leaf])
        assert not np.shares_memory(found, leaf)
        assert found.flags.writeable
        np.testing.assert_array_equal(found, leaf)


def test_other_leaves_pass():
    assert unshared([1.0, "text", None]) == [1.0, "text", None]
    x = np.ones(2)
    assert copied_leaf(x) is not x
    assert copied_leaf(2.0) == 2.0
