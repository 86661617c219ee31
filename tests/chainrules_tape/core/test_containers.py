"""Containers have the leaves and structures that optree finds, where it is not installed, too."""

from collections import OrderedDict, defaultdict, deque, namedtuple

import numpy as np
import optree
import pytest

from chainrules_tape.core import trees

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


@pytest.mark.parametrize("seed", range(200))
def test_a_random_tree(seed, monkeypatch):
    monkeypatch.setattr(trees, "optree", lambda: None)
    tree = random_tree(np.random.default_rng(seed), 4)
    leaves, rebuilt = trees.flatten(tree)
    expected, spec = optree.tree_flatten(tree, none_is_leaf=True)
    assert len(leaves) == len(expected)
    assert all(one is other for one, other in zip(leaves, expected, strict=True))
    others = [f"other {number}" for number in range(len(leaves))]
    made = rebuilt(others)
    assert repr(made) == repr(spec.unflatten(others))  # with the order of keys
    assert trees.flatten(made)[0] == others
