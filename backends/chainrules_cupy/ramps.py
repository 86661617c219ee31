"""Numbers in equal steps between arrays, and windows that slide over one: CuPy's own functions look at
the steps and the lengths on the device before they answer, and wait for that.
"""

from typing import Any

import numpy as np

from chainrules_cupy.numbers import NUMBERS
from chainrules_py.engines import body_of


def linspace(cp, start, stop, *args, **options) -> Any:
    """Numbers in equal steps from `start` to `stop`: between arrays by the program of the rules."""
    if isinstance(start, NUMBERS) and isinstance(stop, NUMBERS):
        return cp.linspace(start, stop, *args, **options)
    program: Any = body_of(np.linspace)
    return program(start, stop, *args, **options)


def pad(cp, array, pad_width, mode: Any = "constant", **options) -> Any:
    """An array with more entries around it; ramps by the program of the rules."""
    if mode != "linear_ramp":
        return cp.pad(array, pad_width, mode, **options)
    program: Any = body_of(np.pad)
    return program(array, pad_width, mode, **options)


def sliding_window_view(
    cp, x, window_shape, axis: Any = None, *, subok: bool = False, writeable: bool = False
) -> Any:
    """A view of every window; NumPy checks the lengths, on an array that takes no memory."""
    of_host = np.lib.stride_tricks.sliding_window_view(
        np.broadcast_to(np.False_, x.shape), window_shape, axis
    )
    axes = range(x.ndim) if axis is None else np.atleast_1d(axis).tolist()
    strides = (*x.strides, *(x.strides[k] for k in axes))
    return cp.lib.stride_tricks.as_strided(x, shape=of_host.shape, strides=strides)
