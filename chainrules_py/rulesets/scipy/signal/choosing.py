"""Median and order filters: those of `scipy.ndimage`, with zeros outside."""

from typing import Any

import numpy as np
from scipy import ndimage, signal

from chainrules_py import Array, composed
from chainrules_py.values.arrays import call


def medians(function, x, kernel_size) -> Any:
    """The middle of each window, three entries along each axis where nothing is said."""
    sizes = np.broadcast_to(3 if kernel_size is None else kernel_size, (x.ndim,)).tolist()
    if not all(size % 2 for size in sizes):
        function(np.zeros((1,) * x.ndim), sizes)  # for its error
    return call(ndimage.median_filter, x, size=sizes, mode="constant")


@composed(signal.medfilt)
def medfilt(volume: Array, *, kernel_size: Any = None):
    return medians(signal.medfilt, volume, kernel_size)


@composed(signal.medfilt2d)
def medfilt2d(input: Array, *, kernel_size: Any = 3):
    return medians(signal.medfilt2d, input, kernel_size)


@composed(signal.order_filter)
def order_filter(a: Array, *, domain, rank: int):
    """The entry of each window that has a rank."""
    window = np.asarray(domain)
    if not all(size % 2 for size in window.shape):
        signal.order_filter(np.zeros((1,) * a.ndim), window, rank)  # for its error
    return call(ndimage.rank_filter, a, rank=rank, footprint=window, mode="constant")
