"""The logarithmic derivatives of the gamma function, of every order, for Python's numbers.

Neither `math` nor NumPy has them.

M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions (1964), 6.3 and 6.4: the recurrence
to larger arguments, where the asymptotic series takes over, and the reflection of negative ones.
"""

import math
from fractions import Fraction

from chainrules_py import NO_TANGENT, primitive, scalar_rule

_ROOT_OF_DIGAMMA = (1.4616321449683622, 9.549995429965697e-17)  # psi is 0 at the sum of these two
_LARGE = 12.0  # from here on the asymptotic series has all digits


def _bernoulli_numbers(count: int) -> tuple[float, ...]:
    """B_2, B_4, ..., from the recurrence that they and the binomial coefficients add up to 0."""
    found = [Fraction(1)]
    for n in range(1, 2 * count + 1):
        found.append(
            -sum((math.comb(n + 1, k) * b for k, b in enumerate(found)), Fraction(0)) / (n + 1)
        )
    return tuple(map(float, found[2::2]))


_BERNOULLI = _bernoulli_numbers(14)


@primitive
def polygamma(n: int, x: float) -> float:
    """The derivative of order n + 1 of log |gamma(x)|, for real x.

    It is nan at the poles, which are 0 and the negative integers.

    The relative error is below 1e-14 for positive x. For negative x it is that of the larger of the
    two terms of the reflection formula, whose difference has zeros between the poles.

    >>> polygamma(0, 1.0) + 0.5772156649015329
    0.0
    """
    x = float(x)
    if math.isnan(x) or x == -math.inf or (x <= 0 and x == round(x)):
        return math.nan
    sign = -1.0 if n % 2 else 1.0
    if x < 0:
        return sign * polygamma(n, 1 - x) - math.pi ** (n + 1) * _cotangent_derivative(n, x)
    if n == 0:
        return _digamma_of_large(x) if x >= _LARGE else _digamma_by_root(x)
    return -sign * math.factorial(n) * _zeta(n + 1, x)


def _digamma_of_large(x: float) -> float:
    """log x - 1 / 2x - sum B_2k / (2k x^2k); the sum by A. & S. 6.3.18."""
    inverse = 1 / (x * x)
    series = sum(b / (2 * k) * inverse**k for k, b in enumerate(_BERNOULLI, 1))
    return math.log(x) - 0.5 / x - series


def _digamma_by_root(x: float) -> float:
    """psi(x) - psi(r) with r the root of psi, term by term with the factor x - r taken out, so that
    digits remain near r.
    """
    root, rest = _ROOT_OF_DIGAMMA
    distance, steps = (x - root) - rest, int(_LARGE)
    terms = [1 / ((k + x) * (k + root)) for k in range(steps)]
    z, z_root = steps + x, steps + root
    u, u_root = 1 / (z * z), 1 / (z_root * z_root)
    slope, slopes = 0.0, []
    for k, b in enumerate(_BERNOULLI, 1):
        slope = slope * u + u_root ** (k - 1)  # (u^k - u_root^k) / (u - u_root)
        slopes.append(b / (2 * k) * slope)
    of_logarithm = math.log1p(distance / z_root) / distance if distance else 1 / z_root
    of_series = math.fsum(slopes) * (z + z_root) * u * u_root
    return distance * math.fsum([*terms, of_logarithm, 0.5 / (z * z_root), of_series])


def _zeta(s: int, x: float) -> float:
    """The sum of 1 / (x + k)^s over all k (Hurwitz), by Euler and Maclaurin from a large argument
    on; for positive x.
    """
    if x == math.inf:
        return 0.0
    steps = max(0, math.ceil(_LARGE + s - x))
    z = x + steps
    tail = z ** (1 - s) / (s - 1) + 0.5 * z**-s
    factor = z ** (-s - 1)
    for k, b in enumerate(_BERNOULLI, 1):
        tail += b * math.comb(s + 2 * k - 2, 2 * k - 1) / (2 * k) * factor
        factor /= z * z
    return math.fsum([tail, *(_inverse_power(x + k, s) for k in range(steps))])


def _inverse_power(x: float, s: int) -> float:
    try:
        return (1 / x) ** s
    except OverflowError:
        return math.inf


def _cotangent(turns: float) -> float:
    """cot(pi x) for |x| <= 1/2, with all digits near its zeros, too."""
    if abs(turns) < 0.25:
        return 1 / math.tan(math.pi * turns)
    return math.copysign(math.tan(math.pi * (0.5 - abs(turns))), turns)


def _cotangent_derivative(n: int, x: float) -> float:
    """The derivative of order n of cot, at pi x: a polynomial in c = cot(pi x), because c' = -(1 +
    c^2).
    """
    coefficients = [0, 1]
    for _ in range(n):
        slope = [k * c for k, c in enumerate(coefficients)][1:]
        coefficients = [
            -(one + other) for one, other in zip([*slope, 0, 0], [0, 0, *slope], strict=True)
        ]
    c = _cotangent(x - round(x))
    return math.fsum(
        float(coefficient) * c**k for k, coefficient in enumerate(coefficients) if coefficient
    )


@primitive
def digamma(x: float) -> float:
    """The derivative of log |gamma(x)|; as accurate as `polygamma`.

    >>> digamma(2.0) - digamma(1.0)
    1.0
    """
    return polygamma(0, x)


def next_polygamma(n: int, x: float) -> float:
    """The derivative of one order more."""
    return polygamma(n + 1, x)


scalar_rule(polygamma, "n, x", NO_TANGENT, next_polygamma)
scalar_rule(digamma, "x", lambda x: polygamma(1, x))
