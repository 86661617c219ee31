"""Samples of functions that call a function, which only an engine can differentiate."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from chainrules_py.errors import NoRuleError
from chainrules_py.testing.samples import Draw, Sample, Samples, samples_for


def doubled(x) -> Any:
    """A function without a rule."""
    return x + x


CALLS: dict[Callable[..., Any], Callable[[Draw], tuple[Any, ...]]] = {
    np.apply_along_axis: lambda draw: (doubled, 0, draw.any(2, 3)),
    np.piecewise: lambda draw: (draw.any(3), [[True, False, True]], [doubled, np.cos]),
    map: lambda draw: (np.multiply, draw.any(2, 3), [1.0, 2.0]),
    reduce: lambda draw: (np.multiply, [1.0, 2.0], draw.any(3)),
    np.vectorize.__call__: lambda draw: (np.vectorize(np.multiply), draw.any(3), 2.0),
}


@samples_for(*CALLS)
def higher_order_samples(draw: Draw, primal: Callable[..., Any]) -> Samples:
    """Without an engine."""
    yield Sample(*CALLS[primal](draw), error=NoRuleError)


@samples_for(reduce)
def reduce_samples(draw: Draw) -> Samples:
    """Without an initial value."""
    yield Sample(np.multiply, draw.any(3), error=NoRuleError)


@samples_for(np.apply_over_axes)
def apply_over_axes_samples(draw: Draw) -> Samples:
    """Of a function that drops its axis, and of one that keeps it."""
    yield Sample(np.sum, draw.any(2, 3, 2), [0, -1])
    yield Sample(np.cumsum, draw.any(2, 3), 1)
