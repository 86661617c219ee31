"""Products and systems with Toeplitz matrices a[i, j] = t[i - j], given by first column and row,
and with circulant ones.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import linalg

from chainrules_py import composed
from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.rulesets.formulas.known_values import any_at_hand
from chainrules_py.rulesets.formulas.linear_steps import by_steps
from chainrules_py.rulesets.formulas.matrices import column
from chainrules_py.rulesets.scipy.linalg.calling import call, library_of_values, require_finite
from chainrules_py.rulesets.scipy.linalg.linear_systems import solution_maps
from chainrules_py.tangents import is_zero
from chainrules_py.values.arrays import Array

if TYPE_CHECKING:
    Given = Any
else:
    Given = Array | tuple  # what rules dispatch on: bare classes


def column_and_row(given, xp) -> tuple[Any, Any]:
    """The first column and row of Toeplitz matrices, given as one array or two.

    The first entry of the row is not read.
    """
    return given if isinstance(given, tuple) else (given, xp.conj(given))


@composed(linalg.matmul_toeplitz)
def matmul_toeplitz(
    c_or_cr: Given, x: Array, *, check_finite: bool = False, workers: Any = None, xp
) -> Any:
    """A part of the product with a circulant matrix, computed by Fourier transforms."""
    c, r = column_and_row(c_or_cr, xp)
    if check_finite:
        require_finite(c, r, x, xp=xp)
    columns, size = column(x, xp) if x.ndim == 1 else x, c.shape[-1] + r.shape[-1] - 1
    if columns.shape[-2] != r.shape[-1]:
        got = f"a matrix with {r.shape[-1]} columns, and x with {columns.shape[-2]} rows"
        raise ValueError(f"scipy.linalg.matmul_toeplitz: got {got}; pass as many rows as columns")
    circulant = xp.concatenate([c, xp.flip(r[..., 1:], -1)], axis=-1)
    factor = xp.fft.fft(circulant, axis=-1)[..., None]
    product = xp.fft.ifft(factor * xp.fft.fft(columns, n=size, axis=-2), axis=-2)
    y = product[..., : c.shape[-1], :]
    is_complex = "c" in (c.dtype.kind, r.dtype.kind, x.dtype.kind)
    y = y if is_complex else xp.real(y)
    return y[..., 0] if x.ndim == 1 else y


def toeplitz_times(ends, x, xp) -> Any:
    """The product with columns."""
    return call(linalg.matmul_toeplitz, ends, x)


@linearised_rule(linalg.solve_toeplitz)
def solve_toeplitz_linearised(
    c_or_cr: Given, b: Array, *, check_finite: bool = True
) -> tuple[Any, LinearMap, LinearMap]:
    """Levinson's recursion for the matrix and for its adjoint, which is a Toeplitz matrix, too."""
    xp = library_of_values(c_or_cr, b).namespace
    c, r = column_and_row(c_or_cr, xp)
    out = call(linalg.solve_toeplitz, c_or_cr, b, check_finite=check_finite)

    def solve(v, of: Any = (c, r)) -> Any:
        return call(linalg.solve_toeplitz, of, v, check_finite=check_finite)

    def solve_adjoint(v) -> Any:
        first = xp.concatenate([c[..., :1], r[..., 1:]], axis=-1)
        return solve(v, (xp.conj(first), xp.conj(c)))

    def product(dot, x) -> Any:
        if isinstance(c_or_cr, tuple):
            dot = tuple([0 * end if is_zero(dot[k]) else dot[k] for k, end in enumerate((c, r))])
        return toeplitz_times(dot, x, xp)

    def outer(left, x) -> Any:
        return by_steps(toeplitz_times, c_or_cr, x, xp=xp).pull(left)

    return out, *solution_maps(out, b, solve, solve_adjoint, product, outer, xp)


@composed(linalg.solve_circulant)
def solve_circulant(
    c: Array, b: Array, *, tol: Any = None, caxis: int = -1, baxis: int = 0, outaxis: int = 0, xp
):
    """Divide Fourier transforms; ``singular="lstsq"`` has no rule."""
    column, side = xp.moveaxis(c, caxis, -1), xp.moveaxis(b, baxis, -1)
    size = column.shape[-1]
    if size != side.shape[-1]:
        got = f"a matrix with {size} rows, and b with {side.shape[-1]}"
        raise ValueError(f"scipy.linalg.solve_circulant: got {got}; pass as many rows in both")
    spectrum = xp.fft.fft(column, axis=-1)
    strength = xp.abs(spectrum)
    if tol is None:
        tol = size * np.finfo(float).eps * xp.max(strength, axis=-1, keepdims=True, initial=0)
    if any_at_hand(strength <= tol):
        raise np.linalg.LinAlgError("near singular circulant matrix.")
    x = xp.fft.ifft(xp.fft.fft(side, axis=-1) / spectrum, axis=-1)
    is_complex = "c" in (c.dtype.kind, b.dtype.kind)
    return xp.moveaxis(x if is_complex else xp.real(x), -1, outaxis)
