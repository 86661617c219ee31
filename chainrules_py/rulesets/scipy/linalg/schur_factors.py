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
from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.rulesets.formulas.matrices import (
    adjoint,
    passes_zero,
    values_in_all_lanes,
    without_roundoff,
    zero_padded,
)
from chainrules_py.rulesets.scipy.linalg.calling import call
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.tangents import NO_TANGENT
from chainrules_py.values.arrays import Array


def blocks_of(t) -> list[slice]:
    """The columns of each block, which all matrices of a stack have to have in the same places."""
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


class Turning:
    """The equation for Omega, and its adjoint."""

    def __init__(self, t, xp) -> None:
        self.t, self.xp, self.n, self.blocks = t, xp, t.shape[-1], blocks_of(t)
        self.kept = np.triu(np.ones((self.n, self.n), bool))
        for block in self.blocks:
            self.kept[block, block] = True

    def system(self, block: slice) -> Any:
        """The matrix of L -> L T_JJ - T_below L for the columns of L, one below the other."""
        below, eye = self.t[..., block.stop :, block.stop :], np.eye(self.n - block.stop)
        columns = range(block.start, block.stop)
        rows = [
            [self.t[..., q, p, None, None] * eye - (p == q) * below for q in columns]
            for p in columns
        ]
        return self.xp.concatenate([self.xp.concatenate(row, axis=-1) for row in rows], axis=-2)

    def solved(self, matrix, columns) -> Any:
        """The solution of a system for columns that stand side by side."""
        flat = self.xp.reshape(self.xp.swapaxes(columns, -1, -2), (*columns.shape[:-2], -1, 1))
        found = self.xp.reshape(
            self.xp.linalg.solve(matrix, flat), (*columns.shape[:-2], columns.shape[-1], -1)
        )
        return self.xp.swapaxes(found, -1, -2)

    def placed(self, part, rows: slice, columns: slice) -> Any:
        """A matrix of zeros but for a part."""
        ends = [(each.start, self.n - each.stop) for each in (rows, columns)]
        return zero_padded(part, *ends, xp=self.xp)

    def rotation(self, m) -> Any:
        """The solution Omega of the equation, given M."""
        xp, t, lower, turns = self.xp, self.t, 0.0 * m, 0.0 * m
        for block in self.blocks:
            before, below = slice(0, block.start), slice(block.stop, self.n)
            if block.stop < self.n:
                rest = m[..., below, block] - lower[..., below, before] @ t[..., before, block]
                lower = lower + self.placed(self.solved(self.system(block), rest), below, block)
            if block.stop - block.start == 2:
                inner = m[..., block, block] - lower[..., block, before] @ t[..., before, block]
                inner = inner + t[..., block, below] @ lower[..., below, block]
                turns = turns + self.placed(
                    self.turn(block, inner) * np.array([[0, 0], [1, 0]]), block, block
                )
        lower = lower + turns
        return lower - adjoint(lower, xp)

    def turn(self, block: slice, inner) -> Any:
        """How much a block of two rows turns, of which the diagonal entries would move apart by
        those of `inner`: of a rotation, which turns freely, infinite or nan.
        """
        t, j, xp = self.t, block.start, self.xp
        apart = inner[..., :1, :1] - inner[..., 1:, 1:]
        sides = t[..., j, j + 1, None, None], t[..., j + 1, j, None, None]
        return -0.5 * apart / without_roundoff(sides[0] + sides[1], xp.abs(sides[0]), xp)

    def rotation_adjoint(self, omega_bar) -> Any:
        """The adjoint of `rotation`."""
        xp, t = self.xp, self.t
        lower_bar, m_bar = xp.tril(omega_bar - adjoint(omega_bar, xp), -1), 0.0 * omega_bar
        for block in reversed(self.blocks):
            before, below = slice(0, block.start), slice(block.stop, self.n)
            arriving = adjoint(t[..., before, block], xp)
            if block.stop - block.start == 2:
                unit = xp.zeros((2, 2)) + np.array([[1.0, 0.0], [0.0, -1.0]])
                inner = (
                    self.turn(block, 0.5 * unit)
                    * lower_bar[..., block.start + 1, block.start, None, None]
                    * unit
                )
                m_bar = m_bar + self.placed(inner, block, block)
                lower_bar = lower_bar - self.placed(inner @ arriving, block, before)
                lower_bar = lower_bar + self.placed(
                    adjoint(t[..., block, below], xp) @ inner, below, block
                )
            if block.stop < self.n:
                rest = self.solved(adjoint(self.system(block), xp), lower_bar[..., below, block])
                m_bar = m_bar + self.placed(rest, below, block)
                lower_bar = lower_bar - self.placed(rest @ arriving, below, before)
        return m_bar


@with_options(linalg.schur, "output lwork sort check_finite", linearised_rule)
def schur_linearised(a: Array, *, options: Options, xp) -> Linearised:
    """The order of the eigenvalues is constant, and the number of sorted ones.

    Of a normal matrix what is above the blocks is zero, and not roundoff: it may be a kink.
    """
    y = t, z, *counts = call(linalg.schur, a, **options)
    turning, z_h, more = Turning(t, xp), adjoint(z, xp), (NO_TANGENT,) * len(counts)
    largest = xp.max(xp.abs(t), axis=(-2, -1), keepdims=True, initial=0)
    above = turning.kept & ~turning.kept.T
    turning.t = t = xp.where(above, without_roundoff(t, largest, xp), t)

    def schur_pushforward(a_dot) -> tuple[Any, ...]:
        m = z_h @ a_dot @ z
        omega = turning.rotation(m)
        return xp.where(turning.kept, m + t @ omega - omega @ t, 0), z @ omega, *more

    def schur_pullback(y_bar):
        t_bar = passes_zero(lambda bar: xp.where(turning.kept, bar, 0))(y_bar[0])
        t_h = adjoint(t, xp)
        omega_bar = t_h @ t_bar - t_bar @ t_h + z_h @ y_bar[1]
        return z @ (t_bar + turning.rotation_adjoint(omega_bar)) @ z_h

    return type(y)((t, z, *counts)), LinearMap(schur_pushforward, schur_pullback)
