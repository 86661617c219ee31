"""Fourier transforms of arrays of which an axis lies in several chunks, as of some cotangents:
these become one.
"""

from collections.abc import Callable
from inspect import signature
from typing import Any

import dask.array as da
import numpy as np

from chainrules_dask.errors import refused

OF_ONE_AXIS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
OF_SEVERAL = ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")


def in_whole_axes(name: str) -> Callable[..., Any]:
    """Dask's transform by this name, on chunks that have all of the axes."""
    parameters, lazy = signature(getattr(np.fft, name)), getattr(da.fft, name)

    def transform(*args, **options) -> Any:
        given = parameters.bind(*args, **options)
        given.apply_defaults()
        a, length, axes, norm, *out = given.arguments.values()
        if any(each is not None for each in out):
            return refused(f"fft.{name}(out=...)")()
        if axes is None:
            axes = range(-(a.ndim if length is None else len(length)), 0)
        whole = [axes] if name in OF_ONE_AXIS else axes
        return lazy(a.rechunk({axis % a.ndim: -1 for axis in whole}), length, axes, norm=norm)

    return transform


FUNCTIONS = {name: in_whole_axes(name) for name in (*OF_ONE_AXIS, *OF_SEVERAL)}
