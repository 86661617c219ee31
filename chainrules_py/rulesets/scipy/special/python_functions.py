"""Functions of `scipy.special` written in Python.

Derivatives of Bessel functions, combinatorics, spherical harmonics.
"""

from scipy import special

from chainrules_py.rulesets.scipy.special.bessel import BY_ORDER
from chainrules_py.rulesets.scipy.special.declaring import special_rule
from chainrules_py.tangents import NO_TANGENT, ZERO
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


def spherical(name: str, below: int, above: int) -> None:
    """Solutions of w'' + 2 w' / z = (n (n + 1) / z^2 -+ 1) w, of which 2 n + 1 times the first
    derivative is n times the order below and n + 1 times the order above: DLMF 10.51.2, 10.51.5.
    """
    function = getattr(special, name)

    def by_argument(n, z, derivative):
        """The first derivative; where the function is one, that of its neighbours' combination.

        By the differential equation, the second one would be a difference of terms in 1 / z^2.
        """
        if not derivative:
            return call(function, n, z, True)
        lower = below * n * call(function, abs(n - 1), z, True)  # which is zero times order 1 at 0
        upper = above * (n + 1) * call(function, n + 1, z, True)
        return (lower + upper) / (2 * n + 1)

    special_rule(function, "n, z", ZERO, lambda n, z: call(function, n, z, True))
    special_rule(function, "n, z, derivative", ZERO, by_argument, NO_TANGENT)


spherical("spherical_jn", 1, -1)
spherical("spherical_yn", 1, -1)
spherical("spherical_in", 1, 1)
spherical("spherical_kn", -1, -1)


def harmonic_by_theta(n, m, theta, phi, out, xp):
    """Half the difference of the harmonics of the next and of the last m, each with its factor.

    This comes of the ladder operators, exp(+-i phi) (+-d/dtheta + i cot(theta) d/dphi), of which the
    cotangent drops out, so that it holds at the poles, too. Beyond these SciPy has the harmonic of
    the mirror image of theta.
    """
    turn = xp.exp(1j * phi)
    raised = call(special.sph_harm_y, n, m + 1, theta, phi) / turn
    lowered = call(special.sph_harm_y, n, m - 1, theta, phi) * turn
    # negative where |m| > n, for which the harmonic is zero
    of_raised = xp.sqrt(xp.maximum((n - m) * (n + m + 1.0), 0.0))
    of_lowered = xp.sqrt(xp.maximum((n + m) * (n - m + 1.0), 0.0))
    half = xp.where(xp.sin(theta) < 0, -0.5, 0.5)
    return half * (of_raised * raised - of_lowered * lowered)


special_rule(
    special.sph_harm_y,
    "n, m, theta, phi",
    NO_TANGENT,
    NO_TANGENT,
    harmonic_by_theta,
    "1j * m * out",
)
