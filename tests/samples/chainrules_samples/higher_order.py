"""Samples of functions that call a function."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
from scipy import ndimage

from chainrules_py.rulesets.functions.higher_order import selected_entries
from chainrules_py.testing.samples import Draw, Sample, Samples, samples_for


def doubled(x) -> Any:
    """A function without a rule."""
    return x + x


MASK = np.array([True, False, True])
CALLS: dict[Callable[..., Any], Callable[[Draw], tuple[Any, ...]]] = {
    np.apply_along_axis: lambda draw: (doubled, 0, draw.any(2, 3)),
    np.piecewise: lambda draw: (draw.any(3), [MASK], [doubled, np.cos]),
    reduce: lambda draw: (np.multiply, [1.0, 2.0], draw.any(3)),
}


@samples_for(*CALLS)
def higher_order_samples(draw: Draw, primal: Callable[..., Any]) -> Samples:
    """Of functions with rules, and of one that calls these."""
    yield Sample(*CALLS[primal](draw))


@samples_for(reduce)
def reduce_samples(draw: Draw) -> Samples:
    """Without an initial value."""
    yield Sample(np.multiply, draw.any(3))


@samples_for(np.vectorize.__call__)
def vectorize_samples(draw: Draw) -> Samples:
    """Of nothing: NumPy's class asks for plain arrays, and an engine for one of its own."""
    yield Sample(np.vectorize(np.multiply), draw.any(0, 3), draw.any(3), error=ValueError)


@samples_for(map)
def map_samples(draw: Draw) -> Samples:
    """Of nothing: what `map` returns is an iterator, which cannot be compared."""
    yield Sample(np.multiply, error=TypeError)


@samples_for(ndimage.generic_filter)
def generic_filter_samples(draw: Draw) -> Samples:
    """With windows that are not square, and further arguments."""
    yield Sample(draw.any(3, 4), np.sum, options={"size": (2, 3), "mode": "wrap"})
    seen = {"footprint": [[1, 0], [1, 1]], "mode": "constant", "cval": 0.3, "origin": (-1, 0)}
    yield Sample(draw.any(2, 3), np.multiply.reduce, options=seen | {"extra_arguments": (0,)})


@samples_for(selected_entries)
def selected_entries_samples(draw: Draw) -> Samples:
    """Of a vector, and rows of a matrix."""
    yield Sample(draw.any(3), options={"mask": MASK})
    yield Sample(draw.any(3, 2), options={"mask": MASK})


@samples_for(np.apply_over_axes)
def apply_over_axes_samples(draw: Draw) -> Samples:
    """Of a function that drops its axis, and of one that keeps it."""
    yield Sample(np.sum, draw.any(2, 3, 2), [0, -1])
    yield Sample(np.cumsum, draw.any(2, 3), 1)
