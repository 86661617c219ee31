"""The QR factorisation of square, tall and wide matrices (Walter & Lehmann 2012; Roberts & Roberts
2020, arXiv:2009.10071).

A = Q R with Q^H Q = I and R upper triangular (trapezoidal), its diagonal real as LAPACK makes it. X
are the first k columns of A, k = min(m, n), and U those of R. With W = X_dot U^-1 and C = Q^H W, Q
turns by the skew matrix whose lower triangle is that of C:

    Omega = L - L^H + i Im diag C,  L = strict lower triangle of C
    Q_dot = W - Q C + Q Omega       R_dot = Q^H A_dot - Omega R

The first k columns must be independent: otherwise U is singular, which raises NumPy's LinAlgError;
JAX and PyTorch, which solve by substitution, make inf or nan of it, as in their own derivatives.
"""

from typing import Any

import numpy as np

from chainrules_py import (
    ZERO,
    Array,
    LinearMap,
    NotDifferentiableError,
    OptionError,
    linearised_rule,
)
from chainrules_py.makers import Linearised
from chainrules_py.rulesets.formulas.matrices import (
    adjoint,
    diagonal,
    diagonal_matrix,
    solve_triangular,
    upper,
)


@linearised_rule(np.linalg.qr)
def qr_linearised(a: Array, *, mode: str = "reduced", xp) -> Linearised:
    _refuse_mode(mode, a.shape)
    y = q, r = xp.linalg.qr(a)
    derivative = qr_map(q, r, xp)
    if mode != "r":
        return y, derivative
    return r, LinearMap(
        lambda a_dot: derivative.push(a_dot)[1], lambda r_bar: derivative.pull((ZERO, r_bar))
    )


def _refuse_mode(mode: str, shape: tuple[int, ...]) -> None:
    if mode not in ("reduced", "complete", "r"):
        got = f"got mode={mode!r}, which has no rule"
        instead = "pass mode='reduced' or mode='r'"
        raise OptionError(
            "numpy.linalg.qr", got, instead, primal=np.linalg.qr, option="mode", value=mode
        )
    if mode == "complete" and shape[-2] > shape[-1]:
        got = (
            f"mode='complete' for matrices of shape {shape[-2:]}: the columns that complete Q are"
            " an arbitrary basis"
        )
        raise NotDifferentiableError(
            "numpy.linalg.qr", got, "pass mode='reduced'", primal=np.linalg.qr, argument="mode"
        )


def qr_map(q, r, xp) -> LinearMap:
    """The derivative of the reduced factorisation."""
    k, n = r.shape[-2:]
    u = r[..., :k]

    def qr_pushforward(a_dot) -> tuple[Any, Any]:
        q_h = adjoint(q, xp)
        x_dot_h = adjoint(a_dot[..., :k], xp)
        w = adjoint(solve_triangular(u, x_dot_h, xp, lower=False, of_adjoint=True), xp)
        c = q_h @ w
        omega = skew_with_lower(c, xp)
        return w + q @ (omega - c), xp.triu(q_h @ a_dot - omega @ r)

    def qr_pullback(y_bar):
        q_bar, r_bar = y_bar[0], upper(y_bar[1], xp)
        q_part = adjoint(q, xp) @ q_bar
        omega_bar = q_part - r_bar @ adjoint(r, xp)
        w_bar = q_bar + q @ (lower_of_skew(omega_bar, xp) - q_part)
        x_bar = adjoint(solve_triangular(u, adjoint(w_bar, xp), xp, lower=False), xp)
        return q @ r_bar + (x_bar if k == n else x_bar @ xp.eye(k, n, dtype=r.dtype))

    return LinearMap(qr_pushforward, qr_pullback)


def skew_with_lower(c, xp) -> Any:
    """The skew-Hermitian matrix with the strict lower triangle of C and the imaginary part of its
    diagonal.
    """
    lower = xp.tril(c, -1)
    skew = lower - adjoint(lower, xp)
    return skew + _imaginary_diagonal(c, xp) if c.dtype.kind == "c" else skew


def lower_of_skew(omega_bar, xp) -> Any:
    """The adjoint of `skew_with_lower`."""
    lower = xp.tril(omega_bar - adjoint(omega_bar, xp), -1)
    return lower + _imaginary_diagonal(omega_bar, xp) if omega_bar.dtype.kind == "c" else lower


def _imaginary_diagonal(a, xp) -> Any:
    return 1j * diagonal_matrix(xp.imag(diagonal(a, xp)), xp)
