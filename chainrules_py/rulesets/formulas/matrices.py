"""Small functions of matrices that the formulas for decompositions are made of.

Linear ones hand ZERO on.

All work on stacks of matrices. The linear ones let a ZERO pass, as NumPy's own linear functions do,
so that a rule with several outputs is written once and costs nothing for the outputs that nobody
used; `@`, `+`, `-` and `*` do that by themselves.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from chainrules_py import AbstractZero, LinearMap, ignore_derivatives
from chainrules_py.annotations import Function
from chainrules_py.projection import structured
from chainrules_py.values.arrays import library_of_types

Word = Function


def passes_zero(word: Word) -> Word:
    """A linear function that a ZERO passes unchanged, for every array library."""

    @wraps(word)
    def passing(a, *args):
        return a if isinstance(a, AbstractZero) else word(a, *args)

    return passing


def computed_once(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Make a function that computes once what several maps of one pullback ask for with the same
    cotangent.
    """
    last: tuple[Any, Any] = None, None

    def computed(v):
        nonlocal last
        seen, found = last
        if seen is not v:
            found = function(v)
            last = v, found
        return found

    return computed


adjoint = passes_zero(structured.adjoint)


@passes_zero
def hermitian_part(a, xp) -> Any:
    """(A + A^H) / 2."""
    return (a + adjoint(a, xp)) / 2


@passes_zero
def skew_part(a, xp) -> Any:
    """(A - A^H) / 2."""
    return (a - adjoint(a, xp)) / 2


@passes_zero
def upper(a, xp) -> Any:
    """The upper triangle of each matrix."""
    return xp.triu(a)


@passes_zero
def diagonal(a, xp) -> Any:
    """The diagonal of each matrix, as a vector."""
    return xp.diagonal(a, 0, -2, -1)


@passes_zero
def diagonal_matrix(v, xp) -> Any:
    """The matrix with each vector as its diagonal."""
    return xp.expand_dims(v, -1) * xp.eye(v.shape[-1], dtype=v.dtype)


@passes_zero
def where_true(v, mask, xp) -> Any:
    """The entries where the mask is true, zero elsewhere, whatever stands there."""
    return xp.where(mask, v, 0)


def zero_padded(x, *widths: tuple[int, int], xp) -> Any:
    """Zeros around an array, so many before and behind along each of its last axes."""
    return xp.pad(x, [(0, 0)] * (x.ndim - len(widths)) + [*widths])


@passes_zero
def column(v, xp) -> Any:
    """Each vector as a matrix with one column."""
    return xp.expand_dims(v, -1)


def solve_by_adjoint(a, b, xp) -> Any:
    """A^-H B, by the factors by which A^-1 was multiplied before where the library keeps or finds
    them.
    """
    return library_of_types((type(a), type(b))).implementation(adjoint_solution)(a, b, xp)


def adjoint_solution(a: Any, b: Any, xp: Any):
    """`solve_by_adjoint` where the matrix is factored again; a library may have another."""
    return xp.linalg.solve(adjoint(a, xp), b)


def solve_triangular(t, b, xp, *, lower: bool, of_adjoint: bool = False) -> Any:
    """T^-1 B, or T^-H B, of a triangular T: by substitution where the library has it."""
    own = library_of_types((type(t), type(b))).implementation(triangular_solution)
    return own(t, b, xp, lower=lower, of_adjoint=of_adjoint)


def triangular_solution(t: Any, b: Any, xp: Any, *, lower: bool, of_adjoint: bool):
    """`solve_triangular` where a triangular matrix is solved as any other is.

    A library may have another.
    """
    return xp.linalg.solve(adjoint(t, xp) if of_adjoint else t, b)


def between_inverses(factor, a, xp, *, of_adjoint: bool = False) -> Any:
    """L^-1 A L^-H, or L^-H A L^-1, of a lower triangular L."""
    left = solve_triangular(factor, a, xp, lower=True, of_adjoint=of_adjoint)
    return adjoint(
        solve_triangular(factor, adjoint(left, xp), xp, lower=True, of_adjoint=of_adjoint), xp
    )


def solve_right(b, a, xp) -> Any:
    """B A^-1."""
    return xp.swapaxes(xp.linalg.solve(xp.swapaxes(a, -1, -2), xp.swapaxes(b, -1, -2)), -1, -2)


def without_roundoff(m, size, xp) -> Any:
    """The matrix with zeros for entries that are roundoff next to numbers of this size."""
    bound = 4 * sum(m.shape[-2:]) * float(xp.finfo(m.dtype).eps)
    return xp.where(xp.abs(m) <= bound * size, 0, m)


def on_hermitian(linear: LinearMap, xp) -> LinearMap:
    """The map for an argument that is a Hermitian matrix.

    Tangents are Hermitian, and so are cotangents.
    """
    return LinearMap(
        lambda a_dot: linear.push(hermitian_part(a_dot, xp)),
        lambda y_bar: hermitian_part(linear.pull(y_bar), xp),
    )


def value_at_hand(x) -> Any:
    """The value below all levels of derivatives, in the arrays of its own library."""
    return x if type(x) is np.ndarray else ignore_derivatives(x)


def values_in_all_lanes(x) -> Any:
    """The values below all levels, for decisions that are right for all examples only: where these
    lie in lanes, an array that has them in front.
    """
    x = value_at_hand(x)
    while hasattr(type(x), "all_lanes"):
        x = value_at_hand(x.all_lanes)
    return x


def resolution(values, xp) -> Any:
    """The size below which differences of these eigenvalues or singular values are roundoff.

    The last axis is kept.
    """
    return 4 * float(xp.finfo(values.dtype).eps) * xp.sum(xp.abs(values), axis=-1, keepdims=True)


def reciprocal_or_zero(x, too_small, xp) -> Any:
    """1 / x, and 0 where x is too small: never inf or nan, nor in any derivative."""
    return xp.where(too_small, 0, 1 / xp.where(too_small, 1, x))


def reciprocal_gaps(values, xp) -> Any:
    """1 / (v_j - v_i) in entry (i, j), and 0 where the two are the same up to roundoff."""
    gaps = xp.expand_dims(values, -2) - xp.expand_dims(values, -1)
    return reciprocal_or_zero(gaps, xp.abs(gaps) <= column(resolution(values, xp), xp), xp)
