"""Functions that treat the parts of a complex number apart.

Linear over the reals, not over the complex numbers.
"""

from typing import Any

import numpy as np

from chainrules_py import Array, LinearMap, Scalar, Space, linear_rule, linearised_rule
from chainrules_py.makers import Linearised
from chainrules_py.rulesets.formulas.array_likes import IDENTITY, NO_CHANGE


@linear_rule(np.conjugate)
def conjugate_adjoint(y_bar, x: Space, *, xp):
    """Re(conj(y_bar) conj(x)) = Re(conj(conj(y_bar)) x)."""
    return xp.conjugate(y_bar)


@linear_rule(np.real)
def real_adjoint(y_bar, val: Space) -> Any:
    """The cotangent as the real part."""
    return y_bar


@linear_rule(np.imag)
def imag_adjoint(y_bar, val: Space):
    """The cotangent as the imaginary part; nothing is left of it where the argument is real."""
    return y_bar * 1j


@linearised_rule(np.sign)
def sign_linearised(x: Array | Scalar, *, xp) -> Linearised:
    """y = x / |x|: constant for real x.

    For complex x it turns, y_dot = (x_dot - y Re(conj(y) x_dot)) / |x|, and is 0 at 0.
    """
    y = xp.sign(x)
    if y.dtype.kind != "c":
        return y, NO_CHANGE

    def turn(tangent):
        size = xp.abs(x)
        return (tangent - y * xp.real(xp.conj(y) * tangent)) * xp.where(
            size == 0, 0, 1 / xp.where(size == 0, 1, size)
        )

    return y, LinearMap(turn, turn)


@linearised_rule(np.angle)
def angle_linearised(z: Array | Scalar, *, deg: bool = False, xp) -> Linearised:
    """y_dot = Im(conj(z) z_dot) / |z|**2, in degrees where asked; 0 at 0."""
    y = xp.angle(z, deg=deg)
    if not xp.iscomplexobj(z):
        return y, NO_CHANGE

    def gradient() -> Any:
        size = xp.abs(z)
        size = xp.where(size == 0, 1, size)
        return 1j * (z / size / size) * (57.29577951308232 if deg else 1)

    def angle_pushforward(z_dot):
        return xp.real(xp.conj(gradient()) * z_dot)

    def angle_pullback(y_bar):
        return gradient() * y_bar

    return y, LinearMap(angle_pushforward, angle_pullback)


@linearised_rule(np.real_if_close)
def real_if_close_linearised(a: Array | Scalar, *, tol: float = 100, xp) -> Linearised:
    """The argument, or its real part: what comes out says which, and projection does the rest."""
    return xp.real_if_close(a, tol=tol), IDENTITY


@linearised_rule(np.nan_to_num)
def nan_to_num_linearised(
    x: Array | Scalar, *, nan: Any = 0.0, posinf: Any = None, neginf: Any = None, xp
) -> Linearised:
    """Finite entries pass, replaced ones do not; the parts of a complex number one by one."""
    y = xp.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)
    keep_real, keep_imag = xp.isfinite(xp.real(x)), xp.isfinite(xp.imag(x))
    is_complex = y.dtype.kind == "c"

    def nan_to_num_map(tangent):
        if not is_complex:
            return xp.where(keep_real, tangent, 0)
        return xp.where(keep_real, xp.real(tangent), 0) + 1j * xp.where(
            keep_imag, xp.imag(tangent), 0
        )

    return y, LinearMap(nan_to_num_map, nan_to_num_map)


@linearised_rule(np.round)
def round_linearised(a: Array | Scalar, *, decimals: int = 0, xp) -> Linearised:
    """Constant wherever it is differentiable."""
    return xp.round(a, decimals=decimals), NO_CHANGE
