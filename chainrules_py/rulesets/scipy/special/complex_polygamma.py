"""The polygamma functions of complex numbers, which SciPy does not have.

The gamma function, its logarithm and psi move by them a second time.
"""

from math import factorial
from typing import Any

import numpy as np

from chainrules_py.makers import primitive
from chainrules_py.rulesets.scipy.special.declaring import named, special_rule
from chainrules_py.tangents import NO_TANGENT

_FAR = 20.0
# B(2j) / (2j)!
_BERNOULLI = (
    1 / 12,
    -1 / 720,
    1 / 30240,
    -1 / 1209600,
    1 / 47900160,
    -691 / 1307674368000,
    1 / 74724249600,
)


@named
@primitive
def complex_polygamma(n, z: Any):
    """The derivative of psi of order n: (-1)^(n + 1) n! times the sum over k of (z + k)^-(n + 1),
    DLMF 25.11.12.

    Terms are summed until z + k is far from the negative axis; the rest is that of Euler and
    Maclaurin, DLMF 25.11.43.
    """
    z, s = np.array(z, complex), int(n) + 1
    steps = np.where(np.abs(z.imag) < _FAR, np.ceil(np.maximum(_FAR - z.real, 0)), 0)
    total = np.zeros_like(z)
    for k in range(int(np.max(steps, initial=0))):
        total = total + np.where(k < steps, np.where(k < steps, z + k, 1) ** -s, 0)
    z = z + steps
    rest, power = z ** (1 - s) / (s - 1) + 0.5 * z**-s, s * z ** (-s - 1)
    for j, coefficient in enumerate(_BERNOULLI, 1):
        rest = rest + coefficient * power
        power = power * (s + 2 * j - 1) * (s + 2 * j) / (z * z)
    return ((-1) ** s * factorial(s - 1) * (total + rest))[()]


special_rule(complex_polygamma, "n, z", NO_TANGENT, "complex_polygamma(n + 1, z)")
