"""Programs whose value, gradient or both were once wrong in silence, and which now say so; those that are
right are rows of `product`.
"""

import math
import random
import struct
import threading
import time
import warnings
from datetime import datetime
from functools import lru_cache

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import (
    NoRuleError,
    NotDifferentiableError,
    OptionError,
    frule,
    rrule,
)
from chainrules_tape import (
    compiled,
    grad,
    hessian,
    higher_derivatives,
    jacobian,
    jvp,
    primitive,
    seen_through,
    stop_gradient,
    value_and_grad,
    vjp,
    vmap,
)
from chainrules_tape.refusals.errors import (
    InPlaceError,
    LostGradientError,
    LostGradientWarning,
)

X = np.array([0.31, 0.87, 0.52])
Z = np.array([0.3 + 0.2j, 0.5 - 0.1j, 0.2 + 0.7j])
LOCK = threading.Lock()
MASK = np.array([True, False, True])
A = np.diag([2.0, 1.5, 1.0])

TWICE = np.array([1.0, 1.0, 2.0])  # points that determine a line


REFUSED = {
    "points that do not determine the fit": (
        lambda x: np.sum(np.polyfit(TWICE * x[0], X, 2)),
        NotDifferentiableError,
    ),
    "points that do not determine the series": (
        lambda x: np.sum(tnp.polynomial.legendre.legfit(TWICE * x[0], X, 2)),
        NotDifferentiableError,
    ),
    "one and a half quarter turns": (lambda x: np.sum(np.rot90(A * x[0], k=1.5)), OptionError),
    "a product where None": (lambda x: np.prod(x, where=None), OptionError),
    "a maximum where numbers": (lambda x: np.max(x, where=[2, 0, 1], initial=0.0), OptionError),
    "a variance where two": (lambda x: np.var(x, where=2), OptionError),
    "a variance of complex degrees": (lambda x: np.var(x, ddof=0.5j), OptionError),
    "a deviation from a complex mean": (lambda x: np.abs(np.std(x, mean=Z[:1])), OptionError),
    "a choice of objects by or": (
        lambda x: np.logical_or(x, np.array([1.0, 2.0, 3.0], object))[0],
        NotDifferentiableError,
    ),
    "a choice of objects by and": (
        lambda x: np.logical_and(np.array([1.0, 2.0], object), x[:2])[0],
        NotDifferentiableError,
    ),
    "a density of complex data": (
        lambda x: np.sum(np.histogram(x * Z, bins=3, density=True)[0][:1]),
        NotDifferentiableError,
    ),
    "a number of dtype object": (lambda x: x.astype(object)[0], LostGradientError),
    "sums of dtype object": (lambda x: np.cumsum(x, dtype=object)[0], LostGradientError),
    "choosing between numbers and nothing": (lambda x: np.where(MASK, x, None)[0], NoRuleError),
    "clip, a buffer by position": (
        lambda x: np.sum(np.clip(x, 0.4, 0.6, np.zeros(3))),
        InPlaceError,
    ),
}


def matched(x):
    match x:
        case 0:
            return 1.0
        case _:
            return np.sin(x) / x


BRANCHES = {  # of nothing that would have this file seen through
    "==": lambda x: 1.0 if x == 0 else np.sin(x) / x,
    "== of another": lambda x: 1.0 if x == 2 * x else np.sin(x) / x,
    "!=": lambda x: np.sin(x) / x if x != 0 else 1.0,
    "in": lambda x: 1.0 if x in (5, 0) else np.sin(x) / x,
    "not in": lambda x: np.sin(x) / x if x not in [0.0] else 1.0,
    "not": lambda x: 1.0 if not x else np.sin(x) / x,
    "if": lambda x: np.sin(x) / x if x else 1.0,
    "ufunc": lambda x: 1.0 if np.equal(0.0, x) else np.sin(x) / x,
    "match": matched,
    "beside a mask": lambda x: (1.0 if x == 0 else np.exp(x)) + np.where(x < -1, x, 3.0),
}
MASKS = {
    "==": lambda x: np.where(x == 0, 1.0, np.exp(x)),
    "== of another": lambda x: np.where(x == 2 * x, 1.0, np.exp(x)),
    "!=": lambda x: np.where(x != 0, np.exp(x), 1.0),
    "ufunc": lambda x: np.where(np.not_equal(x, 0), np.exp(x), 1.0),
    "and": lambda x: np.where(~np.not_equal(x, 0) & (x > -1), 1.0, np.exp(x)),
    "select": lambda x: np.select([x == 0, x > 0], [1.0, np.exp(x)], 2.0),
}
WAYS = {
    "value_and_grad": lambda f: value_and_grad(f)(0.0),
    "jvp": lambda f: jvp(f, (0.0,), (1.0,)),
    "vjp": lambda f: vjp(f, np.float64(0.0))[1](1.0),
    "hessian": lambda f: hessian(f)(0.0),
    "series": lambda f: higher_derivatives(f, 0.0, 2),
    "compiled": lambda f: [compiled(grad(f))(x) for x in (0.5, 0.7, 0.0)],
    "of compiled": lambda f: grad(compiled(f))(0.0),
    "entry": lambda f: grad(lambda v: f(v[0]) + v[1])(np.array([0.0, 1.0])),
    "lanes beside": lambda f: jacobian(lambda x: vmap(lambda y: y * f(x))(X))(0.0),
}


