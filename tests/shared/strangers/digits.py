"""Functions that cut numbers into steps: some to clean up digits, some to count."""

import math
from fractions import Fraction
from math import floor

import numpy as np


def cut_one(x):
    return round(x * 1e10) / 1e10


cut_each = np.vectorize(cut_one)


def filled(a, n):
    """An array in which each entry is an integer."""
    for k in range(len(a)):
        a[k] = n
    return a


FINE = {
    "plain list": lambda x: np.array([int(x * 1e3), int(x * 1e9)])[1] / 1e9,
    "bits": lambda x: (int(x * 1e9) & ~1) / 1e9,
    "some digits": lambda x: np.linspace(0, x * 1e9, 3, dtype=int)[-1] / 1e9,
    "round": lambda x: round(x * 1e9) / 1e9,
    "int": lambda x: int(x * 1e9) / 1e9,
    "rint": lambda x: np.rint(x * 1e12) / 1e12,
    "floor": lambda x: floor(x * 1e9 + 0.5) * 1e-9,
    "math.trunc": lambda x: 1e-10 * math.trunc(1e10 * x),
    "math.ceil": lambda x: math.ceil(x * 1e10) / 10**10,
    "np.floor": lambda x: np.floor(x * 1e10) / 1e10,
    "one of two entries": lambda x: np.floor(np.stack([x * 1e10, x])).sum() / 1e10,
    "np.ceil": lambda x: np.ceil(x * 1e10) / 1e10,
    "np.trunc": lambda x: np.trunc(x * 1e10) / 1e10,
    "np.fix": lambda x: np.fix(x * 1e10) / 1e10,
    "np.round": lambda x: np.round(x * 1e10) / 1e10,
    "places before the point": lambda x: np.round(x * 1e12, -2) / 1e12,
    "method": lambda x: (x * np.array([1e10, 1e11])).round().sum() / 1.1e11,
    "rest": lambda x: x - x % 1e-10,
    "rest of fmod": lambda x: x - np.fmod(x, 1e-10),
    "rest of math.fmod": lambda x: x - math.fmod(x, 1e-10),
    "rest of math.remainder": lambda x: x - math.remainder(x, 1e-10),
    "rest of modf": lambda x: x - np.modf(x * 1e10)[0] / 1e10,
    "whole of math.modf": lambda x: math.modf(x * 1e10)[1] / 1e10,
    "whole of modf": lambda x: np.modf(x * 1e10)[1] / 1e10,
    "quotient": lambda x: (x // 1e-10) * 1e-10,
    "divmod": lambda x: divmod(x, 1e-10)[0] * 1e-10 + divmod(x, 1e-10)[1],
    "astype": lambda x: (np.array([x, 2 * x]) * 1e10).astype(np.int64).sum() / 3e10,
    "dtype": lambda x: np.array([x * 1e10, 2 * x * 1e10], dtype=int).sum() / 3e10,
    "iterator": lambda x: np.array(np.stack([x * 1e10]).flat, dtype=int)[0] / 1e10,
    "dtype by position": lambda x: np.asarray(x * 1e10, np.int64) / 1e10,
    "np.astype": lambda x: np.astype(np.stack([x * 1e10]), int)[0] / 1e10,
    "full": lambda x: np.full(2, x * 1e10, dtype=int).sum() / 2e10,
    "full of integers": lambda x: np.full_like(np.array([1, 2]), x * 1e10).sum() / 2e10,
    "fromiter": lambda x: np.fromiter((x * 1e10 for _ in range(2)), int).sum() / 2e10,
    "fromiter and count": lambda x: np.fromiter([x * 1e10], int, 1)[0] / 1e10,
    "arange": lambda x: np.arange(x * 1e10, x * 1e10 + 2.0, dtype=int)[0] / 1e10,
    "sum of integers": lambda x: np.sum(np.stack([x, x]) * 1e10, dtype=int) / 2e10,
    "its method": lambda x: (np.stack([x, x]) * 1e10).cumsum(dtype=int)[1] / 2e10,
    "stack": lambda x: np.stack([x * 1e10], dtype=int, casting="unsafe")[0] / 1e10,
    "ufunc of integers": lambda x: np.add(x * 1e10, 0, dtype=int, casting="unsafe") / 1e10,
    "stepped ufunc": lambda x: np.floor_divide(x * 1e10, 1, dtype=int, casting="unsafe") / 1e10,
    "vectorize": lambda x: cut_each(np.stack([x, x])).sum() / 2,
    "vectorize a number": lambda x: np.vectorize(lambda x: int(x * 1e10))(x) / 1e10,
    "its otypes": lambda x: np.vectorize(np.square, otypes="q")(np.stack([x * 1e5]))[0] / 1e10 / x,
    "its signature": lambda x: (
        np.vectorize(np.negative, [int], signature="(n)->(n)")(np.stack([x]) * -1e10)[0] / 1e10
    ),
    "require": lambda x: np.require(np.stack([x * 1e10]), dtype=int)[0] / 1e10,
    "require by position": lambda x: np.require(np.stack([x * 1e10]), int, "C")[0] / 1e10,
    "int64": lambda x: np.int64(x * 1e10) / 1e10,
}

COARSE = {
    "round": lambda x: round(x * 1e3) / 1e3,
    "int": lambda x: int(x * 1e3) / 1e3,
    "rint": lambda x: np.rint(x * 1e3) / 1e3,
    "math.floor": lambda x: math.floor(x * 1e3) / 1e3,
    "np.fix": lambda x: np.fix(x * 1e3) / 1e3,
    "rest": lambda x: x - x % 1e-4,
    "rest of math.remainder": lambda x: x - math.remainder(x, 1e-4),
    "dtype": lambda x: np.array([x * 1e3, 5.0], dtype=int)[0] / 1e3,
    "full": lambda x: np.full(2, x * 1e3, dtype=int).sum() / 2e3,
    "full of integers": lambda x: np.full_like(np.array([1, 2]), x * 1e3).sum() / 2e3,
    "fromiter": lambda x: np.fromiter([x * 1e3], int)[0] / 1e3,
    "linspace": lambda x: np.linspace(0, x * 1e3, 3, dtype=int)[-1] / 1e3,
    "sum of integers": lambda x: np.sum(np.stack([x, x]) * 1e3, dtype=int) / 2e3,
    "its method": lambda x: (np.stack([x, x]) * 1e2).prod(dtype=int) / 1e4,
    "concatenate": lambda x: np.concatenate([[x * 1e3], [x]], dtype=int, casting="unsafe")[0] / 1e3,
    "insert": lambda x: np.insert(np.array([0]), 0, x * 1e3)[0] / 1e3,
    "ufunc of integers": lambda x: np.add(x * 1e3, 0, dtype=int, casting="unsafe") / 1e3,
    "vectorize": lambda x: (
        np.vectorize(lambda x: 1e3 * x, otypes=[int])(np.stack([x, x])).sum() / 2e3
    ),
    "array of integers": lambda x: filled(np.zeros(2, int), int(x * 1e3)).sum() / 2e3,
    "Fraction": lambda x: float(Fraction(int(x * 1e3), 1000)),
    "bytes": lambda x: int.from_bytes(int(x * 1e3).to_bytes(4, "big"), "big") / 1e3,
    "times": lambda x: (1e3 * np.stack([x])).astype("m8[ms]")[0] / np.timedelta64(1, "s"),
    "rest of a constant": lambda x: 5.0 // x,
    "quotient": lambda x: (x // 1e-4) * 1e-4,
    "divmod": lambda x: divmod(x, 1e-3)[0] * 1e-3,
    "modf": lambda x: np.modf(x)[1],
    "table": lambda x: [1.0, 2.0, 5.0][int(x)] * 1.0,
    "array": lambda x: np.sum((np.array([x, x]) * 1e3).astype(int)) / 2e3,
}

COUNTING = {
    "index": lambda x: x * [1.0, 2.0, 5.0][int(x)],
    "phase": lambda x: x % 1.0 + (3 * x) // 1,
    "angle": lambda x: (x + 180.0) % 360.0 - 180.0,
    "zone": lambda x: x - math.floor(x / 6.0) * 6.0,
    "tie": lambda x: divmod(x, 0.5)[1] * round(x),
}


def payments(rate, n):
    """Values of yearly payments, by a formula that divides by the rates."""
    safe = np.where(rate == 0, 1.0, rate)
    return np.where(rate == 0, n, (1.0 - (1.0 + safe) ** -n) / safe)


def buffer(x, is_plain):
    """An array that is written into, of large numbers or of plain ones."""
    a = np.zeros(2)
    a[0], a[1] = (3.7e9, 2.5e9) if is_plain else (x * 1e9, (x + 1.0) * 1e9)
    return a


BUFFERS = {
    "round": lambda a: np.sum(np.round(a)) / 1e9,
    "round method": lambda a: np.sum(a.round()) / 1e9,
    "floor": lambda a: np.sum(np.floor(a)) / 1e9,
    "fix": lambda a: np.sum(np.fix(a)) / 1e9,
    "quotient": lambda a: np.sum(a // 1.0) / 1e9,
    "rest": lambda a: np.sum(a - a % 1.0) / 1e9,
    "astype": lambda a: np.sum(a.astype(int)) / 1e9,
    "dtype": lambda a: np.sum(np.array(a, dtype=int)) / 1e9,
    "sum": lambda a: np.sum(a, dtype=int) / 1e9,
    "require": lambda a: np.sum(np.require(a, dtype=int)) / 1e9,
}
