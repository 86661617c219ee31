"""Products: linear in each factor, so each factor's adjoint is a product with the other."""

from typing import Any

import numpy as np

from chainrules_py.makers import ArraySpec, multilinear_rule
from chainrules_py.projection.broadcasting import unbroadcast


def _adjoint(a: Any, xp: Any) -> Any:
    """The conjugate transpose of the last two axes."""
    return xp.conj(xp.matrix_transpose(a))


def matmul_adjoint_a(y_bar: Any, a: ArraySpec, b: Any, *, xp: Any) -> Any:
    """a_bar = y_bar b^H, summed over the batch axes that `a` was broadcast along."""
    if b.ndim == 1:
        return unbroadcast(xp.expand_dims(y_bar, -1) * xp.conj(b), a.shape, xp)
    if a.ndim == 1:
        rows = xp.matmul(xp.conj(b), xp.expand_dims(y_bar, -1))
        return unbroadcast(xp.reshape(rows, rows.shape[:-1]), a.shape, xp)
    return unbroadcast(xp.matmul(y_bar, _adjoint(b, xp)), a.shape, xp)


def matmul_adjoint_b(y_bar: Any, a: Any, b: ArraySpec, *, xp: Any) -> Any:
    """b_bar = a^H y_bar, summed over the batch axes that `b` was broadcast along."""
    if a.ndim == 1 and b.ndim == 1:
        return y_bar * xp.conj(a)
    if a.ndim == 1:
        return unbroadcast(xp.expand_dims(xp.conj(a), -1) * xp.expand_dims(y_bar, -2), b.shape, xp)
    if b.ndim == 1:
        columns = xp.matmul(_adjoint(a, xp), xp.expand_dims(y_bar, -1))
        return unbroadcast(xp.reshape(columns, columns.shape[:-1]), b.shape, xp)
    return unbroadcast(xp.matmul(_adjoint(a, xp), y_bar), b.shape, xp)


multilinear_rule(np.matmul, matmul_adjoint_a, matmul_adjoint_b)
