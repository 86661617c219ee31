"""Median and order filters: the windows of `scipy.ndimage.rank_filter`, with zeros outside."""

from typing import Any

import numpy as np
from scipy import signal

from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.rulesets.scipy.ndimage.ranks import choice, windows
from chainrules_py.values.arrays import Array


def median_map(x, kernel_size, y, xp) -> LinearMap:
    """The middle of each window, three entries along each axis where nothing is said."""
    size = 3 if kernel_size is None else kernel_size
    index = windows(x.shape, np.asarray(size).tolist(), None, "constant", 0, None)
    return choice(x, y, index, index.shape[-1] // 2, 0.0, xp)


@linearised_rule(signal.medfilt)
def medfilt_linearised(volume: Array, *, kernel_size: Any = None, out, xp) -> LinearMap:
    return median_map(volume, kernel_size, out, xp)


@linearised_rule(signal.medfilt2d)
def medfilt2d_linearised(input: Array, *, kernel_size: Any = 3, out, xp) -> LinearMap:
    return median_map(input, kernel_size, out, xp)


@linearised_rule(signal.order_filter)
def order_filter_linearised(a: Array, *, domain, rank: int, out, xp) -> LinearMap:
    return choice(a, out, windows(a.shape, None, domain, "constant", 0, None), rank, 0.0, xp)
