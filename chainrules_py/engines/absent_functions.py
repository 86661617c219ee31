"""Functions of NumPy's that an array library lacks, as programs of functions that it has by NumPy's
names.
"""

from functools import wraps
from typing import Any

import numpy as np

from chainrules_py.annotations import Function, Options
from chainrules_py.table.registry import default_rules

# Their bodies ask the library for its own order, and its own number of bins.
ASKING = frozenset({np.unique_values, np.histogram_bin_edges})


def body_of(function) -> Function | None:
    """The program of other functions that one of NumPy's is, called as that; None where no rule says
    so, or the program asks the library for the same function.
    """
    if function in ASKING:
        return None
    bodies = (rule.body for rule in default_rules.rules(function))
    body = next((body for body in bodies if body is not None), None)
    if body is None:
        return None

    @wraps(function)
    def call_body(*args, **options):
        _, given, named = default_rules.canonical(function, args, options)
        return body(*given, **named)

    return call_body


def by_body(function: Function) -> Function:
    """The program of others that a function is, found when it is called: rules come later."""

    @wraps(function)
    def call_body(*args, **options) -> Any:
        program: Any = body_of(function)
        return program(*args, **options)

    return call_body


def vecdot(x1, x2, *, axis: int = -1, xp) -> Any:
    """The products of vectors along an axis, which is counted in each array; the first are
    conjugated.
    """
    if axis >= 0:
        x1, x2 = xp.moveaxis(x1, axis, -1), xp.moveaxis(x2, axis, -1)
        axis = -1
    return xp.sum(xp.conj(x1) * x2, axis=axis)


def matvec(x1, x2, *, xp) -> Any:
    """The products of matrices and vectors."""
    return xp.matmul(x1, x2[..., None])[..., 0]


def vecmat(x1, x2, *, xp) -> Any:
    """The products of vectors, conjugated, and matrices."""
    return xp.matmul(xp.conj(x1)[..., None, :], x2)[..., 0, :]


def cond(x, p: Any = None, *, xp) -> Any:
    """The condition numbers of matrices, of all libraries with norms and singular values."""
    if p not in (None, 2, -2):
        return xp.linalg.matrix_norm(x, ord=p) * xp.linalg.matrix_norm(xp.linalg.inv(x), ord=p)
    s = xp.linalg.svdvals(x)
    return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]


def pinv(a, rcond: Any = None, hermitian: bool = False, *, rtol: Any = 1e-15, xp) -> Any:
    """The pseudoinverse, by singular values for Hermitian matrices, too."""
    u, s, vh = xp.linalg.svd(xp.conj(a), full_matrices=False)
    cutoff = rtol if rcond is None else rcond
    if cutoff is None:
        cutoff = max(a.shape[-2:]) * float(np.finfo(s.dtype).eps)
    counts = s > (cutoff * xp.max(s, axis=-1, initial=0.0))[..., None]
    inverse = xp.where(counts, 1 / xp.where(counts, s, 1.0), 0.0)
    return xp.swapaxes(vh, -1, -2) @ (inverse[..., None] * xp.swapaxes(u, -1, -2))


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


def nanmax(a, axis: Any = None, *, xp, **options) -> Any:
    """The largest entry that is not nan; nan where there is no other."""
    return extreme_without_nan(xp.max, -np.inf, a, axis, xp, options)


def nanmin(a, axis: Any = None, *, xp, **options) -> Any:
    """The smallest entry that is not nan; nan where there is no other."""
    return extreme_without_nan(xp.min, np.inf, a, axis, xp, options)


def extreme_without_nan(reduction, worst: float, a, axis, xp, options: Options) -> Any:
    """A reduction of an array that has another number in the place of every nan."""
    if a.dtype.kind not in "fc":
        return reduction(a, axis=axis, **options)
    is_nan = xp.isnan(a)
    found = reduction(xp.where(is_nan, worst, a), axis=axis, **options)
    if options.get("initial") is not None:
        return found
    is_empty = xp.all(is_nan, axis=axis, keepdims=options.get("keepdims", False))
    return xp.where(is_empty, np.nan, found)


def adjoint(a, xp) -> Any:
    """The conjugate of a transposed matrix."""
    return xp.conj(xp.matrix_transpose(a))
