"""Covariances and correlations."""

from typing import Any

import numpy as np

from chainrules_py import Array, Scalar, composed
from chainrules_py.rulesets.formulas.array_likes import ArrayLike


def variables_in_rows(m, is_in_columns: bool, dtype) -> Any:
    """Put one variable into each row."""
    rows = np.atleast_2d(m)
    return (rows.T if is_in_columns else rows).astype(dtype)


@composed(np.cov)
def cov(
    m: Array | Scalar,
    y: Array | Scalar | None = None,
    rowvar: object = True,
    bias: object = False,
    ddof: object = None,
    fweights: object = None,
    aweights: ArrayLike | None = None,
    *,
    dtype: Any = None,
    xp,
) -> Any:
    """A W A^H / f: rows A less their means, weights W of the columns, and f degrees of freedom."""
    dtype = dtype or np.result_type(*[x.dtype for x in (m, y) if x is not None], np.float64)
    x = variables_in_rows(m, not rowvar and m.ndim == 2, dtype)
    if y is not None:
        is_in_columns = not rowvar and y.ndim == 2 and y.shape[0] != 1
        x = xp.concatenate([x, variables_in_rows(y, is_in_columns, dtype)])

    weights = xp.ones(x.shape[1]) if fweights is None else fweights * xp.ones(x.shape[1])
    lost: Any = (1 if bias == 0 else 0) if ddof is None else ddof
    if aweights is not None:
        weights = weights * aweights
        lost = lost * xp.sum(weights * aweights) / xp.sum(weights)
    total = xp.sum(weights)
    freedom = xp.maximum(total - lost, 0.0)

    along = weights.astype(x.real.dtype)
    deviations = x - xp.sum(x * along, axis=1, keepdims=True) / total.astype(along.dtype)
    products = (deviations * along) @ xp.conj(deviations.T)
    return xp.squeeze(products / freedom.astype(along.dtype))


@composed(np.corrcoef)
def corrcoef(
    x: Array | Scalar,
    y: Array | Scalar | None = None,
    *,
    rowvar: bool = True,
    dtype: Any = None,
):
    """Covariances divided by the deviations of both variables."""
    covariances: Any = np.cov  # of values that NumPy's stubs have not heard of
    c = np.atleast_2d(covariances(x, y, rowvar, dtype=dtype))
    deviations = np.sqrt(np.real(np.diagonal(c)))
    c = c / deviations[:, None] / deviations
    c = within_one(c)
    return np.squeeze(c) if c.size > 1 else c[0, 0]  # of one variable it is a number


def within_one(c) -> Any:
    """Correlations as they are but for roundoff, in both parts."""
    if c.dtype.kind == "c":
        return np.clip(c.real, -1, 1) + 1j * np.clip(c.imag, -1, 1)
    return np.clip(c, -1, 1)
