"""Counts of whole numbers for many examples at once."""

from typing import Any

import numpy as np

from chainrules_py import batched
from chainrules_py.batching.lanes import (
    Lanes,
    Same,
    is_known,
)
from chainrules_py.batching.parts import flat_in_lanes
from chainrules_py.batching.words import in_a_loop
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.values.arrays import shape_of


@batched.register(np.bincount)
def bincount_batched(lanes: Lanes, x: object, weights: object, *, minlength: int = 0):
    """Sums of the weights of each lane; how many there are depends on the numbers."""
    if shape_of(x)[-1:] == (0,):
        return Same(np.zeros(minlength, int))
    if lanes[0] and is_known(x):
        found = bincount_of_numbers_in_lanes(lanes, x, weights, minlength)
        if found is not None:
            return found
    if lanes[0] or weights is None:
        return in_a_loop(np.bincount, lanes)(x, weights, minlength=minlength)
    own: Any = weights
    numbers: Any = x
    count = max([minlength, *(np.asarray(numbers) + 1).tolist()])
    return scatter_add(
        own.astype(float), (slice(None), numbers), (own.shape[0], count), np.dtype(float)
    )


def bincount_of_numbers_in_lanes(lanes: Lanes, x, weights, minlength: int) -> Any:
    """Sums of the weights of numbers that differ from lane to lane.

    None where the greatest number does, and with it how many sums there are.
    """
    count = x.shape[0]
    if not x.size:
        return None
    greatest = np.maximum(x.max(axis=1) + 1, minlength)
    if (x < 0).any() or (greatest != greatest[0]).any():
        return None
    total = int(greatest[0])
    flat = (x + total * np.arange(count)[:, None]).reshape(-1)
    if weights is None:
        return np.bincount(flat, minlength=count * total).reshape((count, total))
    heavy = flat_in_lanes(lanes[1], weights, count)
    if heavy.shape != x.shape:
        return None
    return scatter_add(
        heavy.astype(float).reshape(-1), flat, (count * total,), np.dtype(float)
    ).reshape((count, total))
