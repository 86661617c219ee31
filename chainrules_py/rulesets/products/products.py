"""Products: linear in each factor, so each factor's adjoint is a product with the other.

Complex: <a_bar, a_dot> = Re sum conj(a_bar) a_dot, so the other factor comes conjugated; where a
product conjugates its first factor itself (`vdot`), the adjoint conjugates the cotangent instead.
"""

from typing import Any

import numpy as np

from chainrules_py import Array, Scalar, Space, composed, linear_rule
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.projection.structured import adjoint
from chainrules_py.tangents import MatrixProduct
from chainrules_py.values.arrays import shape_of

_LARGE = 1 << 14  # entries, from which making a thunk costs nothing to speak of


def conj(x, xp) -> Any:
    """The conjugate; of a real array itself, not the copy that `xp.conj` makes."""
    is_real = hasattr(x, "dtype") and x.dtype.kind != "c"
    return x if is_real else xp.conj(x)


# --- Matrix products: vectors, matrices and stacks of them ---


def matmul_adjoint_a(y_bar, a: Space, b, *, xp):
    """a_bar = y_bar b^H, summed over the batch axes that `a` was broadcast along."""
    if b.ndim == 1:
        return unbroadcast(y_bar[..., None] * conj(b, xp), a.shape, xp)
    if a.ndim == 1:
        if b.ndim == 2:
            return xp.matmul(conj(b, xp), y_bar)
        rows = xp.matmul(conj(b, xp), y_bar[..., None])
        return unbroadcast(xp.reshape(rows, rows.shape[:-1]), a.shape, xp)
    if _is_large_and_plain(y_bar, a, b):
        # It is multiplied when it is needed, perhaps into a sum that is there already.
        return MatrixProduct(y_bar, b.swapaxes(-1, -2))
    return unbroadcast(xp.matmul(y_bar, adjoint(b, xp)), a.shape, xp)


def _is_large_and_plain(y_bar, a: Space, b) -> bool:
    """Whether a product has many entries, of plain floating-point arrays without broadcasting."""
    if not (type(y_bar) is type(b) is np.ndarray and y_bar.dtype is b.dtype is a.dtype):
        return False
    is_large = a.size >= _LARGE and a.dtype.kind == "f"
    return is_large and a.shape[:-2] == b.shape[:-2] and a.ndim == y_bar.ndim


def matmul_adjoint_b(y_bar, a, b: Space, *, xp):
    """b_bar = a^H y_bar, summed over the batch axes that `b` was broadcast along."""
    if a.ndim == 1 and b.ndim == 1:
        return y_bar * conj(a, xp)
    if a.ndim == 1:
        return unbroadcast(conj(a, xp)[..., None] * y_bar[..., None, :], b.shape, xp)
    if b.ndim == 1:
        if a.ndim == 2:
            return xp.matmul(y_bar, conj(a, xp))
        columns = xp.matmul(adjoint(a, xp), y_bar[..., None])
        return unbroadcast(xp.reshape(columns, columns.shape[:-1]), b.shape, xp)
    return unbroadcast(xp.matmul(adjoint(a, xp), y_bar), b.shape, xp)


linear_rule(np.matmul, matmul_adjoint_a, matmul_adjoint_b)


@composed(np.matvec)
def matvec(x1: Array, x2: Array, *, xp) -> Any:
    """Of several vectors, each is one column."""
    return xp.matmul(x1, x2) if x2.ndim == 1 else xp.matmul(x1, x2[..., None])[..., 0]


@composed(np.vecmat)
def vecmat(x1: Array, x2: Array, *, xp) -> Any:
    """Of several vectors, which are conjugated, each is one row."""
    rows = conj(x1, xp)
    return xp.matmul(rows, x2) if x1.ndim == 1 else xp.matmul(rows[..., None, :], x2)[..., 0, :]


# --- Inner and outer products ---


@composed(np.vecdot)
def vecdot(x1: Array, x2: Array, *, axis: int = -1, xp) -> Any:
    """Sums of products, the first factor conjugated; the axis is that of each factor."""
    x1, x2 = [x if axis == -1 else xp.moveaxis(x, axis, -1) for x in (x1, x2)]
    return xp.sum(xp.multiply(conj(x1, xp), x2), axis=-1)


def vdot_adjoint_a(y_bar, a: Space, b, *, xp):
    """y = sum conj(a) b, so a_bar = conj(y_bar) b."""
    return xp.reshape(conj(y_bar, xp) * b, a.shape)


def vdot_adjoint_b(y_bar, a, b: Space, *, xp):
    """b_bar = y_bar a."""
    return xp.reshape(y_bar * a, b.shape)


linear_rule(np.vdot, vdot_adjoint_a, vdot_adjoint_b)


@composed(np.outer)
def outer(a: Array | Scalar, b: Array | Scalar, *, xp) -> Any:
    """Each entry of one flat factor times each of the other."""
    return xp.multiply(xp.reshape(a, (-1, 1)), xp.reshape(b, (1, -1)))


@composed(np.kron)
def kron(a: Array | Scalar, b: Array | Scalar, *, xp) -> Any:
    """Each entry of one times the other: (m, 1) against (1, n) on every axis."""
    rank = max(len(shape_of(a)), len(shape_of(b)))
    of_a, of_b = [(1,) * (rank - len(shape)) + shape for shape in map(shape_of, (a, b))]
    left = xp.reshape(a, tuple([length for m in of_a for length in (m, 1)]))
    right = xp.reshape(b, tuple([length for n in of_b for length in (1, n)]))
    lengths = tuple([m * n for m, n in zip(of_a, of_b, strict=True)])
    return xp.reshape(xp.multiply(left, right), lengths)


# --- Vector products ---


@composed(np.cross)
def cross(
    a: Array,
    b: Array,
    *,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
    xp,
) -> Any:
    """The differences of products of components; of vectors of two entries the third is zero."""
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis,) * 3
    u, v = xp.moveaxis(a, axisa, -1), xp.moveaxis(b, axisb, -1)
    lengths = u.shape[-1], v.shape[-1]
    if lengths != (3, 3):
        # NumPy warns of two entries, and refuses any others
        np.cross(np.zeros(lengths[0]), np.zeros(lengths[1]))

    def product(i: int, j: int) -> Any:
        return u[..., i] * v[..., j] if i < lengths[0] and j < lengths[1] else 0

    third = product(0, 1) - product(1, 0)
    if lengths == (2, 2):
        return third
    first, second = product(1, 2) - product(2, 1), product(2, 0) - product(0, 2)
    return xp.moveaxis(xp.stack([first, second, third], axis=-1), -1, axisc)
