"""Inverses: of square matrices, of tensors read as matrices, and the pseudoinverse."""

import math
from typing import Any

import numpy as np

from chainrules_py import Array, LinearMap, composed, linearised_rule
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.makers import Linearised
from chainrules_py.rulesets.formulas.matrices import (
    adjoint,
    hermitian_part,
    on_hermitian,
    skew_part,
    value_at_hand,
)

NOT_GIVEN = ...  # of an option for which None means something


@linearised_rule(np.linalg.inv)
def inv_linearised(a: Array, *, xp) -> Linearised:
    y = xp.linalg.inv(a)
    return y, inverse_map(y, xp)


def inverse_map(y, xp) -> LinearMap:
    """The derivative of the matrix inverse `y`: Y_dot = -Y A_dot Y, A_bar = -Y^H Y_bar Y^H (Giles
    2008, 2.2.3).
    """

    def inv_pushforward(a_dot) -> Any:
        return -y @ a_dot @ y

    def inv_pullback(y_bar) -> Any:
        y_h = adjoint(y, xp)
        return -y_h @ y_bar @ y_h

    return LinearMap(inv_pushforward, inv_pullback)


@composed(np.linalg.tensorinv)
def tensorinv(a: Array, *, ind: int = 2, xp) -> Any:
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
    derivative = (truncated_map if given and may_be_cut_off(a, y) else pseudoinverse_map)(a, y, xp)
    return y, on_hermitian(derivative, xp) if hermitian else derivative


def may_be_cut_off(a, y) -> bool:
    """Whether `y` may be the pseudoinverse of a part of `a` alone; True where values are not at
    hand.
    """
    return type(value_at_hand(a)) is not np.ndarray or cut_off(a, y) > 0


def cut_off(a, y) -> float:
    """The largest entry of `a` without the part of which `y` is the pseudoinverse; 0 for roundoff.

    It is 0, too, where values are not those of NumPy's arrays.
    """
    a, y = value_at_hand(a), value_at_hand(y)
    if type(a) is not np.ndarray or type(y) is not np.ndarray or not a.size:
        return 0.0
    lost = float(np.max(np.abs(a - a @ y @ a)))
    return lost if lost > np.sqrt(np.finfo(y.dtype).eps) * np.max(np.abs(a)) else 0.0


def truncated_map(a, y, xp) -> LinearMap:
    """The derivative of the pseudoinverse of the part of `a` with the largest singular values.

    Y^H = U f(S) V^H with f(s) = 1/s for these, else 0. In the bases of the decomposition,
    P = U^H A_dot V moves it by (f_i - f_j) / (s_i - s_j) times its Hermitian part, and by
    (f_i + f_j) / (s_i + s_j) times the rest: so values that were cut off turn the vectors of the
    others. The map is its own adjoint.
    """
    u, s, vh = xp.linalg.svd(a, full_matrices=False)
    # the trace of a projector, which is a whole number
    count = xp.real(xp.sum(a * xp.swapaxes(y, -1, -2), axis=(-2, -1)))
    keep = ignore_derivatives(xp.arange(s.shape[-1]) + 0.5 < xp.expand_dims(count, -1))
    f = xp.where(keep, 1 / xp.where(keep, s, 1.0), 0.0)
    f_i, f_j = xp.expand_dims(f, -1), xp.expand_dims(f, -2)
    s_i, s_j = xp.expand_dims(s, -1), xp.expand_dims(s, -2)
    keep_i, keep_j = keep[..., :, None], keep[..., None, :]

    is_one_kept = keep_i != keep_j
    is_none_kept = ~(keep_i | keep_j)
    gap = xp.where(is_one_kept, s_i - s_j, 1.0)
    total = xp.where(is_none_kept, 1.0, s_i + s_j)
    of_hermitian = xp.where(is_one_kept, (f_i - f_j) / gap, -f_i * f_j)
    of_skew = xp.where(is_one_kept, (f_i + f_j) / total, f_i * f_j)

    def derivative(e) -> Any:
        u_h, v = adjoint(u, xp), adjoint(vh, xp)
        p = u_h @ e @ v
        inside = of_hermitian * hermitian_part(p, xp) + of_skew * skew_part(p, xp)
        squares = f_j * f_j
        left = (e - u @ (u_h @ e)) @ (v * squares) @ vh
        right = (u * squares) @ u_h @ (e - (e @ v) @ vh)
        return u @ inside @ vh + left + right

    return LinearMap(
        lambda a_dot: adjoint(derivative(a_dot), xp), lambda y_bar: derivative(adjoint(y_bar, xp))
    )


def pseudoinverse_map(a, y, xp) -> LinearMap:
    """The derivative of the pseudoinverse `y` of `a` where the rank stays the same (Golub & Pereyra
    1973, theorem 4.3).

    Y_dot = -Y A_dot Y + Y Y^H A_dot^H (I - A Y) + (I - Y A) A_dot^H Y^H Y
    """

    def pinv_pushforward(a_dot) -> Any:
        y_h, a_h_dot = adjoint(y, xp), adjoint(a_dot, xp)
        outside_range = y @ (y_h @ (a_h_dot - (a_h_dot @ a) @ y))
        outside_rows = ((a_h_dot - y @ (a @ a_h_dot)) @ y_h) @ y
        return outside_range + outside_rows - y @ a_dot @ y

    def pinv_pullback(y_bar) -> Any:
        y_h, y_bar_h = adjoint(y, xp), adjoint(y_bar, xp)
        outside_range = ((y_bar_h - a @ (y @ y_bar_h)) @ y) @ y_h
        outside_rows = y_h @ (y @ (y_bar_h - (y_bar_h @ y) @ a))
        return outside_range + outside_rows - y_h @ y_bar @ y_h

    return LinearMap(pinv_pushforward, pinv_pullback)
