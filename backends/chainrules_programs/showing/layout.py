"""Where the nodes of a directed acyclic graph go in a picture: in layers, after Sugiyama, Tagawa
and Toda (1981).

Four steps, each a function: a layer for each node, such that edges lead downwards; stand-ins where
an edge passes a layer, so that edges connect neighbouring layers only; an order within each layer
with few crossings, by sweeps in which each node goes to the mean place of its neighbours; and
coordinates, as near to the neighbours' as the boxes' widths allow.
"""

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Edge = tuple[int, int]
Layers = list[list[int]]
SWEEPS = 12


@dataclass(frozen=True)
class DrawingLayout:
    """The centre of each node, its layer, and for each edge the nodes that it passes, stand-ins
    included.
    """

    x: list[float]
    layer: list[int]
    paths: list[list[int]]


def lay_out(widths: Sequence[float], edges: Sequence[Edge], gap: float) -> DrawingLayout:
    """Places for nodes of these widths, `gap` apart; an edge leads from a smaller number to a
    larger one.

    >>> layout = lay_out([10, 10, 10], [(0, 2), (1, 2)], gap=2)
    >>> layout.layer, [x - layout.x[2] for x in layout.x]
    ([0, 0, 1], [-6.0, 6.0, 0.0])
    """
    layer = layers_of(len(widths), edges)
    paths, short, layer = with_stand_ins(layer, edges)
    sizes = [*widths, *[0.0] * (len(layer) - len(widths))]
    order = ordered(layer, short)
    return DrawingLayout(coordinates(order, short, sizes, gap), layer, paths)


def layers_of(count: int, edges: Sequence[Edge]) -> list[int]:
    """A layer for each node, below all that lead to it; then nodes move down to where they are
    used, if that makes no edge longer.
    """
    layer = [0] * count
    for start, end in sorted(edges):
        layer[end] = max(layer[end], layer[start] + 1)
    above, below = neighbours(count, edges)
    for node in reversed(range(count)):
        if below[node] and len(below[node]) >= len(above[node]):
            layer[node] = min(layer[end] for end in below[node]) - 1
    return layer


def with_stand_ins(
    layer: list[int], edges: Sequence[Edge]
) -> tuple[list[list[int]], list[Edge], list[int]]:
    """The path of each edge, the edges between neighbouring layers that they consist of, and the
    layers of all nodes.
    """
    layer, paths = list(layer), []
    for start, end in edges:
        passed = range(layer[start] + 1, layer[end])
        paths.append([start, *range(len(layer), len(layer) + len(passed)), end])
        layer += passed
    return paths, sorted({edge for path in paths for edge in pairwise(path)}), layer


def ordered(layer: Sequence[int], edges: Sequence[Edge]) -> Layers:
    """The nodes of each layer from left to right: of several sweeps the one with the fewest
    crossings.
    """
    order: Layers = [[] for _ in range(max(layer, default=-1) + 1)]
    for node, number in enumerate(layer):
        order[number].append(node)
    above, below = neighbours(len(layer), edges)
    best, fewest = order, crossings(order, below)
    for sweep in range(SWEEPS):
        if sweep % 2 == 0:
            order = swept(order, above, range(1, len(order)))
        else:
            order = swept(order, below, range(len(order) - 2, -1, -1))
        count = crossings(order, below)
        if count < fewest:
            best, fewest = order, count
    return best


def neighbours(count: int, edges: Sequence[Edge]) -> tuple[Layers, Layers]:
    """For each node those that lead to it, and those that it leads to."""
    above: Layers = [[] for _ in range(count)]
    below: Layers = [[] for _ in range(count)]
    for start, end in edges:
        above[end].append(start)
        below[start].append(end)
    return above, below


def swept(order: Layers, towards: Layers, numbers: range) -> Layers:
    """The layers of these numbers sorted by the mean place of the neighbours on one side."""
    order = [list(nodes) for nodes in order]
    place = {node: float(k) for nodes in order for k, node in enumerate(nodes)}
    for number in numbers:
        nodes = order[number]
        means = {node: mean([place[n] for n in towards[node]], place[node]) for node in nodes}
        nodes.sort(key=means.__getitem__)
        place.update((node, float(k)) for k, node in enumerate(order[number]))
    return order


def crossings(order: Layers, below: Layers) -> int:
    """How many pairs of edges cross."""
    total = 0
    for upper, lower in pairwise(order):
        place = {node: k for k, node in enumerate(lower)}
        ends: list[int] = []
        for node in upper:
            places = sorted(place[n] for n in below[node])
            total += sum(len(ends) - bisect_right(ends, k) for k in places)
            for k in places:
                insort(ends, k)
    return total


def coordinates(
    order: Layers, edges: Sequence[Edge], widths: Sequence[float], gap: float
) -> list[float]:
    """Centres near the mean of the neighbours', at least half of both widths and the gap apart."""
    above, below = neighbours(len(widths), edges)
    x = [0.0] * len(widths)
    for sweep in range(2 * SWEEPS):
        downwards = sweep % 2 == 0
        towards = above if downwards else below
        for nodes in order if downwards else reversed(order):
            wanted = [mean([x[n] for n in towards[node]], x[node]) for node in nodes]
            places = apart(wanted, [widths[node] for node in nodes], gap)
            for node, place in zip(nodes, places, strict=True):
                x[node] = place
    return x


def apart(wanted: Sequence[float], widths: Sequence[float], gap: float) -> list[float]:
    """The nearest places, in least squares, that keep the order and the distances: pool adjacent
    violators.

    >>> apart([0.0, 0.0, 100.0], [10, 10, 10], 2)
    [-6.0, 6.0, 100.0]
    """
    offsets = [0.0]
    for left, right in pairwise(widths):
        offsets.append(offsets[-1] + (left + right) / 2 + gap)
    # the sum and the number of places that have to move together
    blocks: list[tuple[float, int]] = []
    for place, offset in zip(wanted, offsets, strict=False):
        total, count = place - offset, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / count:
            more, others = blocks.pop()
            total, count = total + more, count + others
        blocks.append((total, count))
    starts = [total / count for total, count in blocks for _ in range(count)]
    return [start + offset for start, offset in zip(starts, offsets, strict=False)]


def mean(values: Sequence[float], otherwise: float) -> float:
    """The mean of values, if there are any."""
    return sum(values) / len(values) if values else otherwise
