"""`polyfit`: least squares with a Vandermonde matrix A, weighted row by row.

G. H. Golub, V. Pereyra, The differentiation of pseudo-inverses and nonlinear least squares problems whose variables separate
(1973), eq. 4.12, for a matrix of full rank: c = A+ y moves by A+ (y_dot - A_dot c) + A+ (A+)^H A_dot^H r, with r = y - A c.
"""

from typing import Any

import numpy as np

from chainrules_py.arrays import Array
from chainrules_py.makers.linearised import LinearMap, linearised_rule
from chainrules_py.rulesets.diagonals import vander_derivative


@linearised_rule(np.polyfit)
def polyfit_linearised(x: Array, y: Array, *, deg: int, w: Any = None, xp: Any) -> tuple[Any, LinearMap, LinearMap]:
    """The weights are an option: not differentiated. A degree that the points do not determine is NumPy's to warn about."""
    c, count = xp.polyfit(x, y, deg, w=w), deg + 1
    columns = (-1, 1) if y.ndim == 2 else (-1,)
    weights = 1.0 if w is None else xp.asarray(w)
    rows = weights if w is None else xp.expand_dims(weights, 1)
    matrix, slope = rows * xp.vander(x, count), rows * vander_derivative(x, count, False, xp)
    inverse = xp.linalg.pinv(matrix)
    residual = (y if w is None else xp.reshape(weights, columns) * y) - xp.matmul(matrix, c)

    def each(vector: Any) -> Any:
        return xp.reshape(vector, columns)

    def adjoint(a: Any) -> Any:
        return xp.conj(xp.matrix_transpose(a))

    def x_pushforward(x_dot: Any) -> Any:
        against = xp.matmul(adjoint(slope), each(xp.conj(x_dot)) * residual)
        return xp.matmul(inverse, xp.matmul(adjoint(inverse), against) - each(x_dot) * xp.matmul(slope, c))

    def x_pullback(c_bar: Any) -> Any:
        y_bar = xp.matmul(adjoint(inverse), c_bar)
        terms = residual * xp.conj(xp.matmul(slope, xp.matmul(inverse, y_bar))) - xp.conj(xp.matmul(slope, c)) * y_bar
        return terms if y.ndim == 1 else xp.sum(terms, axis=1)

    def y_pushforward(y_dot: Any) -> Any:
        return xp.matmul(inverse, y_dot if w is None else each(weights) * y_dot)

    def y_pullback(c_bar: Any) -> Any:
        y_bar = xp.matmul(adjoint(inverse), c_bar)
        return y_bar if w is None else each(weights) * y_bar

    return c, LinearMap(x_pushforward, x_pullback), LinearMap(y_pushforward, y_pullback)
