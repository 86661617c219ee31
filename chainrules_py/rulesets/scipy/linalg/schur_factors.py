"""The Schur decomposition A = Z T Z^H with T triangular, or with blocks of two rows where a real T
has complex eigenvalues.

Z moves by Z Omega, with Omega skew-Hermitian, and T by M + T Omega - Omega T, where M = Z^H A_dot
Z. That T keeps its zeros gives the entries of Omega below the blocks, column by column of blocks:

    L T_JJ - T_below L = M - (what the columns before contribute)

In a block of two rows SciPy keeps both diagonal entries equal, which gives the entry there; a block
that is a multiple of a rotation turns freely, and the system is singular. So is that of equal
eigenvalues. Phases of complex vectors do not move.
"""

from typing import Any

import numpy as np
from scipy import linalg

from chainrules_py.errors import NotDifferentiableError
from chainrules_py.makers import Linearised, linearised_rule
from chainrules_py.rulesets.formulas.linear_steps import by_steps
from chainrules_py.rulesets.formulas.matrices import (
    adjoint,
    values_in_all_lanes,
    without_roundoff,
    zero_padded,
)
from chainrules_py.rulesets.scipy.linalg.calling import call
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.tangents import NO_TANGENT
from chainrules_py.values.arrays import Array


def blocks_of(t) -> list[slice]:
    """The columns of each block, which must be at the same places in all matrices of a stack."""
    n, beside = t.shape[-1], np.diagonal(values_in_all_lanes(t), -1, -2, -1) != 0
    joined = beside.reshape(np.prod(beside.shape[:-1], dtype=int), max(n - 1, 0))
    if len(joined) and np.any(joined != joined[0]):
        got = "matrices of one stack have complex eigenvalues in different places"
        instead = "differentiate them one by one"
        raise NotDifferentiableError(
            "scipy.linalg.schur", got, instead, primal=linalg.schur, argument="a"
        )
    starts = [j for j in range(n) if not (len(joined) and j and joined[0, j - 1])]
    return [slice(start, end) for start, end in zip(starts, [*starts[1:], n], strict=False)]


def solved(t, block: slice, rhs, xp) -> Any:
    """The solution of L T_JJ - T_below L = rhs for the columns of L, one below the other."""
    below, eye = t[..., block.stop :, block.stop :], np.eye(t.shape[-1] - block.stop)
    columns = range(block.start, block.stop)
    rows = [[t[..., q, p, None, None] * eye - (p == q) * below for q in columns] for p in columns]
    matrix = xp.concatenate([xp.concatenate(row, axis=-1) for row in rows], axis=-2)
    flat = xp.reshape(xp.swapaxes(rhs, -1, -2), (*rhs.shape[:-2], -1, 1))
    found = xp.reshape(xp.linalg.solve(matrix, flat), (*rhs.shape[:-2], len(columns), -1))
    return xp.swapaxes(found, -1, -2)


def rotation(m, t, blocks: list[slice], xp) -> Any:
    """The solution Omega of the equation, given M."""
    n, lower, turns = t.shape[-1], 0.0 * m, 0.0 * m

    def placed(part, rows: slice, columns: slice) -> Any:
        """A matrix of zeros but for a part."""
        ends = [(each.start, n - each.stop) for each in (rows, columns)]
        return zero_padded(part, *ends, xp=xp)

    for block in blocks:
        before, below = slice(0, block.start), slice(block.stop, n)
        rest = m[..., :, block] - lower[..., :, before] @ t[..., before, block]
        if block.stop < n:
            lower = lower + placed(solved(t, block, rest[..., below, :], xp), below, block)
        if block.stop - block.start == 2:
            inner = rest[..., block, :] + t[..., block, below] @ lower[..., below, block]
            turns = turns + placed(turn(t, block, inner, xp), block, block)
    lower = lower + turns
    return lower - adjoint(lower, xp)


def turn(t, block: slice, inner, xp) -> Any:
    """The rotation that keeps the diagonal entries of a block of two rows equal, given `inner`;
    infinity or nan if the block is itself a rotation.
    """
    apart = inner[..., :1, :1] - inner[..., 1:, 1:]
    own = t[..., block, block]
    sides = own[..., :1, 1:], own[..., 1:, :1]
    angle = -0.5 * apart / without_roundoff(sides[0] + sides[1], xp.abs(sides[0]), xp)
    return angle * np.array([[0, 0], [1, 0]])


@with_options(linalg.schur, "output lwork sort check_finite", linearised_rule)
def schur_linearised(a: Array, *, options: Options, xp) -> Linearised:
    """The order of the eigenvalues and the number of sorted ones are constants.

    Of a normal matrix what is above the blocks is zero, and not roundoff: it may be a kink.
    """
    y = t, z, *counts = call(linalg.schur, a, **options)
    blocks = blocks_of(t)
    kept = np.triu(np.ones(t.shape[-2:], bool))
    for block in blocks:
        kept[block, block] = True
    largest = xp.max(xp.abs(t), axis=(-2, -1), keepdims=True, initial=0)
    t = xp.where(kept & ~kept.T, without_roundoff(t, largest, xp), t)

    def schur_pushforward(a_dot, t, z, xp) -> tuple[Any, ...]:
        m = adjoint(z, xp) @ a_dot @ z
        omega = rotation(m, t, blocks, xp)
        t_dot = xp.where(kept, m + t @ omega - omega @ t, 0)
        return t_dot, z @ omega, *[NO_TANGENT for _ in counts]

    return type(y)((t, z, *counts)), by_steps(schur_pushforward, a, t, z, xp=xp)
