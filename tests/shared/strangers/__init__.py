"""A package by people who never heard of derivatives; each function takes and returns a number."""

import math
from functools import lru_cache, partial, wraps
from math import sqrt
from typing import NamedTuple

import numpy
import numpy as np
import numpy.linalg as la
from numpy import array, mean

from strangers import rotations as rotations

TABLE = {"sin": math.sin, "rows": [math.cos, (math.tan,)]}
raised = partial(math.pow, 3.0)


class Term(NamedTuple):
    """An entry of a table, with a function."""

    weight: float
    function: object


TERMS = [Term(2.0, math.sin), Term(0.5, math.cos)]


def logged(function):
    """Decorate a function, as many packages do."""
    names = np.array([1.0])

    @wraps(function)
    def inner(*args):
        return names[0] * function(*args)

    return inner


class Density:
    """An object that holds a distribution of SciPy's from its beginning."""

    def __init__(self):
        from scipy import stats

        self.distribution = stats.norm

    def at(self, x):
        return self.distribution.pdf(x)


class Model:
    """Methods of all kinds, and NumPy's functions as attributes."""

    average = np.mean
    root = staticmethod(math.sqrt)

    def __init__(self, scale):
        self.scale = float(scale)

    def run(self, x, f=np.asarray):
        return f([x, self.scale]).sum() * Model.average([x, x])

    @classmethod
    def made(cls, x):
        return cls(x).run(x)

    @property
    def rooted(self):
        return self.root(self.scale) * math.exp(self.scale)

    def __float__(self):
        return float(self.scale) ** 2


def converted(x):
    return float(np.asarray(x, dtype=float)) * math.sin(x) + numpy.float64(x)


def matrix(x, f=math.cos):
    c, s = f(x), sqrt(1 - f(x) ** 2)
    return float(np.linalg.norm(array([[c, -s], [s, c]]) @ np.array([1.0, x])) + la.norm([x, c]))


def local_imports(x):
    import math as m

    import numpy.linalg
    from numpy import atleast_1d

    return m.exp(x) * numpy.linalg.norm(atleast_1d(x)) + numpy.r_[x, 2 * x].sum()


def closure(x):
    f = math.exp

    def inner(y):
        return f(y) * mean([y, 1.0])

    return inner(x)


@logged
def decorated(x):
    return math.log(x) * int(3 + x)


def tables(x):
    return (
        TABLE["sin"](x) * TABLE["rows"][0](x)
        + TABLE["rows"][1][0](x)
        + sum(t.weight * t.function(x) for t in TERMS)
        + raised(x)
    )


def models(x):
    return Model.made(x) + Model(x).rooted + float(Model(x))


def typed(x):
    if type(x) is np.float64 or type(x) is float:
        return sum(map(float, [x, math.hypot(x, 1.0, 2.0)]))
    raise TypeError("no number")


def items(x):
    a = np.array([[x, 2.0]])
    return a[0, :1].item() * a.tolist()[0][1] * math.fsum(v for v in a.flat) + complex(
        x, 1.0
    ).imag * abs(complex(x))


def halves(x):
    return rotations.turned(x)[0]


@lru_cache
def cached(n):
    return float(n) + np.sin(n)


def fallback(x):
    try:
        return math.sqrt(x - 10.0)
    except ValueError:
        return math.cosh(x)
