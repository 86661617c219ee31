"""Matrices kept as their diagonals, ab[u + i - j, j] = a[i, j]: a row for each, the highest first.

Only `dense_of` and `hermitian_dense`, for factorisations, make the whole matrix.
"""

from typing import Any

import numpy as np

from chainrules_py.rulesets.formulas.matrices import column


def places(lower: int, upper: int, n: int) -> tuple[Any, Any]:
    """For each entry (r, j) of the bands, its row i in the matrix, and whether that row exists:
    corners of the bands are outside.
    """
    rows = np.arange(n) + np.arange(lower + upper + 1)[:, None] - upper
    return np.clip(rows, 0, n - 1), (rows >= 0) & (rows < n)


def transposed(ab, lower: int, upper: int, xp) -> Any:
    """The bands of the transpose, which has `upper` diagonals below its own and `lower` above.

    This map is its own adjoint.
    """
    rows, inside = places(upper, lower, ab.shape[-1])
    return xp.where(inside, ab[..., np.arange(lower + upper, -1, -1)[:, None], rows], 0)


def bands_times_columns(ab, lower: int, upper: int, x, xp) -> Any:
    """The product of the matrix with columns."""
    turned = transposed(ab, lower, upper, xp)
    rows, _ = places(upper, lower, ab.shape[-1])
    return xp.sum(column(turned, xp) * x[..., rows, :], axis=-3)


def bands_of_outer(left, right, lower: int, upper: int, xp) -> Any:
    """The bands of left @ right^H."""
    rows, inside = places(lower, upper, left.shape[-2])
    return xp.where(
        inside, xp.sum(left[..., rows, :] * xp.conj(right)[..., None, :, :], axis=-1), 0
    )


def dense_of(ab, lower: int, upper: int, xp) -> Any:
    """The dense matrix of these bands."""
    i, j = np.indices((ab.shape[-1],) * 2)
    band = upper + i - j
    return xp.where(
        (band >= 0) & (band <= lower + upper), ab[..., np.clip(band, 0, lower + upper), j], 0
    )


def bands_of(a, lower: int, upper: int, xp) -> Any:
    """The bands of a whole matrix."""
    rows, inside = places(lower, upper, a.shape[-1])
    return xp.where(inside, a[..., rows, np.arange(a.shape[-1])], 0)


def both_halves(ab, lower: bool, xp) -> Any:
    """All bands of a Hermitian matrix, from those of one half; the diagonal becomes real."""
    u = ab.shape[-2] - 1
    if lower:
        other = xp.conj(transposed(ab, u, 0, xp))
        return xp.concatenate(
            [other[..., :-1, :], real_row(ab[..., :1, :], xp), ab[..., 1:, :]], axis=-2
        )
    other = xp.conj(transposed(ab, 0, u, xp))
    return xp.concatenate(
        [ab[..., :-1, :], real_row(ab[..., -1:, :], xp), other[..., 1:, :]], axis=-2
    )


def real_row(row, xp) -> Any:
    """The real part of a row, in the dtype that it has."""
    return xp.real(row) + 0j if row.dtype.kind == "c" else row


def hermitian_dense(ab, lower: bool, xp) -> Any:
    """The whole Hermitian matrix."""
    return dense_of(both_halves(ab, lower, xp), ab.shape[-2] - 1, ab.shape[-2] - 1, xp)
