"""Products: linear in each factor, so each factor's adjoint is a product with the other.

Complex: <a_bar, a_dot> = Re sum conj(a_bar) a_dot, so the other factor comes conjugated; and where
a product conjugates its first factor itself (`vdot`, `vecdot`, `vecmat`), that factor's adjoint
conjugates the cotangent instead.
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


def matvec_adjoint_a(y_bar, x1: Space, x2, *, xp):
    """x1_bar[i, j] = y_bar[i] conj(x2[j])."""
    return unbroadcast(y_bar[..., None] * conj(x2, xp)[..., None, :], x1.shape, xp)


def matvec_adjoint_x(y_bar, x1, x2: Space, *, xp):
    """x2_bar = x1^H y_bar."""
    return unbroadcast(xp.matvec(adjoint(x1, xp), y_bar), x2.shape, xp)


linear_rule(np.matvec, matvec_adjoint_a, matvec_adjoint_x)


def vecmat_adjoint_x(y_bar, x1: Space, x2, *, xp):
    """y = conj(x1) x2, so x1_bar = x2 conj(y_bar)."""
    return unbroadcast(xp.matvec(x2, conj(y_bar, xp)), x1.shape, xp)


def vecmat_adjoint_a(y_bar, x1, x2: Space, *, xp):
    """x2_bar[i, j] = x1[i] y_bar[j]."""
    return unbroadcast(x1[..., None] * y_bar[..., None, :], x2.shape, xp)


linear_rule(np.vecmat, vecmat_adjoint_x, vecmat_adjoint_a)


# --- Inner products ---


def vecdot_adjoint_x1(y_bar, x1: Space, x2, *, axis: int = -1, xp):
    """y = sum conj(x1) x2, so x1_bar = conj(y_bar) x2."""
    other = with_vectors_last(x2, axis, xp)
    return with_vectors_back(conj(xp.expand_dims(y_bar, -1), xp) * other, x1, axis, xp)


def vecdot_adjoint_x2(y_bar, x1, x2: Space, *, axis: int = -1, xp):
    """x2_bar = y_bar x1."""
    other = with_vectors_last(x1, axis, xp)
    return with_vectors_back(xp.expand_dims(y_bar, -1) * other, x2, axis, xp)


def with_vectors_last(x, axis: int, xp) -> Any:
    """A factor with its vectors moved from an axis to the last one: the axes before are broadcast,
    and factors of different ranks have the vectors elsewhere, if the axis is counted from the front.
    """
    return x if axis == -1 else xp.moveaxis(x, axis, -1)


def with_vectors_back(bar, factor: Space, axis: int, xp) -> Any:
    """A cotangent with its vectors on the last axis, as that of a factor which has them on an axis."""
    axis %= factor.ndim
    moved = (*factor.shape[:axis], *factor.shape[axis + 1 :], factor.shape[axis])
    own = unbroadcast(bar, moved, xp)
    return own if axis == factor.ndim - 1 else xp.moveaxis(own, -1, axis)


linear_rule(np.vecdot, vecdot_adjoint_x1, vecdot_adjoint_x2)


@composed(np.vdot)
def vdot(a: Array | Scalar, b: Array | Scalar, *, xp) -> Any:
    """Both flat, the first conjugated."""
    return xp.matmul(conj(as_one_vector(a, xp), xp), as_one_vector(b, xp))


def as_one_vector(x, xp) -> Any:
    """A factor as one vector."""
    return x if len(shape_of(x)) == 1 else xp.reshape(x, (-1,))


# --- Outer products ---


@composed(np.outer)
def outer(a: Array | Scalar, b: Array | Scalar, *, xp) -> Any:
    """Each entry of one times each of the other, both flat."""
    return xp.multiply(as_one_vector(a, xp)[:, None], as_one_vector(b, xp))


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
