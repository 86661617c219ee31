"""Functions f(A) of square matrices that need not be symmetric, with derivatives of every order.

The derivative along E is a corner of f of a larger matrix, and so on for more directions (Mathias
1996; Higham 2008, section 3.2):

    f([[A, E], [0, A]]) = [[f(A), Df(A)[E]], [0, f(A)]]

which needs no eigenvalues, so that repeated ones do not matter. A trace tr(E0 Df(A)[E1, ...]) is
symmetric in its directions.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import linalg

from chainrules_py import composed
from chainrules_py.makers import LinearMap, linearised_rule, primitive
from chainrules_py.rulesets.formulas.matrices import adjoint
from chainrules_py.rulesets.formulas.symmetric_forms import form_maps
from chainrules_py.rulesets.scipy.linalg.calling import call, require_finite
from chainrules_py.rulesets.scipy.linalg.matrix_equations import sylvester
from chainrules_py.values.arrays import Array, Scalar

if TYPE_CHECKING:
    Function = Callable[[Any], Any]
else:
    Function = Callable  # what rules dispatch on: a bare class


@primitive
def matrix_function(f, a, *directions) -> Any:
    """f(A) for a function of matrices of SciPy's.

    Given directions, the derivative along all of them.

    >>> matrix_function(linalg.expm, np.zeros((2, 2)), np.array([[0.0, 5.0], [0.0, 0.0]]))
    array([[0., 5.],
           [0., 0.]])
    """
    if not directions:
        return f(a)
    if getattr(f, "func", f) not in BY_SCHUR:  # `func` of a partial
        return _corner(f, a, directions)
    # SciPy would compute the complex form of a longdouble in complex64.
    double = a.astype(np.result_type(f(a))) if a.dtype.char in "gG" else a
    t, z = linalg.schur(double, output="complex")[:2]
    z_h = np.conj(np.swapaxes(z, -1, -2))
    y = z @ _corner(f, t, [z_h @ direction @ z for direction in directions]) @ z_h
    return y if any(map(np.iscomplexobj, (a, *directions, f(a)))) else np.real(y)


# These begin with a Schur decomposition: that of a larger matrix loses half of the digits, as its
# eigenvalues come in pairs.
BY_SCHUR = (linalg.logm, linalg.sqrtm, linalg.fractional_matrix_power)


def _corner(f, a, directions: Sequence[Any]) -> Any:
    """The corner block of f of the block matrix that each direction doubles, triangular if `a` is."""
    if not directions:
        return call(f, a)
    *others, e = directions
    size, n = _size(e) / _size(a), a.shape[-1]
    block = _with_diagonal(a, e / size)
    y = _corner(f, block, [_with_diagonal(other, 0 * e) for other in others])
    return size * y[..., :n, n:]


def _size(a) -> float:
    """The largest entry, or 1.

    Directions are brought to the size of the matrix, so that rounding is alike.
    """
    return (float(np.max(np.abs(a))) if a.size else 0.0) or 1.0


def _with_diagonal(a, corner) -> Any:
    """The matrix [[a, corner], [0, a]]."""
    a, corner = np.broadcast_arrays(a, corner)
    return np.concatenate([np.concatenate([a, corner], -1), np.concatenate([0 * a, a], -1)], -2)


@linearised_rule(matrix_function)
def matrix_function_linearised(
    f: Function, a: Array, *directions: Array, out, xp
) -> tuple[LinearMap | None, ...]:
    """A tangent of `a`, or a cotangent, is one more direction."""
    return None, *form_maps(partial(matrix_function, f), a, directions, xp)


def declare_matrix_function(f) -> None:
    """Declare the rule of a function of one matrix."""

    @linearised_rule(f)
    def function_linearised(A: Array, *, xp, out) -> tuple[LinearMap, ...]:
        return form_maps(partial(matrix_function, f), A, (), xp)


NAMES = ("expm", "logm", "sqrtm", "cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm")
for _name in NAMES:
    declare_matrix_function(getattr(linalg, _name))


@linearised_rule(linalg.signm)
def signm_linearised(A: Array, *, out, xp) -> LinearMap:
    """N S_dot + S_dot N = A_dot - S A_dot S with N = S A: Higham 2008, theorem 5.6.

    SciPy's sign of a larger matrix is wrong where eigenvalues come in pairs.
    """
    positive = out @ A

    def tangent(a_dot):
        return sylvester(positive, positive, a_dot - out @ a_dot @ out)

    def cotangent(y_bar):
        sign, along = adjoint(out, xp), adjoint(positive, xp)
        moved = sylvester(along, along, y_bar)
        return moved - sign @ moved @ sign

    return LinearMap(tangent, cotangent)


@composed(linalg.expm_frechet)
def expm_frechet(
    A: Array,
    E: Array,
    *,
    method: Any = None,
    compute_expm: bool = True,
    check_finite: bool = True,
    xp,
):
    """The exponential beside its derivative."""
    if check_finite:
        require_finite(A, E, xp=xp)
    if A.shape[-2:] != E.shape[-2:]:
        linalg.expm_frechet(np.zeros(A.shape), np.zeros(E.shape))  # for its error
    A, E = A * 1.0, E * 1.0  # in the byte order that SciPy's expm asks for
    moved = matrix_function(linalg.expm, A, E)
    return (call(linalg.expm, A), moved) if compute_expm else moved


@linearised_rule(linalg.fractional_matrix_power)
def fractional_matrix_power_linearised(
    A: Array, t: Scalar | Array, *, out, xp
) -> tuple[LinearMap, ...]:
    """The partial in the exponent is A^t log A."""
    along = partial(linalg.fractional_matrix_power, t=t)

    def by_power() -> Any:
        return out @ call(linalg.logm, A)

    return (
        *form_maps(partial(matrix_function, along), A, (), xp),
        LinearMap(
            lambda t_dot: by_power() * t_dot, lambda y_bar: xp.sum(xp.conj(by_power()) * y_bar)
        ),
    )
