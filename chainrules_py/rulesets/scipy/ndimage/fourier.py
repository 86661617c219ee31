"""Filters of Fourier transforms: each multiplies every frequency by a number of its own."""

import numpy as np
from scipy import ndimage

from chainrules_py.rulesets.scipy.linear_pairs import array_like, linear_pair
from chainrules_py.values.arrays import call


def declare_multiplier(function, options: str) -> None:
    """The adjoint multiplies by the conjugate numbers, the function's answer to ones."""

    def multiplier_adjoint(y_bar, shape: tuple[int, ...], **given):
        return np.conj(call(function, array_like(np.ones(shape, complex), y_bar), **given)) * y_bar

    linear_pair(function, multiplier_adjoint, options)


declare_multiplier(ndimage.fourier_gaussian, "sigma n axis")
declare_multiplier(ndimage.fourier_uniform, "size n axis")
declare_multiplier(ndimage.fourier_ellipsoid, "size n axis")
declare_multiplier(ndimage.fourier_shift, "shift n axis")
