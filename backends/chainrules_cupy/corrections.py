"""Functions of CuPy's that in some case give other numbers than NumPy's.

As in `completions`, each takes CuPy itself as `cp`; every other case is CuPy's own. Seen in CuPy
14.2.
"""

from typing import Any

import numpy as np


def float_power(cp, x1, x2, **options) -> Any:
    """x1**x2 in double precision; of complex64, CuPy computes it in single, and says that 0**0 is
    nan.
    """
    if any(getattr(x, "dtype", None) == np.complex64 for x in (x1, x2)):
        x1, x2 = (x.astype(np.complex128) if hasattr(x, "astype") else x for x in (x1, x2))
    return cp.float_power(x1, x2, **options)


def nanvar(cp, a, axis: Any = None, *, ddof: Any = 0, keepdims: bool = False, **options) -> Any:
    """The variance of what is not nan; CuPy drops the fraction of `ddof`."""
    if float(ddof).is_integer():
        return cp.nanvar(a, axis=axis, ddof=int(ddof), keepdims=keepdims, **options)
    variance = cp.nanvar(a, axis=axis, keepdims=keepdims, **options)
    count = cp.sum(~cp.isnan(a), axis=axis, keepdims=keepdims).astype(variance.dtype)
    return cp.where(count > ddof, variance * (count / (count - ddof)), np.nan).astype(
        variance.dtype
    )


def nanstd(cp, a, axis: Any = None, *, ddof: Any = 0, keepdims: bool = False, **options) -> Any:
    """The root of the variance of what is not nan."""
    if float(ddof).is_integer():
        return cp.nanstd(a, axis=axis, ddof=int(ddof), keepdims=keepdims, **options)
    return cp.sqrt(nanvar(cp, a, axis, ddof=ddof, keepdims=keepdims, **options))


MAIN = (float_power, nanvar, nanstd)
