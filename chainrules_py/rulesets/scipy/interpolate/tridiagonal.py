"""Tridiagonal systems, by which the slopes of cubic splines are found, with derivatives by matrix
and right-hand side.
"""

from typing import Any

import numpy as np
from scipy import linalg

from chainrules_py.makers import Linearised, LinearMap, linearised_rule, primitive
from chainrules_py.values.arrays import Array


@primitive
def solve_tridiagonal(bands, rhs) -> Any:
    """The solution of a system whose matrix has three diagonals, the rows of `bands` as in
    `scipy.linalg.solve_banded`; the axes of `rhs` behind the first are columns.
    """
    columns = rhs.reshape((len(rhs), -1))  # of more axes, SciPy makes a stack of systems
    return linalg.solve_banded((1, 1), bands, columns).reshape(rhs.shape)


@linearised_rule(solve_tridiagonal)
def solve_tridiagonal_linearised(bands: Array, rhs: Array, *, xp) -> Linearised:
    """A s = b: A s' = b' - A' s."""
    s = solve_tridiagonal(bands, rhs)
    column = (-1,) + (1,) * (rhs.ndim - 1)

    def product(bands) -> Any:
        upper, middle, lower = (xp.reshape(band, column) * s for band in bands)
        zero = xp.zeros_like(s[:1])
        return middle + xp.concatenate([upper[1:], zero]) + xp.concatenate([zero, lower[:-1]])

    def multipliers(bar) -> Any:
        zero, (upper, middle, lower) = xp.zeros(1), xp.conj(bands)
        turned = [xp.concatenate([zero, lower[:-1]]), middle, xp.concatenate([upper[1:], zero])]
        return solve_tridiagonal(xp.stack(turned), bar)

    def bands_pullback(bar):
        m, zero = multipliers(bar), xp.zeros_like(s[:1])
        shifted = (xp.concatenate([zero, m[:-1]]), m, xp.concatenate([m[1:], zero]))
        return -xp.stack(
            [xp.sum(xp.reshape(each * xp.conj(s), (s.shape[0], -1)), axis=1) for each in shifted]
        )

    of_bands = LinearMap(lambda dot: -solve_tridiagonal(bands, product(dot)), bands_pullback)
    return s, of_bands, LinearMap(lambda dot: solve_tridiagonal(bands, dot), multipliers)


def bands_of(upper, middle, lower) -> Any:
    """The rows of a matrix with these diagonals."""
    return np.stack(
        [np.concatenate([np.zeros(1), upper]), middle, np.concatenate([lower, np.zeros(1)])]
    )
