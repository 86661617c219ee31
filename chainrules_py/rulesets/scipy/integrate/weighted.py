"""Integrals with the weights of `quad`, written as integrals of finite functions without weights.

Powers of the distance from an end disappear in the variable ``u = (x - a)^((1 + alpha) / 4)``, in
which their logarithms are finite, too. A function with a pole is folded around it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.errors import OptionError
from chainrules_py.ignoring import ignore_derivatives

FLAT = 4  # near an end the integrand is u^(FLAT - 1), times a logarithm
Integrate = Callable[..., Any]  # integral(f, a, b, args)


def oscillating(wave) -> Callable[..., Any]:
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


def with_powers(*logarithms: str) -> Callable[..., Any]:
    """The integral with the powers `wvar` of the distances from both ends.

    `logarithms` names the ends, "a" and "b", of whose distance the logarithm is a factor, too.
    """

    def integral_with_powers(integrate: Integrate, f, a, b, args, wvar):
        alpha, beta = wvar
        middle = (a + b) / 2

        def from_below(u, f, a, b, alpha, beta, *args):
            near = u ** (FLAT / (1 + alpha))
            value = f(a + near, *args) * (b - a - near) ** beta
            return logs(value, near, b - a - near) * u ** (FLAT - 1) * (FLAT / (1 + alpha))

        def from_above(u, f, a, b, alpha, beta, *args):
            near = u ** (FLAT / (1 + beta))
            value = f(b - near, *args) * (b - a - near) ** alpha
            return logs(value, b - a - near, near) * u ** (FLAT - 1) * (FLAT / (1 + beta))

        given = (f, a, b, alpha, beta, *args)
        below = integrate(from_below, 0.0, (middle - a) ** ((1 + alpha) / FLAT), given)
        return below + integrate(from_above, 0.0, (b - middle) ** ((1 + beta) / FLAT), given)

    def logs(value, from_a, from_b) -> Any:
        value = value * np.log(from_a) if "a" in logarithms else value
        return value * np.log(from_b) if "b" in logarithms else value

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


WEIGHTS: dict[str, Callable[..., Any]] = {
    "cos": oscillating(np.cos),
    "sin": oscillating(np.sin),
    "alg": with_powers(),
    "alg-loga": with_powers("a"),
    "alg-logb": with_powers("b"),
    "alg-log": with_powers("a", "b"),
    "cauchy": principal_value,
}
