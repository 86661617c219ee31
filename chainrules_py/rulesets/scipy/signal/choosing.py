"""Median and order filters: those of `scipy.ndimage`, with zeros outside."""

from typing import Any

import numpy as np
from scipy import ndimage, signal

from chainrules_py import Array, composed
from chainrules_py.makers.by_source import by_source
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.values.arrays import call


def median_filter(function) -> None:
    """Give a body to a filter that takes the middle of each window, three entries along each axis
    where nothing is said.
    """

    @with_options(function, "kernel_size", composed)
    def medians(image: Array, *, options: Options) -> Any:
        size = 3 if options.kernel_size is None else options.kernel_size
        sizes = np.broadcast_to(size, (image.ndim,)).tolist()
        if not all(each % 2 for each in sizes):
            function(np.zeros((1,) * image.ndim), sizes)  # for its error
        return call(ndimage.median_filter, image, size=sizes, mode="constant")


median_filter(signal.medfilt)
median_filter(signal.medfilt2d)
by_source(signal.order_filter)
