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
    map_of = truncated_map if given and not has_whole_rank(a, y) else pseudoinverse_map
    derivative = map_of(a, y, xp)
    return y, on_hermitian(derivative, xp) if hermitian else derivative


def has_whole_rank(a, y) -> bool:
    """Whether it is known that no singular value was cut off: the rank of A is the trace of Y A."""
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
        size = ignore_derivatives(xp.sqrt(xp.sum(abs(w) ** 2, axis=(-2, -1), keepdims=True)))
        size = xp.where(size > 0, size, 1.0)
        m, w = m * size, w / size  # neither over- nor underflows when it is squared
        x = x + m @ x @ w
        m, w = m @ m, w @ w
        known = value_at_hand(m)
        if step > 2 and type(known) is np.ndarray and not np.any(abs(known) > 1e-30):
            break
    return x


def pseudoinverse_map(a, y, xp) -> LinearMap:
    """The derivative of the pseudoinverse `y` of `a` where the rank stays the same (Golub & Pereyra
    1973, theorem 4.3).

    Y_dot = -Y A_dot Y + Y Y^H A_dot^H (I - A Y) + (I - Y A) A_dot^H Y^H Y
    """

    def pinv_pushforward(a_dot):
        y_h, a_h_dot = adjoint(y, xp), adjoint(a_dot, xp)
        outside_range = y @ (y_h @ (a_h_dot - (a_h_dot @ a) @ y))
        outside_rows = ((a_h_dot - y @ (a @ a_h_dot)) @ y_h) @ y
        return outside_range + outside_rows - y @ a_dot @ y

    def pinv_pullback(y_bar):
        y_h, y_bar_h = adjoint(y, xp), adjoint(y_bar, xp)
        outside_range = ((y_bar_h - a @ (y @ y_bar_h)) @ y) @ y_h
        outside_rows = y_h @ (y @ (y_bar_h - (y_bar_h @ y) @ a))
        return outside_range + outside_rows - y_h @ y_bar @ y_h

    return LinearMap(pinv_pushforward, pinv_pullback)
