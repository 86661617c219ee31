"""Programs that a scope differentiates: `math`, `float(x)`, plain arrays that are filled, SciPy."""

import math
from functools import lru_cache

import numpy as np
from scipy import integrate, optimize, special, stats

V = np.array([0.5, 1.3, 0.8])


def filled(x):
    y = np.zeros(3)
    for k in range(3):
        y[k] = math.sin(x[k]) * float(x[0])
    return y


def rotation(angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])


def cooled(rate):
    def slope(t, y):
        return np.array([-rate * math.exp(-t) * y[0]])

    return integrate.solve_ivp(slope, (0.0, 0.4), [1.0], rtol=1e-8, atol=1e-10).y[0, -1]


@lru_cache
def remembered(x):
    return x * x


ROWS = {
    "filled": (filled, (V,), "scoped writes"),
    "rotation": (rotation, (0.6,), "scoped number"),
    "floats": (lambda x: float(x) ** 2 * math.exp(x), (0.6,), "scoped number"),
    "densities in a scope": (lambda x: np.sum(stats.norm.logpdf(x, 0.2, 1.1)), (V,), "scoped"),
    "special in a scope": (lambda x: special.gammaln(x) * special.erf(x), (V,), "scoped"),
    "integral in a scope": (
        lambda x: integrate.quad(lambda t: math.exp(-t * x), 0.0, 1.0)[0],
        (0.6,),
        "scoped number solver",
    ),
    "root in a scope": (
        lambda x: optimize.brentq(lambda y: math.exp(y) - x, -2.0, 2.0, xtol=1e-14),
        (1.6,),
        "scoped number solver",
    ),
    "solution in a scope": (cooled, (0.6,), "scoped number solver rough counts"),
    "cache": (lambda x: remembered(x) * 3.0, (0.6,), "scoped number"),
    "tolist": (lambda x: sum(y**2 for y in x.tolist()), (V,), "scoped classed"),
}
