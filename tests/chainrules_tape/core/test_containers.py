"""Containers taken apart in Python have the leaves, paths and structures that optree finds."""

import time
from collections import OrderedDict, defaultdict, deque, namedtuple
from functools import partial

import numpy as np
import optree
import pytest

from chainrules_tape.core import containers

Pair = namedtuple("Pair", "left right")
KEYS = ("b", "a", 3, 1.5, (2, "x"), None, True, "maxlen")
LEAF = object()


def random_tree(rng, depth):
    """A nest of Python's containers, with other objects as leaves."""
    if depth == 0 or rng.random() < 0.2:
        return [1.0, None, "text", np.ones(2), LEAF, {1, 2}, range(3)][rng.integers(7)]
    parts = [random_tree(rng, depth - 1) for _ in range(rng.integers(4))]
    keys = [KEYS[place] for place in rng.permutation(len(KEYS))[: len(parts)]]
    items = dict(zip(keys, parts, strict=True))
    return [
        *(tuple(parts), parts, items, OrderedDict(items), defaultdict(list, items)),
        *(deque(parts, 5), Pair(parts, items)),
    ][rng.integers(7)]


def description(x):
    """The text of a tree, which has the classes of containers and the order of keys."""
    return repr(x)


@pytest.mark.parametrize("seed", range(200))
def test_a_random_tree(seed):
    tree = random_tree(np.random.default_rng(seed), 4)
    leaves, structure = containers.tree_flatten(tree)
    expected, spec = optree.tree_flatten(tree, none_is_leaf=True)
    assert len(leaves) == len(expected)
    assert all(one is other for one, other in zip(leaves, expected, strict=True))
    assert description(structure.unflatten(leaves)) == description(tree)
    others = [f"other {number}" for number in range(len(leaves))]
    made = structure.unflatten(others)
    assert description(made) == description(spec.unflatten(others))
    again = containers.tree_flatten(made)
    assert again == (others, structure)
    assert hash(again[1]) == hash(structure)


@pytest.mark.parametrize("seed", range(100))
def test_trees_that_begin_as_others_do(seed):
    """A part of a tree stands for all that is beneath it; other structures raise ValueError."""
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 3)
    axes = random_tree(rng, 2) if seed % 2 else beginning(tree, rng)
    found = [calls(function, axes, tree) for function in (containers.tree_map_, optree.tree_map_)]
    assert found[0] == found[1]


def beginning(tree, rng):
    """A tree with some parts in the place of what they have beneath them."""
    parts = containers.taken_apart(tree)
    if parts is None or rng.random() < 0.2:
        return None
    _, structure = containers.tree_flatten(tree)
    below = [beginning(part, rng) for part in parts.values()]
    shallow = structure._replace(parts=(containers.Structure(),) * len(parts))
    return shallow.unflatten(below)


def calls(tree_map_, axes, tree):
    """What a function is called with, in order; ValueError where it is not called to the end."""
    found = []
    note = partial(lambda axis, part: found.append((id(axis), id(part))))
    try:
        tree_map_(note, axes, tree, is_leaf=lambda x: x is None, none_is_leaf=True)
    except ValueError:
        return ValueError
    return found


def test_what_is_no_container_is_a_leaf():
    for leaf in (1.0, time.localtime(0), type("List", (list,), {})([1.0])):
        assert containers.tree_flatten(leaf)[0] == [leaf]
