"""Integrals with the weights of `quad`, written as integrals of finite functions without weights.

Powers of the distance from an end disappear in the variable ``u = (x - a)^((1 + alpha) / 4)``, in
which their logarithms are finite, too. A function with a pole is folded around it.
"""

from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.errors import OptionError
from chainrules_py.ignoring import ignore_derivatives

FLAT = 4  # near an end the integrand is u^(FLAT - 1), times a logarithm
Integrate = Function  # integral(f, a, b, args)


def oscillating(wave) -> Function:
    """The integral of a function times the sine or cosine of `wvar` x."""

    def oscillating_integral(integrate: Integrate, f, a, b, args, wvar):
        if np.isinf(ignore_derivatives(a)) or np.isinf(ignore_derivatives(b)):
            where = "scipy.integrate.quad: weight"
            got = f"weight={wave.__name__!r} up to an infinite limit"
            raise OptionError(
                where, got, "pass finite limits", primal=None, option="weight", value=wave.__name__
            )
        return integrate(
            lambda x, f, wvar, *args: f(x, *args) * wave(wvar * x), a, b, (f, wvar, *args)
        )

    return oscillating_integral


def with_powers(*logarithms: str) -> Function:
    """The integral with the powers `wvar` of the distances from both ends.

    `logarithms` names the ends, "a" and "b", of whose distance the logarithm is a factor, too.
    """

    def half(integrate: Integrate, own: str, f, end, width, power, other, args) -> Any:
        """The half of the integral beside its own end, which is "a" or "b"."""

        def integrand(u, f, end, width, power, other, *args):
            near = u ** (FLAT / (1 + power))
            value = f(end + near if own == "a" else end - near, *args) * (width - near) ** other
            for name in logarithms:
                value = value * np.log(near if name == own else width - near)
            return value * u ** (FLAT - 1) * (FLAT / (1 + power))

        given = (f, end, width, power, other, *args)
        return integrate(integrand, 0.0, (width / 2) ** ((1 + power) / FLAT), given)

    def integral_with_powers(integrate: Integrate, f, a, b, args, wvar):
        alpha, beta = wvar
        below = half(integrate, "a", f, a, b - a, alpha, beta, args)
        return below + half(integrate, "b", f, b, b - a, beta, alpha, args)

    return integral_with_powers


def principal_value(integrate: Integrate, f, a, b, args, wvar):
    """Cauchy's principal value of the integral with 1 / (x - wvar), which has no pole where `wvar`
    is outside.
    """

    def folded(t, f, pole, *args):
        return (f(pole + t, *args) - f(pole - t, *args)) / t

    def beside(x, f, pole, *args):
        return f(x, *args) / (x - pole)

    given = (f, wvar, *args)
    from_a, to_b = ignore_derivatives(wvar - a), ignore_derivatives(b - wvar)
    if from_a * to_b < 0:
        return integrate(beside, a, b, given)
    if abs(from_a) < abs(to_b):
        reach = wvar - a
        rest = integrate(beside, wvar + reach, b, given)
    else:
        reach = b - wvar
        rest = integrate(beside, a, wvar - reach, given)
    return integrate(folded, 0.0, reach, given) + rest


WEIGHTS: dict[str, Function] = {
    "cos": oscillating(np.cos),
    "sin": oscillating(np.sin),
    "alg": with_powers(),
    "alg-loga": with_powers("a"),
    "alg-logb": with_powers("b"),
    "alg-log": with_powers("a", "b"),
    "cauchy": principal_value,
}
