"""Programs that a scope differentiates: `math`, `float(x)`, plain arrays that are filled, SciPy."""

import cmath
import math
from functools import lru_cache

import numpy as np
import scipy
from scipy import integrate, optimize, special

from chainrules_tape import checkpoint
from strangers import decisions

V, T = np.array([0.5, 1.3, 0.8]), np.linspace(0.0, 5.0, 7)


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


OF_MATH = [
    *("acos", "asin", "asinh", "atan", "cbrt", "cos", "cosh", "degrees", "erf", "erfc"),
    *("exp", "exp2", "expm1", "fabs", "gamma", "lgamma", "log", "log10", "log1p", "log2"),
    *("radians", "sin", "sinh", "sqrt", "tan", "tanh", "atanh"),
]
OF_CMATH = [
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "log"),
    *("log10", "sin", "sinh", "sqrt", "tan", "tanh"),
]


def of_several(x):
    found = [
        math.atan2(x, 2.0) * math.atan2(1.0, x),
        math.copysign(x, -1.0) + math.fmod(5 * x, 2.0),
        math.dist([x, 1.0], [0.0, x]) * math.fsum(v * x for v in (1.0, 2.0)),
        math.hypot(x, 2.0, x * x) + math.hypot(x),
        math.log(x, 3.0) + math.log(3.0, x),
        math.pow(x, 2.5) + math.pow(2.5, x) * math.prod([x, 2.0, x]),
        math.floor(5 * x) * x + math.ceil(5 * x) * x + math.trunc(5 * x) * x,
        x if math.isfinite(x) and math.isclose(1.0, 1.0 + x / 2, rel_tol=x) else 0.0,
        math.acosh(1.0 + x) * math.pi + math.e,
    ]
    return np.array(found)


def of_complex(x):
    z = complex(0.3, x)
    parts = [cmath.phase(z), *cmath.polar(z), abs(cmath.rect(x, 0.4) + complex(real=x))]
    return np.array([*(getattr(cmath, name)(z) for name in OF_CMATH), *parts])


def converted(x):
    """Conversions that are called, passed on and compared."""
    a = np.array([[1.0, 2.0], [3.0, 4.0]]).dot(np.stack([x, x * x])).dot(np.array([1.0, 2.0]))
    b = sum(map(float, [x, 2.0])) + int(4 * x) * x + (lambda y: float(y))(np.float64(x))
    return a * b + (float(x) if x > 0 else float(-x)) + np.power(float(x), float(np.float64(3.0)))


def counted(x):
    """Steps that count, between which there is a slope."""
    angle = (x + 180.0) % 360.0 - 180.0
    zone = x - math.floor(x / 6.0) * 6.0
    return x * [1.0, 2.0, 5.0][int(x)] + x % 1.0 + (3 * x) // 1 * angle + zone * divmod(x, 0.5)[1]


class Holder:
    """Has an array."""

    def __init__(self):
        self.array = np.ones(3)


def of_a_name(x):
    a = np.arange(3.0)
    a *= x
    a += x * x
    return np.sum(a)


LEVELS = np.arange(3.0)


def of_an_array(x):
    a = LEVELS + 1.0
    # across branches, where since Python 3.14 the operation holds its array once more
    a **= np.stack([x, 2 * x, x]) if len(a) else x
    a /= x
    return np.sum(a)


def of_several_names(x):
    """An array that `arange` made takes traced values whoever holds it."""
    a = b = np.arange(3.0)
    held, view = [a], a[1:]
    a *= x
    np.multiply(a, x, out=a)
    a[1:] *= x
    return np.sum(b * held[0]) + view[0]


def of_an_attribute(x):
    holder = Holder()
    holder.array -= x
    return np.sum(holder.array**2)


def over_a_step(x):
    places = np.array([0.0, 0.4, 1.0])
    return integrate.quad(lambda t: x * t if t < places[1] else x * x, 0.0, 1.0)[0]


AUGMENTED = (of_a_name, of_an_array, of_several_names, of_an_attribute)
ROWS = {
    **{f"augmented, {f.__name__}": (f, (0.7,), "scoped number writes") for f in AUGMENTED},
    "math": (lambda x: np.array([getattr(math, k)(x) for k in OF_MATH]), (0.6,), "scoped number"),
    "math of several": (of_several, (0.7,), "scoped number decides"),
    "cmath": (of_complex, (0.7,), "scoped number near"),
    "conversions": (converted, (0.7,), "scoped number decides"),
    "steps that count": (counted, (1.23,), "scoped number decides once"),
    "root by steps": (decisions.root_by_newton, (V,), "scoped"),
    "nearest image": (decisions.nearest_image, (V,), "scoped"),
    "rounded integrand": (
        lambda x: integrate.quad(lambda t: np.exp(-np.round(x * t, 12) - x * t), 0, 1)[0],
        (0.6,),
        "scoped number solver",
    ),
    "checkpoint in a scope": (
        lambda x: checkpoint(lambda y: math.exp(float(y)))(x),
        (0.6,),
        "scoped number",
    ),
    "filled": (filled, (V,), "scoped writes"),
    "rotation": (rotation, (0.6,), "scoped number"),
    "floats": (lambda x: float(x) ** 2 * math.exp(x), (0.6,), "scoped number"),
    "densities in a scope": (
        lambda x: np.sum(scipy.stats.norm.logpdf(x, 0.2, 1.1)),
        (V,),
        "scoped textless",
    ),
    "special in a scope": (lambda x: special.gammaln(x) * special.erf(x), (V,), "scoped"),
    "integral in a scope": (
        lambda x: integrate.quad(lambda t: math.exp(-t * x), 0.0, 1.0)[0],
        (0.6,),
        "scoped number solver",
    ),
    "integral over a step": (over_a_step, (0.6,), "scoped number solver once"),
    "root in a scope": (
        lambda x: optimize.brentq(lambda y: math.exp(y) - x, -2.0, 2.0, xtol=1e-14),
        (1.6,),
        "scoped number solver",
    ),
    "solution in a scope": (cooled, (0.6,), "scoped number solver rough counts"),
    "cache": (lambda x: remembered(x) * 3.0, (0.6,), "scoped number"),
    "triangles in a scope": (
        lambda a: np.linalg.cholesky(a) ** 2 + np.linalg.eigvalsh(a),
        (np.array([[4.0, 0.7], [0.3, 3.0]]),),
        "scoped",
    ),
    "pieces in a scope": (
        lambda p: (
            np.piecewise(T, [T < 1.7], [lambda t: p[1] * t + p[2], lambda t: p[2] * t])
            + np.apply_along_axis(lambda row: row @ p, 2, np.ones((1, 7, 3)))
        ),
        (V,),
        "scoped",
    ),
    "tolist": (lambda x: sum(y**2 for y in x.tolist()), (V,), "scoped classed"),
}
