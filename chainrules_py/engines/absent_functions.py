"""Functions of NumPy's that an array library lacks, as programs of functions that it has by NumPy's
names.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.table.registry import default_rules


def body_of(function) -> Callable[..., Any] | None:
    """The program of other functions that one of NumPy's is; None where no rule says so."""
    bodies = (rule.body for rule in default_rules.rules(function))
    return next((body for body in bodies if body is not None), None)


def cond(x, p: Any = None, *, xp) -> Any:
    """The condition numbers of matrices, of all libraries with norms and singular values."""
    if p not in (None, 2, -2):
        return xp.linalg.matrix_norm(x, ord=p) * xp.linalg.matrix_norm(xp.linalg.inv(x), ord=p)
    s = xp.linalg.svdvals(x)
    return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]


def lstsq(a, b, rcond: float | None = None, *, xp) -> tuple[Any, Any, int, Any]:
    """The solution of least squares by singular values, and what NumPy gives beside it."""
    u, s, vh = xp.linalg.svd(a, full_matrices=False)
    eps = float(np.finfo(s.dtype).eps)
    relative = eps * max(a.shape) if rcond is None else rcond if 0 <= rcond < 1 else eps
    counts = s > relative * xp.max(s, initial=0.0)
    rank = int(xp.sum(counts))
    columns = b if b.ndim > 1 else b[:, None]
    inverse = xp.where(counts, 1 / xp.where(counts, s, 1.0), 0.0)
    x = adjoint(vh, xp) @ (inverse[:, None] * (adjoint(u, xp) @ columns))
    squares = xp.sum(xp.abs(columns - a @ x) ** 2, axis=0)
    if rank < a.shape[1] or a.shape[0] <= a.shape[1]:  # the system need not be overdetermined
        squares = squares[:0]
    return (x if b.ndim > 1 else x[:, 0]), squares, rank, s


def adjoint(a, xp) -> Any:
    """The conjugate of a transposed matrix."""
    return xp.conj(xp.matrix_transpose(a))