@pytest.mark.parametrize("derivative", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("f", BRANCHES.values(), ids=BRANCHES)
def test_a_branch_for_one_number_is_refused_in_any_file(f, derivative):
    with pytest.raises(LostGradientError, match=r"\.py:\d+\): a branch for 0 alone.*stop_grad"):
        derivative(f)


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_what_a_mask_for_one_number_leaves_has_a_derivative_of_zero(mask, name):
    assert np.ravel(WAYS[name](mask))[-1] == (name == "entry")


@pytest.mark.parametrize("derivative", [grad, lambda f: lambda x: jvp(f, (x,), (1.0,))[1]])
def test_a_mask_for_one_number_warns_in_code_that_is_seen_through(derivative):
    with pytest.warns(LostGradientWarning, match="x == 0, a branch"):
        assert derivative(seen_through(lambda x: np.where(x == 0, 1.0, np.exp(x))))(0.0) == 0.0


def test_what_is_compared_with_a_number_may_have_a_derivative_of_zero():
    def gaussian(x):
        return 1.0 if x**2 == 0 else np.exp(-(x**2))

    for derivative in (grad, hessian, lambda f: lambda x: higher_derivatives(f, x, 2)):
        with pytest.raises(LostGradientError, match="a branch for 0 alone"):
            derivative(gaussian)(0.0)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: 3.0,
        lambda x: 3.0 if x > -1 else x,
        lambda x: 3.0 if x != 1 and x not in (1, 2) else x,
        lambda x: x if x != x else 3.0,
        lambda x: 3.0 if np.sign(x) == 0 and np.floor(x) == 0 else x,
        lambda x: 3.0 if stop_gradient(x) == 0 else x,
    ],
)
def test_a_constant_without_such_a_branch_has_a_derivative_of_zero(f):
    assert [grad(f)(0.0), jvp(f, (0.0,), (1.0,))[1], grad(compiled(f))(0.0)] == [0.0] * 3
    assert grad(lambda x: f(x) * x)(0.0) == 3.0


@pytest.mark.filterwarnings(
    "ignore::numpy.exceptions.ComplexWarning", "ignore::numpy.exceptions.RankWarning"
)
@pytest.mark.parametrize(("f", "error"), REFUSED.values(), ids=REFUSED)
def test_is_refused(f, error):
    with pytest.raises(error):
        grad(f)(X)
    with pytest.raises(error):
        jvp(f, (X,), (X,))


def test_a_sum_where_none_is_refused_where_its_adjoint_is_asked_for():
    # NumPy takes it for False
    assert jvp(lambda x: np.sum(x, where=None), (X,), (X,)) == (0.0, 0.0)
    with pytest.raises(OptionError) as caught:
        grad(lambda x: np.sum(x, where=None))(X)
    assert caught.value.option == "where"


def test_plain_containers_from_a_rule():
    @primitive
    def both(factors):
        return factors[0] * factors[1], factors[0]

    @frule.register(both)
    def both_frule(dots, factors):
        (a_dot, b_dot), (a, b) = dots[0], factors
        return both(factors), (a_dot * b + a * b_dot, a_dot)

    @rrule.register(both)
    def both_rrule(factors):
        def both_pullback(y_bar):
            return ([y_bar[0] * factors[1] + y_bar[1], y_bar[0] * factors[0]],)

        return both(factors), both_pullback

    def f(a, b):
        product, first = both([a, b])
        return product + 2.0 * first

    assert grad(f, (0, 1))(2.0, 3.0) == (5.0, 2.0)
    assert jvp(f, (2.0, 3.0), (1.0, 1.0))[1] == 7.0


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: float(x) if np.ndim(x) == 0 else x, 0.7),
        # NumPy catches whatever conversion raises
        (lambda x: 2.0 * x if np.array_equal([x], [0.7]) else x, 0.7),
        (lambda x: np.array([x[0], 1.0])[0], X),
        (lambda x: hash(x) * 0.0, 0.7),
        (lambda x: {0.7: 2.0}[x], 0.7),
        (lambda x: len({x, 2.0}), 0.7),
        (lambda x: lru_cache(math.sin)(x), 0.7),
        (lambda x: random.Random(x).random(), 0.7),
        (lambda x: len(struct.pack("d", x)), 0.7),
        (lambda x: time.sleep(1e-9 * x) or x, 0.7),
        (lambda x: datetime.fromtimestamp(x).microsecond, 0.7),
        (lambda x: LOCK.acquire(timeout=x) * LOCK.release(), 0.7),
    ],
    ids=[
        *("float", "array_equal", "array", "hash", "key", "member", "cache", "seed", "pack"),
        *("sleep", "date", "lock"),
    ],
)
def test_a_refusal_that_was_caught_is_reported(f, x):
    def careless(x):
        try:
            return f(x) + 0.0 * np.sum(x)
        except (TypeError, struct.error):
            return 3.0 * np.sum(x)

    with pytest.warns(LostGradientWarning):
        grad(careless)(x)
    with pytest.warns(LostGradientWarning):
        jvp(careless, (x,), (x,))


@pytest.mark.parametrize(
    ("f", "x", "error"),
    [
        (lambda x: [1.0, 2.0][x], 0.7, TypeError),
        (lambda x: len(range(x)), 0.7, TypeError),
        (lambda x: np.zeros(x), 0.7, TypeError),
        (lambda x: x[0], 0.7, (TypeError, IndexError)),
        (lambda x: hash(x), X, TypeError),
        (lambda x: float(x), X, TypeError),
    ],
    ids=["item", "range", "shape", "read", "hash", "number"],
)
def test_a_use_that_plain_values_refuse_is_not_reported(f, x, error):
    def careful(x):
        try:
            return f(x)
        except error:
            return 3.0 * np.sum(x)

    assert careful(x) == 3.0 * np.sum(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(grad(careful)(x), np.full_like(x, 3.0))
