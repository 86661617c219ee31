"""Inverses: of square matrices, of tensors read as matrices, and the pseudoinverse."""

import math
from typing import Any

import numpy as np

from chainrules_py import Array, LinearMap, composed, linearised_rule
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.makers import Linearised
from chainrules_py.rulesets.formulas.matrices import (
    adjoint,
    on_hermitian,
    value_at_hand,
)

NOT_GIVEN = ...  # of an option for which None means something
STEPS = 24  # of doubling: singular values may be as close as 1e-6 to those that are cut off


@linearised_rule(np.linalg.inv)
def inv_linearised(a: Array, *, xp) -> Linearised:
    y = xp.linalg.inv(a)
    return y, inverse_map(y, xp)


def inverse_map(y, xp) -> LinearMap:
    """The derivative of the matrix inverse `y`: Y_dot = -Y A_dot Y, A_bar = -Y^H Y_bar Y^H (Giles
    2008, 2.2.3).
    """

    def inv_pushforward(a_dot):
        return -y @ a_dot @ y

    def inv_pullback(y_bar):
        y_h = adjoint(y, xp)
        return -y_h @ y_bar @ y_h

    return LinearMap(inv_pushforward, inv_pullback)


@composed(np.linalg.tensorinv)
def tensorinv(a: Array, *, ind: int = 2, xp):
    """The inverse of a matrix, whose rows are the first `ind` axes."""
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    matrix = xp.reshape(a, (math.prod(a.shape[:ind]), math.prod(a.shape[ind:])))
    return xp.reshape(xp.linalg.inv(matrix), (*a.shape[ind:], *a.shape[:ind]))


@linearised_rule(np.linalg.pinv)
def pinv_linearised(
    a: Array, *, rcond: Any = None, hermitian: bool = False, rtol: Any = NOT_GIVEN, xp
) -> Linearised:
    given = {} if rcond is None else {"rcond": rcond}
    given |= {} if rtol is NOT_GIVEN else {"rtol": rtol}
    y = xp.linalg.pinv(a, hermitian=hermitian, **given)
    derivative = derivative_of_pseudoinverse(a, y, bool(given), xp)
    return y, on_hermitian(derivative, xp) if hermitian else derivative


def derivative_of_pseudoinverse(a, y, cuts_off: bool, xp) -> LinearMap:
    """The derivative of the pseudoinverse `y` of `a`, also where singular values were cut off."""
    is_whole = has_whole_rank(a, y)
    if cuts_off and not is_whole:
        return truncated_map(a, y, xp)
    return pseudoinverse_map(a, y, is_whole, xp)


def has_whole_rank(a, y) -> bool:
    """Whether it is known that no singular value was cut off: the rank of A is the trace of Y A."""
    a, y = value_at_hand(a), value_at_hand(y)
    if not type(a) is type(y) is np.ndarray:
        return False
    ranks = np.rint(np.sum(a * np.swapaxes(y, -1, -2), axis=(-2, -1)).real)
    return bool(np.all(ranks == min(a.shape[-2:])))


def truncated_map(a, y, xp) -> LinearMap:
    """The derivative of the pseudoinverse Y of the part of A with the largest singular values.

    Of the part N = A - A Y A that was cut off, the vectors of the others turn by X Y in V and by Z^H
    in U, where Y_dot = X Y - Y A_dot Y + Z^H with

        X = (I - Y A) A_dot^H Y^H + N^H Z,        Z = ((I - A Y) A_dot + N X) Y Y^H.

    Nothing is divided by differences of singular values, so that equal ones are no matter at any
    order. The map is its own adjoint.
    """
    is_wide = a.shape[-2] < a.shape[-1]
    if is_wide:
        a, y = adjoint(a, xp), adjoint(y, xp)
    y_h, lost = adjoint(y, xp), a - a @ (y @ a)
    lost_h, weights = adjoint(lost, xp), y @ y_h

    def derivative(e) -> Any:
        if is_wide:
            e = adjoint(e, xp)
        turned = adjoint(e, xp) @ y_h
        right = turned - y @ (a @ turned) + (lost_h @ e) @ weights
        x = solved_by_doubling(lost_h @ lost, weights, right, xp)
        z = (e - a @ (y @ e) + lost @ x) @ weights
        found = y_h @ (adjoint(x, xp) - turned) + z
        return adjoint(found, xp) if is_wide else found

    return LinearMap(
        lambda a_dot: adjoint(derivative(a_dot), xp), lambda y_bar: derivative(adjoint(y_bar, xp))
    )


def solved_by_doubling(m, w, right, xp) -> Any:
    """The solution of X = R + M X W, where the eigenvalues of M times those of W are below 1.

    Each step doubles the number of terms of R + M R W + M^2 R W^2 + ... (Smith 1968). The first
    ones are always there, for derivatives where M is zero.
    """
    x = right
    for step in range(STEPS):
        size = ignore_derivatives(xp.max(abs(w), axis=(-2, -1), keepdims=True))
        # neither over- nor underflows when it is squared; M is zero where W is
        m, w = m * size, w / xp.where(size > 0, size, 1.0)
        x = x + m @ x @ w
        m, w = m @ m, w @ w
        known = value_at_hand(m)
        if step > 2 and type(known) is np.ndarray and not np.any(abs(known) > 1e-30):
            break
    return x


def pseudoinverse_map(a, y, is_whole: bool, xp) -> LinearMap:
    """The derivative of the pseudoinverse `y` of `a` where the rank stays the same (Golub & Pereyra
    1973, theorem 4.3).

    Y_dot = -Y A_dot Y + Y Y^H A_dot^H (I - A Y) + (I - Y A) A_dot^H Y^H Y

    A Y is I where the rank is that of all rows, and Y A where it is that of all columns. Computed,
    the difference is roundoff, which the square of a large Y multiplies, and Y_dot in the second
    derivative.
    """
    has_all_rows = is_whole and a.shape[-2] <= a.shape[-1]
    has_all_columns = is_whole and a.shape[-2] >= a.shape[-1]

    def pinv_pushforward(a_dot):
        y_h, a_h_dot = adjoint(y, xp), adjoint(a_dot, xp)
        y_dot = -y @ a_dot @ y
        if not has_all_rows:
            y_dot = y_dot + y @ (y_h @ (a_h_dot - (a_h_dot @ a) @ y))
        if not has_all_columns:
            y_dot = y_dot + ((a_h_dot - y @ (a @ a_h_dot)) @ y_h) @ y
        return y_dot

    def pinv_pullback(y_bar):
        y_h, y_bar_h = adjoint(y, xp), adjoint(y_bar, xp)
        a_bar = -y_h @ y_bar @ y_h
        if not has_all_rows:
            a_bar = a_bar + ((y_bar_h - a @ (y @ y_bar_h)) @ y) @ y_h
        if not has_all_columns:
            a_bar = a_bar + y_h @ (y @ (y_bar_h - (y_bar_h @ y) @ a))
        return a_bar

    return LinearMap(pinv_pushforward, pinv_pullback)
