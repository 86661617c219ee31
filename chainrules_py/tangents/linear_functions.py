"""The linear functions of NumPy, each with the arguments that it is linear in.

Linear means: zero in, zero out, and sums and real multiples pass through. These tables are
mathematics, not policy; `numpy_protocols` says what happens with them.
"""

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.tangents import arithmetic

ARITHMETIC: dict[Any, Function] = {
    np.add: arithmetic.add,
    np.subtract: arithmetic.subtract,
    np.multiply: arithmetic.multiply,
    np.divide: arithmetic.divide,
    np.negative: arithmetic.negative,
    np.positive: arithmetic.positive,
    np.conjugate: arithmetic.conjugate,
}

LINEAR_UFUNCS: dict[Any, tuple[int, ...]] = {
    **dict.fromkeys((np.deg2rad, np.rad2deg, np.radians, np.degrees, np.ldexp), (0,)),
    **dict.fromkeys((np.matmul, np.vecdot, np.matvec, np.vecmat), (0, 1)),
}

_FFTS = (
    *("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2"),
    *("fftn", "ifftn", "rfftn", "irfftn", "fftshift", "ifftshift"),
)


@functools.cache
def linear_functions() -> dict[Any, tuple[int, ...]]:
    """List NumPy's linear functions that are no ufuncs, with the positions of those arguments.

    Made when the first is asked for: naming numpy.fft imports it, which takes a tenth of the time
    that this package has.
    """
    first = (
        *(np.real, np.imag, np.real_if_close, np.copy, np.astype),
        *(np.sum, np.mean, np.cumsum, np.cumulative_sum, np.trace, np.linalg.trace, np.average),
        *(np.diff, np.trapezoid),
        *(np.reshape, np.ravel, np.squeeze, np.expand_dims, np.broadcast_to),
        *(np.atleast_1d, np.atleast_2d, np.atleast_3d),
        *(np.transpose, np.matrix_transpose, np.linalg.matrix_transpose),
        *(np.moveaxis, np.rollaxis, np.swapaxes),
        *(np.flip, np.fliplr, np.flipud, np.roll, np.rot90),
        *(np.diag, np.diagflat, np.diagonal, np.linalg.diagonal, np.tril, np.triu),
        *(np.take, np.take_along_axis, np.delete, np.repeat, np.tile, np.pad),
        *(getattr(np.fft, name) for name in _FFTS),
    )
    second = (np.compress, np.extract, np.linalg.solve, np.linalg.tensorsolve)
    both = (
        *(np.dot, np.vdot, np.inner, np.outer, np.kron, np.tensordot, np.cross),
        *(np.convolve, np.correlate),
        *(np.linalg.matmul, np.linalg.vecdot, np.linalg.outer, np.linalg.cross),
        np.linalg.tensordot,
    )
    return {
        **dict.fromkeys(first, (0,)),
        **dict.fromkeys(second, (1,)),
        **dict.fromkeys(both, (0, 1)),
        np.interp: (2,),
    }


# Options that add something, so that the function is no longer linear in the argument alone. Their
# values that do not:
AFFINE_OPTIONS: dict[str, Callable[[Any], bool]] = {
    "initial": lambda value: value is np._NoValue or value == 0,
    "prepend": lambda value: value is np._NoValue,
    "append": lambda value: value is np._NoValue,
    "constant_values": lambda value: np.ndim(value) == 0 and value == 0,
    "end_values": lambda value: np.ndim(value) == 0 and value == 0,
    "returned": operator.not_,
    "mode": (
        lambda value: value not in ("maximum", "minimum", "median", "empty") and not callable(value)
    ),
}

# Linear in all the arrays together, which only np.stack can say the shapes of.
JOINING = (np.concatenate, np.stack, np.hstack, np.vstack, np.dstack, np.column_stack)
