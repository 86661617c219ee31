"""Functions whose results need no guard in a recording.

    OF_FORM         return shapes and types, which the signature of a program fixes: constants
    FOLLOWS_SHAPES  return arrays whose shape and dtype follow from those of the arguments

Results of all others are guarded: their shape may depend on values, as that of `numpy.nonzero`.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from chainrules_programs.recording.operators import PYTHONS
from chainrules_py.annotations import Args

OF_FORM: frozenset[Any] = frozenset(
    {
        *(np.shape, np.ndim, np.size, np.result_type, np.iscomplexobj, np.isrealobj),
        *(np.can_cast, np.common_type, np.may_share_memory, np.shares_memory),
        *(np.broadcast_shapes, len),
    }
)

_NAMES = (
    *("sum", "prod", "mean", "std", "var", "max", "min", "amax", "amin", "ptp", "any"),
    *("all", "cumsum", "cumprod", "argmax", "argmin", "nansum", "nanprod", "nanmean"),
    *("nanstd", "nanvar", "nanmax", "nanmin", "nanargmax", "nanargmin", "nancumsum"),
    *("nancumprod", "median", "nanmedian", "average", "quantile", "percentile"),
    *("nanquantile", "nanpercentile", "reshape", "ravel", "transpose", "swapaxes"),
    *("moveaxis", "rollaxis", "squeeze", "expand_dims", "broadcast_to"),
    *("broadcast_arrays", "atleast_1d", "atleast_2d", "atleast_3d", "flip", "fliplr"),
    *("flipud", "rot90", "roll", "permute_dims", "matrix_transpose", "concatenate"),
    *("concat", "stack", "hstack", "vstack", "dstack", "column_stack", "block"),
    *("append", "unstack", "dot", "vdot", "inner", "outer", "tensordot", "einsum"),
    *("kron", "cross", "trace", "diagonal", "diag", "diagflat", "tril", "triu"),
    *("matmul", "vecdot", "where", "choose", "select", "take", "take_along_axis"),
    *("clip", "round", "around", "real", "imag", "angle", "conj", "conjugate", "copy"),
    *("astype", "asarray", "asanyarray", "array", "ascontiguousarray"),
    *("asfortranarray", "zeros_like", "ones_like", "empty_like", "full_like", "zeros"),
    *("ones", "empty", "full", "sort", "argsort", "argpartition", "partition"),
    *("searchsorted", "digitize", "isclose", "allclose", "array_equal", "array_equiv"),
    *("isin", "interp", "diff", "ediff1d", "gradient", "convolve", "correlate"),
    *("trapezoid", "cov", "corrcoef", "nan_to_num", "sinc", "i0", "unwrap", "polyval"),
    *("vander", "cumulative_sum", "cumulative_prod", "put_along_axis", "fill_diagonal"),
)
# real or complex by the entries; residuals where the rank is full
_LINALG = {*np.linalg.__all__}.difference(("eig", "eigvals", "lstsq"))


def _functions(module, names: Iterable[str]) -> set[Any]:
    return {getattr(module, name) for name in names if hasattr(module, name)}


_UFUNCS = {found for found in vars(np).values() if isinstance(found, np.ufunc)}

FOLLOWS_SHAPES: frozenset[Any] = frozenset(
    {
        *_UFUNCS,
        *[ufunc.reduce for ufunc in _UFUNCS if ufunc.nin == 2 and ufunc.nout == 1],
        *_functions(np, _NAMES),
        *(np.ndarray.astype, np.generic.astype),
        *_functions(np.linalg, _LINALG),
        *_functions(np.fft, np.fft.__all__),
        *(float, complex, round, np.ndarray, np.float64, np.complex128),
        *PYTHONS,
    }
)


_RAISING = _functions(
    np,
    [
        *("quantile", "percentile", "nanquantile", "nanpercentile", "nanargmax", "nanargmin"),
        *("average", "choose", "digitize", "put_along_axis"),
    ],
)


def raises_for_numbers(primal) -> bool:
    """Whether a function of NumPy's raises an error for some numbers, as `numpy.bincount` does."""
    return primal in _RAISING or primal not in FOLLOWS_SHAPES


def follows_shapes(primal, args: Args) -> bool:
    """Whether the shape and the dtype of a result are those of every other call on such arguments."""
    if primal not in FOLLOWS_SHAPES:
        return False
    return primal is not np.where or len(args) > 1
