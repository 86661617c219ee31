"""`operator.call`: the derivative with respect to what a callable holds, or a refusal."""

import functools
import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    ZERO,
    ClosureError,
    SeedError,
    Tangent,
    default_rules,
    frule_via_ad,
    rrule_via_ad,
)
from chainrules_py.engines import fields
from chainrules_py.tangents import entries
from chainrules_tape.core.config import TapeConfig

CONFIG = TapeConfig(default_rules)
W, X, STEP = np.array([0.5, -2.0]), np.array([3.0, 1.5]), 1e-6


@dataclass
class Scaled:
    by: Any

    def __call__(self, x):
        return np.sum(np.sin(self.by * x))


@dataclass
class Applied:
    f: Any

    def __call__(self, x):
        return self.f(x)


class Plain:
    """An object of a class that nobody declared, with a list that it writes into."""

    def __init__(self, by):
        self.by, self.calls = by, []

    def __call__(self, x):
        self.calls.append("called")
        return np.sum(np.sin(self.by * x))

    def method(self, x):
        return self(x)


def scaled(by, x):
    return np.sum(np.sin(by * x))


def scaled_by_name(x, *, by):
    return scaled(by, x)


def scaled_by_tuple(given, x):
    return scaled(given[1]["by"], x)


def applied(f, x):
    return f(x)


class OwnPartial(functools.partial):  # type: ignore[type-arg]
    """A partial with an attribute."""


def own_partial(w) -> OwnPartial:
    made = OwnPartial(scaled, w)
    made.label = "own"
    return made


HOLDING: dict[str, tuple[Callable[[Any], Any], tuple[Any, ...]]] = {
    "dataclass": (Scaled, ("by",)),
    "object": (Plain, ("by",)),
    "partial": (lambda w: partial(scaled, w), ("args", 0)),
    "keyword": (lambda w: partial(scaled_by_name, by=w), ("keywords", "by")),
    "nested partial": (lambda w: partial(applied, partial(scaled, w)), ("args", 0, "args", 0)),
    "tuple": (lambda w: partial(scaled_by_tuple, (1, {"by": w})), ("args", 0, 1, "by")),
    "dataclass in a partial": (lambda w: partial(applied, Scaled(w)), ("args", 0, "by")),
    "partial of an object": (lambda w: partial(Plain(w)), ("func", "by")),
    "partial in a dataclass": (lambda w: Applied(partial(scaled, w)), ("f", "args", 0)),
    "subclass": (own_partial, ("args", 0)),
}


def at(tangent, path: tuple[Any, ...]):
    """The tangent at a place."""
    for key in path:
        tangent = entries(tangent).get(key, ZERO)
    return tangent


def tangent_at(f, path: tuple[Any, ...], dot):
    """The tangent of a callable that has one at a place."""
    if not path:
        return dot
    parts = {
        key: tangent_at(part, path[1:], dot) if key == path[0] else NO_TANGENT
        for key, part in fields(f).items()
    }
    if isinstance(f, tuple):
        return Tangent[tuple](*parts.values())
    return Tangent[dict](parts) if isinstance(f, dict) else Tangent[type(f)](**parts)


def slope(make: Callable[[Any], Any], w_dot, x_dot):
    """The derivative of a call along a direction, by differences."""
    after, before = (make(W + h * w_dot)(X + h * x_dot) for h in (STEP, -STEP))
    return (after - before) / (2 * STEP)


@pytest.mark.parametrize(("make", "path"), HOLDING.values(), ids=HOLDING)
def test_the_derivative_of_what_a_callable_holds(make, path):
    f, w_dot, x_dot = make(W), np.array([1.0, -0.3]), np.array([0.2, 0.7])
    dots = tangent_at(f, path, w_dot), x_dot
    y, y_dot = frule_via_ad(CONFIG, dots, operator.call, f, X)
    assert (y, y_dot) == (f(X), pytest.approx(slope(make, w_dot, x_dot)))
    y, pullback = rrule_via_ad(CONFIG, operator.call, f, X)
    f_bar, x_bar = pullback(1.0)
    assert (y, type(f_bar)) == (f(X), Tangent[type(f)])
    assert at(f_bar, path) @ w_dot + x_bar @ x_dot == pytest.approx(y_dot)


def test_what_a_callable_writes_into_is_its_own():
    f = Plain(W)
    rrule_via_ad(CONFIG, operator.call, f, X)
    assert f.calls == ["called"]


def capturing(w) -> Callable[[Any], Any]:
    return lambda x: scaled(w, x)


def by_default(w) -> Callable[[Any], Any]:
    def scaled_by(x, by=w):
        return scaled(by, x)

    return scaled_by


REFUSED: dict[str, Callable[[Any], Any]] = {
    "closure": capturing,
    "closure of a number": lambda w: capturing(float(w[0])),
    "closure of a closure": lambda w: (lambda f: lambda x: f(x))(capturing(w)),
    "default": by_default,
    "method": lambda w: Plain(w).method,
    "method of an array": lambda w: w.dot,
    "operator of an array": lambda w: w.__matmul__,
    "methodcaller": lambda w: operator.methodcaller("dot", w),
    "cached": lambda w: functools.lru_cache(capturing(w)),
    "closure in a partial": lambda w: partial(applied, capturing(w)),
    "method in a dataclass": lambda w: Scaled(w.__mul__),
}


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED)
def test_a_callable_that_has_no_place_for_a_tangent_is_refused(make):
    with pytest.raises(ClosureError, match="dataclass") as caught:
        rrule_via_ad(CONFIG, operator.call, make(W), X)
    assert callable(caught.value.primal)


def test_an_object_that_holds_itself_is_refused():
    f = Plain(W)
    f.own = f
    with pytest.raises(ClosureError, match="holds itself"):
        rrule_via_ad(CONFIG, operator.call, f, X)


def with_settings(x, tolerance: float = 1e-8):
    return np.sum(x * x) + tolerance


@pytest.mark.parametrize("f", [np.sum, with_settings, partial(np.sum, axis=0)])
def test_a_callable_that_holds_no_numbers_has_no_tangent(f):
    y, pullback = rrule_via_ad(CONFIG, operator.call, f, X)
    assert y == f(X)
    assert pullback(1.0)[0] is NO_TANGENT
    with pytest.raises(SeedError, match="holds no numbers"):
        frule_via_ad(CONFIG, (1.0, X), operator.call, f, X)
