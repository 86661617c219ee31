"""Products and systems with Toeplitz matrices a[i, j] = t[i - j], given by first column and row,
and with circulant ones.

The cotangent of t[k] is the sum of left_i conj(right_j) over i - j = k, a correlation, which costs
a few Fourier transforms.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import linalg

from chainrules_py import composed
from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.known_values import any_at_hand
from chainrules_py.rulesets.formulas.matrices import column
from chainrules_py.rulesets.scipy.linalg.calling import call, library_of_values
from chainrules_py.rulesets.scipy.linalg.linear_systems import solution_maps
from chainrules_py.tangents import AbstractZero, with_entries
from chainrules_py.values.arrays import Array

if TYPE_CHECKING:
    Given = Any
else:
    Given = Array | tuple  # what rules dispatch on: bare classes


class Ends:
    """The first column and row of Toeplitz matrices, given as one array or two.

    The first entry of the row is not read.
    """

    def __init__(self, given, xp) -> None:
        self.xp, self.is_pair = xp, isinstance(given, tuple)
        self.column, self.row = given if self.is_pair else (given, xp.conj(given))

    def dots(self, dot) -> tuple[Any, Any]:
        """The tangents of column and row, with zeros where one does not move."""
        if not self.is_pair:
            return dot, self.xp.conj(dot)
        parts = (dot[0], self.column), (dot[1], self.row)
        c, r = (
            self.xp.zeros_like(x) if isinstance(part, AbstractZero) else part for part, x in parts
        )
        return c, r

    def bars(self, left, right) -> Any:
        """The cotangent of what was given, of the product of columns left @ right^H."""
        xp, (m, n) = self.xp, (left.shape[-2], right.shape[-2])
        spectra = (xp.fft.fft(v, n=m + n, axis=-2) for v in (left, right))
        first, second = spectra
        shifted = xp.sum(xp.fft.ifft(first * xp.conj(second), axis=-2), axis=-1)
        if left.dtype.kind != "c" and right.dtype.kind != "c":
            shifted = xp.real(shifted)
        column_bar, later = shifted[..., :m], shifted[..., :m:-1]
        row_bar = xp.concatenate([xp.zeros_like(column_bar[..., :1]), later], axis=-1)[..., :n]
        column_bar, row_bar = (
            unbroadcast(v, x.shape, xp) for v, x in ((column_bar, self.column), (row_bar, self.row))
        )
        if self.is_pair:
            return with_entries(tuple, {0: column_bar, 1: row_bar})
        return column_bar + xp.conj(row_bar)

    def adjoint(self) -> tuple[Any, Any]:
        """The first column and row of the adjoint matrix."""
        xp = self.xp
        c, r = xp.conj(self.column), xp.conj(self.row)
        return xp.concatenate([c[..., :1], r[..., 1:]], axis=-1), c


def toeplitz_times(ends, x) -> Any:
    """The product with columns."""
    return call(linalg.matmul_toeplitz, ends, x)


@linearised_rule(linalg.solve_toeplitz)
def solve_toeplitz_linearised(
    c_or_cr: Given, b: Array, *, check_finite: bool = True
) -> tuple[Any, LinearMap, LinearMap]:
    """Levinson's recursion for the matrix and for its adjoint, which is one of the same kind."""
    xp = library_of_values(c_or_cr, b).namespace
    ends = Ends(c_or_cr, xp)
    out = call(linalg.solve_toeplitz, c_or_cr, b, check_finite=check_finite)

    def solve(v, of: Any = (ends.column, ends.row)) -> Any:
        return call(linalg.solve_toeplitz, of, v, check_finite=check_finite)

    return out, *solution_maps(
        out,
        b,
        solve,
        lambda v: solve(v, ends.adjoint()),
        lambda dot, x: toeplitz_times(ends.dots(dot), x),
        ends.bars,
        xp,
    )


@linearised_rule(linalg.matmul_toeplitz)
def matmul_toeplitz_linearised(
    c_or_cr: Given, x: Array, *, check_finite: bool = False, workers: Any = None
) -> tuple[Any, LinearMap, LinearMap]:
    """Linear in the ends, and in the columns."""
    xp = library_of_values(c_or_cr, x).namespace
    ends, is_vector = Ends(c_or_cr, xp), x.ndim == 1
    y = call(linalg.matmul_toeplitz, c_or_cr, x, check_finite=check_finite, workers=workers)

    def columns(v) -> Any:
        return column(v, xp) if is_vector else v

    def shaped(v) -> Any:
        return v[..., 0] if is_vector else v

    return (
        y,
        LinearMap(
            lambda dot: shaped(toeplitz_times(ends.dots(dot), columns(x))),
            lambda y_bar: ends.bars(columns(y_bar), columns(x)),
        ),
        LinearMap(
            lambda x_dot: shaped(toeplitz_times((ends.column, ends.row), columns(x_dot))),
            lambda y_bar: unbroadcast(
                shaped(toeplitz_times(ends.adjoint(), columns(y_bar))), x.shape, xp
            ),
        ),
    )


@composed(linalg.solve_circulant)
def solve_circulant(
    c: Array, b: Array, *, tol: Any = None, caxis: int = -1, baxis: int = 0, outaxis: int = 0, xp
):
    """The Fourier transform makes a division of it; ``singular="lstsq"`` has no rule."""
    column, side = xp.moveaxis(c, caxis, -1), xp.moveaxis(b, baxis, -1)
    size = column.shape[-1]
    if size != side.shape[-1]:
        got = f"a matrix of {size} rows, and sides of {side.shape[-1]}"
        raise ValueError(f"scipy.linalg.solve_circulant: got {got}; pass as many")
    spectrum = xp.fft.fft(column, axis=-1)
    strength = xp.abs(spectrum)
    if tol is None:
        tol = size * np.finfo(float).eps * xp.max(strength, axis=-1, keepdims=True, initial=0)
    if any_at_hand(strength <= tol):
        raise np.linalg.LinAlgError("near singular circulant matrix.")
    x = xp.fft.ifft(xp.fft.fft(side, axis=-1) / spectrum, axis=-1)
    is_complex = "c" in (c.dtype.kind, b.dtype.kind)
    return xp.moveaxis(x if is_complex else xp.real(x), -1, outaxis)
