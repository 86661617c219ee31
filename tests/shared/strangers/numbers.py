"""Functions that convert numbers in ways of their own, call ufuncs with lists, and make objects of
classes derived from `float`.
"""

import datetime
import decimal
import fractions
import functools
import importlib
import json
import math
import select
from decimal import Decimal
from fractions import Fraction
from importlib import import_module

import numpy as np
from numpy import absolute, float64, sqrt
from scipy import stats
from scipy.stats import norm


class Length(float):
    """A number with a unit."""

    def __new__(cls, x, unit="m"):
        made = super().__new__(cls, x)
        made.unit = unit
        return made


class Angle(float):
    """One that leaves all to `float`."""

    def __init__(self, x):
        self.turns = self / (2 * math.pi)


LISTS = {
    "abs": lambda x: np.abs([x, -x]).sum(),
    "sin": lambda x: np.sin([x, 2 * x]).sum(),
    "tuple": lambda x: sqrt((x, x)).sum(),
    "nested": lambda x: np.exp([[x, 1.0], [2.0, x]]).sum(),
    "of two": lambda x: np.add([x, 1.0], [2.0, x]).sum() * np.maximum([x, 1.0], 0.5).sum(),
    "absolute": lambda x: absolute([x, -x])[1],
    "reduce": lambda x: np.multiply.reduce([x, x]),
    "accumulate": lambda x: np.add.accumulate([x, 2.0])[1],
    "outer": lambda x: np.multiply.outer([x, 1.0], [x, 2.0]).sum(),
    "questions": lambda x: x if np.isfinite([x, 1.0]).all() and np.signbit([-x])[0] else 0.0,
    "others of these names": (
        lambda x: functools.reduce(lambda a, b: a * b, [x, x]) + np.outer([x, 1.0], [x])[0, 0]
    ),
}


class Reading:
    """An object and a class that hold what converts."""

    converter = float

    def __init__(self, dtype=float):
        self.dtype = dtype

    def read(self, x):
        return self.converter(x) * self.dtype(x)


def of_dtype(x, dtype):
    return dtype(x) * x


def by_keyword(x, *, dtype=np.float64):
    return dtype(x) * x + dtype(abs(x) * dtype(x))


def in_a_variable(x):
    chosen = {"real": float, "whole": int}["real"]
    return chosen(x) ** 2


def around(kind):
    return lambda x: kind(x) * x


READERS, IN_ORDER = {"x": float, "n": int}, [float, len]
EXECUTED = {}
exec(
    "def squared(x):\n    return float(x) ** 2 + absolute(x)",
    EXECUTED | {"absolute": np.abs},
    EXECUTED,
)
squared = EXECUTED["squared"]  # code of no module
around_float = around(float)


class Table:
    """Reads by what it holds in a table."""

    types = [int, float]

    def __init__(self):
        self.kinds = {"x": float, "n": int}

    def read(self, x, name="x"):
        return self.kinds["x"](x) * self.kinds[name](x) + self.types[1](x * 2)

    def count(self):
        return self.kinds["n"]("3") + len(self.kinds)


HOLDING = {
    "table of an object": lambda x: Table().read(x) * Table().count(),
    "class and object": lambda x: Reading().read(x),
    "parameter": lambda x: of_dtype(x, float) * of_dtype(x, np.float64),
    "keyword": lambda x: by_keyword(x),
    "variable": in_a_variable,
    "variable around": lambda x: around_float(x),
    "table": lambda x: READERS["x"](x) ** 2 + READERS["n"](x),
    "list": lambda x: IN_ORDER[0](x) * x,
    "code of no module": lambda x: squared(x),
}


def with_library(x, library):
    """Code for several array libraries, given one."""
    return library.sum(library.asarray([x, 2.0]) ** 2)


CONVERSIONS = {
    "a module by its name": lambda x: with_library(x, importlib.import_module("numpy")),
    "a function by its module's": lambda x: import_module(".linalg", "numpy").norm([x, 2.0]),
    "array": lambda x: np.sum(np.array([x, 2.0]).__array__() ** 2) + np.ones(1).__array__()[0],
    "fraction": lambda x: float(Fraction(x) * 2) * fractions.Fraction(x),
    "fraction of integers": lambda x: float(Fraction(1, 3)) * x + x * Fraction(2),
    "float64": lambda x: float64(x) * np.float64(x),
    "is_integer": lambda x: x if not x.is_integer() and (2.0).is_integer() else 2 * x,
    "hex": lambda x: x * len({x.hex(): 1}),
    "methods by the class": lambda x: float.__mul__(x, 2.0) ** float.is_integer(x + 0.5 - x),
    "text by the class": lambda x: x * len(float.hex(x)[:3]),
    "plain decimal": lambda x: float(Decimal("0.5") + decimal.Decimal(2)) * x,
    "plain others": (
        lambda x: (
            json.loads(json.dumps([1.5]))[0] * datetime.timedelta(seconds=2).total_seconds() * x
        )
    ),
}

FLOATS = {
    "own new": lambda x: Length(x) * 3.0,
    "own init": lambda x: Angle(x).turns,
    "by the class": lambda x: float.__new__(Length, x) * x,
}

DISTRIBUTION = stats.norm(0.0, 2.0)
N, pdf, frozen_pdf, TABLE = norm.cdf, norm.pdf, DISTRIBUTION.pdf, {"logpdf": [stats.gamma.logpdf]}

HELD = {
    "method": lambda x: N(x),
    "method with parameters": lambda x: pdf(x, loc=0.5 * x, scale=2.0),
    "in a table": lambda x: TABLE["logpdf"][0](x, 2.5),
    "frozen": lambda x: frozen_pdf(x),
    "list": lambda x: N([x, 0.0]).sum(),
}


def converted(x, converter=float, kind=np.float64, unused=float):
    return converter(x) * kind(x) + isinstance(1.0, unused)


def caught(x, ask):
    """Another value where something raises."""
    try:
        ask(x)
    except TypeError:
        return 2.0 * x
    return x


CAUGHT = {
    "decimal": lambda x: caught(x, lambda x: Decimal(x)),
    "timedelta": lambda x: caught(x, lambda x: datetime.timedelta(seconds=x)),
    "dumps": lambda x: caught(x, lambda x: json.dumps({"a": [x]})),
    "as_integer_ratio": lambda x: caught(x, lambda x: x.as_integer_ratio()),
    "ratio by the class": lambda x: caught(x, lambda x: float.as_integer_ratio(x)),
    "select": lambda x: caught(x, lambda x: select.select([], [], [], 1e-9 * x)),
}


def read_back(x):
    return float.fromhex(x.hex())


def priced(x):
    return float(Decimal(x) * 2)


@functools.lru_cache
def cached(x, n=2):
    return math.sin(x) ** n


class Series:
    """Methods with caches, of objects and classes."""

    @functools.cache
    def term(self, x):
        return np.exp(x) + cached(x)

    @staticmethod
    @functools.lru_cache(maxsize=None)
    def fibonacci(n, x):
        return x if n < 2 else Series.fibonacci(n - 1, x) + Series.fibonacci(n - 2, x * 0.5)


CACHED = {
    "function": lambda x: cached(x),
    "options": lambda x: cached(x, n=3) + cached(2.0, n=3),
    "method": lambda x: Series().term(x),
    "recursion": lambda x: Series.fibonacci(6, x),
}
