"""Edges of bins, and what is in them: the derivatives that all histograms are made of.

Edges that come from the data are equally spaced between its smallest and its largest entry; given
ones are what was given. Counts are linear in the weights. As a density, counts are divided by their
total and by the volume of the bin.
"""

from typing import Any, NoReturn

from chainrules_py import ZERO, LinearMap, NotDifferentiableError, ProjectTo, is_zero
from chainrules_py.makers.products import strong_product
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.rulesets.formulas.array_likes import IDENTITY, NO_CHANGE
from chainrules_py.rulesets.reductions.reductions import picking
from chainrules_py.tangents import with_entries
from chainrules_py.values.arrays import shape_of


def spanning(a: Any, edges: Any, xp: Any) -> LinearMap:
    """The derivative of edges that are equally spaced from the smallest to the largest entry."""
    if ProjectTo(a).size == 0:
        return NO_CHANGE
    if xp.iscomplexobj(a):
        return LinearMap(_refuse_complex, _refuse_complex)
    low = picking(a, xp.min(a), None, False, None, None, xp)
    high = picking(a, xp.max(a), None, False, None, None, xp)
    part = xp.arange(edges.shape[0]) / (edges.shape[0] - 1)

    def edges_pushforward(a_dot: Any) -> Any:
        return (1 - part) * low.push(a_dot) + part * high.push(a_dot)

    def edges_pullback(edges_bar: Any) -> Any:
        return low.pull(xp.sum((1 - part) * edges_bar)) + high.pull(xp.sum(part * edges_bar))

    return LinearMap(edges_pushforward, edges_pullback)


def _refuse_complex(tangent: Any) -> NoReturn:
    got = "complex data, of whose edges NumPy drops the imaginary part"
    raise NotDifferentiableError(
        "a histogram", got, "pass real data, or the edges", primal=None, argument="a"
    )


def edge_maps(
    a: Any, bins: Any, span: Any, edges: Any, xp: Any
) -> tuple[LinearMap | None, LinearMap | None]:
    """The derivatives of the edges in the data and in the bins.

    Where bins are given, the edges are these.
    """
    if len(shape_of(bins)) == 1:
        return None, IDENTITY
    if isinstance(bins, tuple | list):
        return None, listed(bins, xp)
    return (spanning(a, edges, xp) if span is None else None), None


def listed(numbers: Any, xp: Any) -> LinearMap:
    """An array of numbers that came in a list or tuple."""

    def pushforward(dot: Any) -> Any:
        return xp.stack([xp.zeros(()) if is_zero(entry) else xp.asarray(entry) for entry in dot])

    def pullback(array_bar: Any) -> Any:
        return with_entries(type(numbers), {k: array_bar[k] for k in range(len(numbers))})

    return LinearMap(pushforward, pullback)


def range_map(span: Any, edges: Any, xp: Any) -> LinearMap | None:
    """The derivative of equally spaced edges in the two ends of the range that they span."""
    if span is None:
        return None
    ends, part = listed(span, xp), xp.arange(edges.shape[0]) / (edges.shape[0] - 1)
    both = xp.stack([1 - part, part])
    return LinearMap(
        lambda dot: xp.matmul(ends.push(dot), both),
        lambda edges_bar: ends.pull(xp.matmul(both, edges_bar)),
    )


def bin_numbers(a: Any, edges: Any, xp: Any) -> tuple[Any, Any]:
    """The bin of each entry, the last bin being closed, and whether it has one."""
    number = xp.searchsorted(edges, a, side="right") - 1
    last = edges.shape[0] - 2
    number = xp.where(a == edges[-1], last, number)
    return xp.clip(number, 0, last), (number >= 0) & (number <= last)


