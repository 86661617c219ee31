"""The complex Schur form T' = W^H T W of a real one: rotations in W make each block of two rows
triangular.

The first column of the rotation is an eigenvector of the block, (mu, c) / r, where c stands below
the diagonal, and mu is an eigenvalue minus the last entry. Of the two SciPy's is taken.
"""

from typing import Any

import numpy as np
from scipy import linalg

from chainrules_py import composed, non_differentiable, primitive
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rulesets.formulas.matrices import adjoint, zero_padded
from chainrules_py.values.arrays import Array


@primitive
def sides(T, Z, check_finite: bool = True) -> Any:
    """Whether SciPy takes the eigenvalue above the real axis, or that below, as 1 and -1."""
    values = np.diagonal(linalg.rsf2csf(T, Z, check_finite=check_finite)[0])
    return np.sign(np.imag(values[:-1]))


non_differentiable(sides)


@composed(linalg.rsf2csf, one_by_one=True)
def rsf2csf(T: Array, Z: Array, *, check_finite: bool = True, xp) -> tuple[Any, Any]:
    """Zeros below the blocks of T are constant."""
    side = sides(ignore_derivatives(T), ignore_derivatives(Z), check_finite)
    above, middle, below = [xp.diagonal(T, k, -2, -1) for k in (1, 0, -1)]
    is_block = ignore_derivatives(below) != 0
    half = (middle[..., :-1] - middle[..., 1:]) / 2
    apart = xp.sqrt(xp.where(is_block, -(half * half) - above * below, 1))
    r = xp.sqrt(half * half + apart * apart + below * below)
    cosine = xp.where(is_block, (half + 1j * side * apart) / r, 1)
    sine = below_diagonal(xp.where(is_block, below / r, 0), xp)

    one = xp.ones_like(cosine[..., :1])
    ends = xp.concatenate([cosine, one], -1), xp.concatenate([one, xp.conj(cosine)], -1)
    w = (ends[0] * ends[1])[..., None] * np.eye(T.shape[-1], dtype=T.dtype) + sine
    w = w - xp.swapaxes(sine, -1, -2)
    read = xp.triu(T) + below_diagonal(xp.where(is_block, below, 0), xp)
    return xp.triu(adjoint(w, xp) @ read @ w), Z @ w


def below_diagonal(v, xp) -> Any:
    """The matrix with these entries below the diagonal."""
    return zero_padded(v[..., None] * np.eye(v.shape[-1], dtype=v.dtype), (1, 0), (0, 1), xp=xp)
