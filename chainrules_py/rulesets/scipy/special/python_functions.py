"""Functions of `scipy.special` written in Python.

Derivatives of Bessel functions, combinatorics, spherical harmonics.
"""

from typing import Any

from scipy import special

from chainrules_py.rulesets.scipy.special.bessel import BY_ORDER
from chainrules_py.rulesets.scipy.special.declaring import special_rule
from chainrules_py.tangents import NO_TANGENT
from chainrules_py.values.arrays import call

# The n-th derivative moves by the next one.
for name in ("jvp", "yvp", "ivp", "kvp", "h1vp", "h2vp"):
    special_rule(getattr(special, name), "v, z", BY_ORDER, f"{name}(v, z, 2)")
    special_rule(getattr(special, name), "v, z, n", BY_ORDER, f"{name}(v, z, n + 1)", NO_TANGENT)

special_rule(special.factorial, "n", "where(n < 0, 0, out * psi(where(n < 0, 0, n) + 1.0))")
special_rule(
    special.comb,
    "N, k",
    "where(out == 0, 0, out * (psi(N + 1.0) - psi(where(out == 0, 0, N - k) + 1.0)))",
    "where(out == 0, 0, out * (psi(where(out == 0, 0, N - k) + 1.0) - psi(k + 1.0)))",
)
special_rule(
    special.perm,
    "N, k",
    "where(out == 0, 0, out * (psi(N + 1.0) - psi(where(out == 0, 0, N - k) + 1.0)))",
    "where(out == 0, 0, out * psi(where(out == 0, 0, N - k) + 1.0))",
)


def spherical(name: str, sign: int) -> None:
    """Solutions of w'' + 2 w' / z = (n (n + 1) / z^2 - sign) w: DLMF 10.47.1 and 10.47.2."""
    function = getattr(special, name)

    def second(n: Any, z: Any, derivative: Any, out: Any) -> Any:
        """The first derivative.

        The second one, by the differential equation, where the function is a derivative.
        """
        if not derivative:
            return call(function, n, z, True)
        return (n * (n + 1) / (z * z) - sign) * call(function, n, z) - 2 * out / z

    special_rule(function, "n, z", NO_TANGENT, lambda n, z: call(function, n, z, True))
    special_rule(function, "n, z, derivative", NO_TANGENT, second, NO_TANGENT)


for _name, _sign in (
    ("spherical_jn", 1),
    ("spherical_yn", 1),
    ("spherical_in", -1),
    ("spherical_kn", -1),
):
    spherical(_name, _sign)


def harmonic_by_theta(n: Any, m: Any, theta: Any, phi: Any, out: Any, xp: Any) -> Any:
    """By the harmonic of the next order: DLMF 14.10.2 with 14.30.1."""
    raised = call(special.sph_harm_y, n, m + 1, theta, phi) * xp.exp(-1j * phi)
    return m * out / xp.tan(theta) + xp.sqrt((n - m) * (n + m + 1.0)) * raised


special_rule(
    special.sph_harm_y,
    "n, m, theta, phi",
    NO_TANGENT,
    NO_TANGENT,
    harmonic_by_theta,
    "1j * m * out",
)