def counting(
    numbers: tuple[Any, ...], counted: Any, shape: tuple[int, ...], weights: Any, xp: Any
) -> LinearMap:
    """The derivative of counts in the weights: each weight is in one bin or in none."""
    flat, size = 0, 1
    for number, length in zip(numbers, shape, strict=True):
        flat, size = flat * length + number, size * length
    weights_shape = shape_of(weights)

    def counts_pushforward(weights_dot: Any) -> Any:
        kept = xp.where(counted, xp.reshape(weights_dot, -1), 0)
        return xp.reshape(scatter_add(kept, index=flat, shape=(size,), dtype=kept.dtype), shape)

    def counts_pullback(counts_bar: Any) -> Any:
        return xp.reshape(xp.where(counted, xp.reshape(counts_bar, -1)[flat], 0), weights_shape)

    return LinearMap(counts_pushforward, counts_pullback)


class Density:
    """hist = counts / (volume * total).

    This is the map from changes of the counts and of the bins' widths to changes of hist.
    """

    def __init__(self, hist: Any, counts: Any, edges: tuple[Any, ...], xp: Any) -> None:
        self.hist, self.xp, self.widths = hist, xp, tuple(xp.diff(e) for e in edges)
        self.total = xp.sum(counts)
        self.volume = 1.0
        for axis, width in enumerate(self.widths):
            self.volume = self.volume * self._along(width, axis)

    def _along(self, per_bin: Any, axis: int) -> Any:
        return self.xp.reshape(
            per_bin, tuple(-1 if k == axis else 1 for k in range(len(self.widths)))
        )

    def push_counts(self, counts_dot: Any) -> Any:
        """Counts are divided, and so is their share of the total."""
        return counts_dot / self.volume / self.total - self.hist * (
            self.xp.sum(counts_dot) / self.total
        )

    def pull_counts(self, hist_bar: Any) -> Any:
        """The adjoint of `push_counts`."""
        of_total = self.xp.sum(strong_product(hist_bar, self.hist))
        return strong_product(hist_bar, 1 / (self.volume * self.total)) - strong_product(
            of_total, 1 / self.total
        )

    def push_edges(self, edges_dot: Any, axis: int) -> Any:
        """Wider bins are less dense."""
        return -self.hist * self._along(self.xp.diff(edges_dot) / self.widths[axis], axis)

    def pull_edges(self, hist_bar: Any, axis: int) -> Any:
        """The adjoint of `push_edges`."""
        others = tuple(k for k in range(len(self.widths)) if k != axis)
        width_bar = strong_product(
            -self.xp.sum(strong_product(hist_bar, self.hist), axis=others), 1 / self.widths[axis]
        )
        zero = self.xp.zeros_like(width_bar[:1])
        return -self.xp.diff(self.xp.concatenate([zero, width_bar, zero]))


def through_edges(
    edges: LinearMap | None, density: Density | None, axis: int, count: int
) -> LinearMap | None:
    """A map to the edges as a map to the histogram and all its edges."""
    if edges is None:
        return None

    def pushforward(dot: Any) -> tuple[Any, ...]:
        edges_dot = edges.push(dot)
        moved = [ZERO] * count
        moved[axis] = edges_dot
        return (
            ZERO if density is None or is_zero(edges_dot) else density.push_edges(edges_dot, axis),
            *moved,
        )

    def pullback(y_bar: Any) -> Any:
        parts = tuple(y_bar)
        edges_bar = parts[1 + axis]
        if density is not None and not is_zero(parts[0]):
            edges_bar = edges_bar + density.pull_edges(parts[0], axis)
        return edges_bar if is_zero(edges_bar) else edges.pull(edges_bar)

    return LinearMap(pushforward, pullback)


def through_counts(counts: LinearMap, density: Density | None, count: int) -> LinearMap:
    """A map to the counts as a map to the histogram and its edges."""

    def pushforward(dot: Any) -> tuple[Any, ...]:
        counts_dot = counts.push(dot)
        return (
            counts_dot if density is None else density.push_counts(counts_dot),
            *(ZERO,) * count,
        )

    def pullback(y_bar: Any) -> Any:
        hist_bar = next(iter(y_bar))
        if is_zero(hist_bar):
            return hist_bar
        return counts.pull(hist_bar if density is None else density.pull_counts(hist_bar))

    return LinearMap(pushforward, pullback)
