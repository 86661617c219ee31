"""Functions of CuPy's that in some case give other numbers than NumPy's, or write into an argument.

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


def polyfit(cp, x, y, deg: int, *, w: Any = None, **options) -> Any:
    """The coefficients of the best polynomial; CuPy multiplies the caller's `y` by the weights, in
    place.
    """
    return cp.polyfit(x, y if w is None else cp.array(y), deg, w=w, **options)


def cov(
    cp,
    m,
    y: Any = None,
    *,
    rowvar: bool = True,
    bias: bool = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
    dtype: Any = None,
) -> Any:
    """The covariances of the rows; with weights, CuPy takes the plain means off the rows and not
    the weighted ones.
    """
    if fweights is None and aweights is None:
        return cp.cov(m, y, rowvar=rowvar, bias=bias, ddof=ddof, dtype=dtype)
    x = variables(cp, m, y, rowvar, dtype)
    weights = cp.ones(x.shape[1]) if fweights is None else fweights * 1.0
    used = int(not bias) if ddof is None else ddof
    if aweights is not None:
        weights = weights * aweights
        used = used * (cp.sum(weights * aweights) / cp.sum(weights))

    total = cp.sum(weights)
    mean = cp.sum(x * weights, axis=1, keepdims=True) / total
    centred = x - mean
    products = cp.matmul(centred * weights, cp.conj(centred).T)
    degrees_of_freedom = cp.maximum(total - used, 0)
    return cp.squeeze(products / degrees_of_freedom)


def variables(cp, m, y, rowvar: bool, dtype) -> Any:
    """One variable per row; a second argument with a single row is one variable, whatever `rowvar`
    says.
    """
    first = m.T if m.ndim == 2 and not rowvar else cp.atleast_2d(m)
    parts = [first]
    if y is not None:
        parts.append(y.T if y.ndim == 2 and not rowvar and y.shape[0] != 1 else cp.atleast_2d(y))
    kept = dtype or np.result_type(*(part.dtype for part in parts), np.float64)
    return cp.concatenate([part.astype(kept) for part in parts], axis=0)


MAIN = (float_power, nanvar, nanstd, polyfit, cov)
