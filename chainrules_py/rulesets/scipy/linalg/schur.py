"""The complex Schur form T' = W^H T W of a real one, of which each block of two rows is made
triangular by a rotation in W.

W moves by W Omega, with Omega skew-Hermitian and inside of the blocks. That the entry below the
diagonal of T' stays zero gives Omega there; its diagonal keeps the entries of W beside the diagonal
real, as SciPy chooses them.
"""

from typing import Any

import numpy as np
from scipy import linalg

from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.rulesets.formulas.matrices import adjoint, passes_zero, value_at_hand
from chainrules_py.values.arrays import Array


class Rotations:
    """The rotations of all blocks, from the real form T and from both matrices Z."""

    def __init__(self, t, z, t_new, z_new, xp) -> None:
        self.xp, self.t_new, self.z_new = xp, t_new, z_new
        self.w = xp.linalg.solve(z, z_new)
        self.is_block = np.diagonal(value_at_hand(t), -1, -2, -1) != 0
        values = xp.diagonal(t_new, 0, -2, -1)
        self.gaps = xp.where(self.is_block, values[..., :-1] - values[..., 1:], 1)
        self.sine = xp.where(self.is_block, xp.real(self.below(self.w)), 1)
        self.cosine = xp.diagonal(self.w, 0, -2, -1)[..., :-1]
        n = t.shape[-1]
        self.under = np.eye(n, k=-1)[:, :-1]  # puts what belongs to a block below the diagonal
        self.kept = self.placed(self.is_block * 1.0) == 0

    def below(self, a) -> Any:
        """The entries below the diagonal."""
        return self.xp.diagonal(a, -1, -2, -1)

    def placed(self, v) -> Any:
        """The matrix with these entries below the diagonal."""
        return self.under * self.xp.expand_dims(v, -2) @ np.eye(v.shape[-1], v.shape[-1] + 1)

    def diagonal(self, v) -> Any:
        """The matrix with -v and v on the diagonal of each block."""
        ends = self.xp.zeros_like(v[..., :1])
        entries = self.xp.concatenate([ends, v], axis=-1) - self.xp.concatenate([v, ends], axis=-1)
        return self.xp.expand_dims(entries, -1) * np.eye(entries.shape[-1])

    def omega(self, m) -> Any:
        """The skew-Hermitian matrix by which the rotations move where W^H T_dot W is `m`."""
        xp = self.xp
        lower = xp.where(self.is_block, self.below(m) / self.gaps, 0)
        turning = xp.imag(xp.conj(self.cosine) * lower) / self.sine
        rotation = self.placed(lower)
        return rotation - adjoint(rotation, xp) + 1j * self.diagonal(turning)

    def omega_adjoint(self, omega_bar) -> Any:
        """The adjoint of `omega`."""
        xp = self.xp
        entries = xp.imag(xp.diagonal(omega_bar, 0, -2, -1))
        turning_bar = (entries[..., 1:] - entries[..., :-1]) / self.sine
        lower_bar = (
            self.below(omega_bar)
            - xp.conj(xp.diagonal(omega_bar, 1, -2, -1))
            + 1j * turning_bar * self.cosine
        )
        return self.placed(xp.where(self.is_block, lower_bar / xp.conj(self.gaps), 0))


@linearised_rule(linalg.rsf2csf)
def rsf2csf_linearised(
    T: Array, Z: Array, *, check_finite: bool = True, out, xp
) -> tuple[LinearMap, LinearMap]:
    """Zeros below the blocks of T are constant."""
    r = Rotations(T, Z, out[0], out[1], xp)
    w_h = adjoint(r.w, xp)

    def read(a) -> Any:
        return xp.where(r.kept, xp.triu(a), a)

    def push(t_dot) -> tuple[Any, Any]:
        m = w_h @ read(t_dot) @ r.w
        omega = r.omega(m)
        return xp.where(r.kept, m + r.t_new @ omega - omega @ r.t_new, 0), r.z_new @ omega

    def pull(y_bar):
        t_bar = passes_zero(lambda bar: xp.where(r.kept, bar, 0))(y_bar[0])
        t_h = adjoint(r.t_new, xp)
        omega_bar = t_h @ t_bar - t_bar @ t_h + adjoint(r.z_new, xp) @ y_bar[1]
        return read(r.w @ (t_bar + r.omega_adjoint(omega_bar)) @ w_h)

    by_basis = LinearMap(
        lambda z_dot: (xp.zeros_like(r.t_new), z_dot @ r.w),
        lambda y_bar: passes_zero(lambda bar: bar @ w_h)(y_bar[1]),
    )
    return LinearMap(push, pull), by_basis
