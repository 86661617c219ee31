"""Layers lead downwards, boxes do not overlap, crossings that need not be are not, straight chains
are straight.
"""

import random
from itertools import pairwise

import pytest

from chainrules_programs.showing.layout import (
    apart,
    crossings,
    lay_out,
    layers_of,
    neighbours,
    ordered,
    with_stand_ins,
)


def random_graph(seed, count=25):
    rng = random.Random(seed)
    edges = {(rng.randrange(end), end) for end in range(1, count) for _ in range(rng.randrange(3))}
    return [rng.uniform(20, 200) for _ in range(count)], sorted(edges)


@pytest.mark.parametrize("seed", range(8))
def test_any_graph(seed):
    widths, edges = random_graph(seed)
    layout = lay_out(widths, edges, gap=10)
    assert all(layout.layer[start] < layout.layer[end] for start, end in edges)
    assert [(path[0], path[-1]) for path in layout.paths] == edges
    for path in layout.paths:
        assert [layout.layer[node] for node in path] == [
            *range(layout.layer[path[0]], layout.layer[path[-1]] + 1)
        ]
    for number in set(layout.layer):
        row = sorted(
            (layout.x[n], widths[n]) for n in range(len(widths)) if layout.layer[n] == number
        )
        for (x0, w0), (x1, w1) in pairwise(row):
            assert x1 - x0 >= (w0 + w1) / 2 + 10 - 1e-9


def test_a_chain_is_straight():
    layout = lay_out([30, 80, 50], [(0, 1), (1, 2)], gap=10)
    assert layout.layer == [0, 1, 2]
    assert max(layout.x) - min(layout.x) < 1e-9


def test_inputs_sit_above_their_use():
    #     0 -> 2 -> 3 -> 4 <- 1
    assert layers_of(5, [(0, 2), (2, 3), (3, 4), (1, 4)]) == [0, 2, 1, 2, 3]


def test_a_ladder_is_untangled():
    edges = [(0, 5), (1, 4), (2, 3)]  # crossed, in the order of numbers
    _, short, layer = with_stand_ins(layers_of(6, edges), edges)
    _, below = neighbours(6, short)
    assert crossings([[0, 1, 2], [3, 4, 5]], below) == 3
    assert crossings(ordered(layer, short), below) == 0


def test_apart_keeps_what_fits_and_moves_the_rest_equally():
    assert apart([0.0, 30.0], [10, 10], 5) == [0.0, 30.0]
    assert apart([10.0, 10.0, 10.0], [10, 10, 10], 0) == [0.0, 10.0, 20.0]


def test_nothing_to_lay_out():
    assert lay_out([], [], gap=1).paths == []
