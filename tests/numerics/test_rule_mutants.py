"""Deliberately wrong rules: each must be caught, in the right mode, for the right argument, with
the right diagnosis.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    ZERO,
    InplaceableThunk,
    ProjectTo,
    RuleTable,
    Tangent,
    default_rules,
    non_differentiable,
    primitive,
)
from chainrules_py.testing import CheckFailure, Settings, check_frule, check_rrule, check_rule

rng = np.random.default_rng(1)
X, Y = rng.uniform(0.5, 2.0, (2, 3)), rng.uniform(0.5, 2.0, (2, 3))
ROW, SQUARE, OTHER = (
    rng.uniform(0.5, 2.0, 3),
    rng.uniform(0.5, 2.0, (3, 3)),
    rng.uniform(0.5, 2.0, (3, 3)),
)
Z = X + 1j * Y
X32 = X.astype(np.float32)


class Pair(NamedTuple):
    a: Any
    b: Any


def sin(x):
    return np.sin(x)


def square(x):
    return x * x


def cube(x):
    return x * x * x


def exp(x):
    return np.exp(x)


def product(x, y):
    return x * y


def left_multiply(x):
    return SQUARE @ x


def total(x):
    return np.sum(x)


def mean(x):
    return np.sum(x) / max(np.size(x), 1)


def flip(x):
    return np.flip(x, 0)


def staircase(x):
    return np.round(x) * 1.0


def absolute(x):
    return np.abs(x)


def maximum(x, y):
    return np.maximum(x, y)


def root(x):
    return np.sqrt(x)


def scale(x, *, by=1.0):
    return by * x


def sum_and_difference(x, y):
    return x + y, x - y


def first_row(x):
    return x[0] * 1.0


def weigh(pair):
    return pair.a * pair.b


def power_of(x, n):
    return x**n


@dataclass
class Mutant:
    """A wrong rule and how it must be found out."""

    kind: str
    primal: Callable[..., Any]
    rule: Callable[..., Any]
    args: tuple[Any, ...] = (X,)
    mode: str = "reverse"
    argument: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=lambda: {"second_order": "off"})


def bars(kind, primal, pullback, *about, **details):
    """A mutant rrule from its pullback ``(y_bar, *args) -> cotangents``."""

    def rule(*args, **options):
        return primal(*args, **options), lambda y_bar: pullback(y_bar, *args)

    return Mutant(kind, primal, rule, *about, **details)


def bar(kind, primal, pullback, *about, **details):
    """A mutant rrule from a pullback that gives one cotangent."""
    return bars(kind, primal, lambda *args: (pullback(*args),), *about, **details)


def dots(kind, primal, pushforward, *about, **details):
    """A mutant frule from its pushforward ``(dots, *args) -> y_dot``."""

    def rule(dots, *args, **options):
        return primal(*args, **options), pushforward(dots, *args)

    return Mutant(kind, primal, rule, *about, mode="forward", **details)


def stale_buffer(x):
    buffer = np.empty_like(x)

    def pullback(y_bar):
        np.multiply(y_bar, np.cos(x), out=buffer)
        return (buffer,)

    return np.sin(x), pullback


def counting(x):
    calls = []

    def pullback(y_bar):
        calls.append(1)
        return (y_bar * np.cos(x) * len(calls),)

    return np.sin(x), pullback


def noisy(x):
    return np.sin(x), lambda y_bar: (
        y_bar * np.cos(x) + np.random.default_rng().uniform(size=x.shape),
    )


def mutates_output(x):
    y = np.exp(x)

    def pullback(y_bar):
        result = y_bar * y
        np.multiply(y, 2.0, out=y)
        return (result,)

    return y, pullback


def mutates_input_quietly(x):
    with_flag = np.sin(x)
    x.flags.writeable = True
    x += 1.0
    return with_flag, lambda y_bar: (y_bar * np.cos(x - 1.0),)


def mutates_seed(y_bar, x):
    y_bar *= np.cos(x)
    return (y_bar,)


def wrong_when_alone(x, y, *, needs):
    alone = 2.0 if needs == (True, False) else 1.0
    return x * y, lambda y_bar: (alone * y_bar * y, y_bar * x)


def unused_output_as_one(x, y):
    def pullback(out_bar):
        plus, minus = (np.ones_like(x) if part is ZERO else part for part in out_bar)
        return plus + minus, plus - minus

    return (x + y, x - y), pullback


def assigning_thunk(x):
    def pullback(y_bar):
        def scattered():
            buffer = np.zeros_like(x)
            buffer[0] = y_bar
            return buffer

        def add_into(buffer):
            buffer[0] = y_bar  # drops what is there

        return (InplaceableThunk(add_into, scattered, lambda: np.zeros_like(x)),)

    return x[0] * 1.0, pullback


def memory_order(x):
    return np.sin(x), lambda y_bar: ((y_bar.ravel() * np.cos(x.ravel(order="K"))).reshape(x.shape),)


@primitive
def unruled_cosine(x):
    return np.cos(x)


@primitive
def detached_cosine(x):
    return np.cos(x)


non_differentiable(detached_cosine)


def not_adjoint(rules: RuleTable):
    rules.rrule.register(sin)(
        lambda x: (np.sin(x), lambda y_bar: (y_bar * np.cos(x) * (1 + 1e-9),))
    )
    rules.frule.register(sin)(lambda dots, x: (np.sin(x), dots[0] * np.cos(x)))


def ties_differ(rules: RuleTable):
    half = 0.5 * (X == X)
    rules.rrule.register(maximum)(
        lambda x, y: (np.maximum(x, y), lambda y_bar: (y_bar * (x >= y), y_bar * (y > x)))
    )
    rules.frule.register(maximum)(
        lambda dots, x, y: (np.maximum(x, y), half * dots[0] + half * dots[1])
    )


def real(t):
    return np.real(t) + 0j


REVERSE = {
    "wrong sign": bar("sign", sin, lambda g, x: -g * np.cos(x), argument="x"),
    "missing factor two": bar("factor", square, lambda g, x: g * x, argument="x"),
    "typed zero": bar("zero", sin, lambda g, x: ZERO),
    "no tangent for a float": bar("zero", sin, lambda g, x: NO_TANGENT),
    "should be zero": bar("should-be-zero", staircase, lambda g, x: g, (X + 0.001,)),
    "matrix not transposed": bar("transposed", left_multiply, lambda g, x: SQUARE @ g, (OTHER,)),
    "transposed shape": bar("transposed", sin, lambda g, x: (g * np.cos(x)).T),
    "entries reversed": bar("reversed", flip, lambda g, x: g, (ROW,)),
    "not summed over the broadcast axes": bars(
        "not-unbroadcast", product, lambda g, x, y: (g * y, g * x), (X, ROW)
    ),
    "first slice of the broadcast axes": bars(
        "incomplete", product, lambda g, x, y: (g * y, (g * x)[0]), (X, ROW), argument="y"
    ),
    "sum over the wrong axis": bars(
        "wrong", product, lambda g, x, y: (g * y, (g * x).sum(1)), (SQUARE, ROW), argument="y"
    ),
    "not broadcast back": bar("not-broadcast", total, lambda g, x: g),
    "another shape": bar("shape", sin, lambda g, x: np.zeros(4)),
    "arguments swapped": bars(
        "swapped", product, lambda g, x, y: (g * x, g * y), (X, Y), argument="x"
    ),
    "dtype widened": bar(
        "dtype-widened", sin, lambda g, x: np.float64(1) * np.float64(g) * np.cos(x), (X32,)
    ),
    "dtype narrowed": bar("dtype-narrowed", sin, lambda g, x: (g * np.cos(x)).astype(np.float32)),
    "dtype widened by the other argument": bars(
        "dtype-widened", product, lambda g, x, y: (g * y, g * x), (X, Y), argument="x"
    ),
    "not projected to real": bars(
        "not-projected",
        product,
        lambda g, x, y: (g * np.conj(y), g * np.conj(x)),
        (X, Z),
        argument="x",
    ),
    "integer tangent": bar("type", sin, lambda g, x: np.ones(x.shape, int)),
    "gradient of an integer": bars(
        "integer-gradient", power_of, lambda g, x, n: (g * 2 * x, np.ones(())), (X, 2), argument="n"
    ),
    "zero for an integer": bars(
        "integer-gradient", power_of, lambda g, x, n: (g * 2 * x, ZERO), (X, 2), argument="n"
    ),
    "conjugate missing": bar("conjugated", square, lambda g, x: 2 * g * x, (Z,)),
    "imaginary part ignored": bar(
        "imaginary-dropped", square, lambda g, x: 2 * real(g) * np.conj(x), (Z,)
    ),
    "seed conjugated": bar("conjugated", square, lambda g, x: 2 * np.conj(g) * x, (Z,)),
    "imaginary part lost": bar(
        "imaginary-dropped", square, lambda g, x: np.real(2 * g * np.conj(x)), (Z,)
    ),
    "writes to its argument": bar(
        "mutates-input", sin, lambda g, x: np.multiply(g, np.cos(x), out=x)
    ),
    "writes to its seed": bars("mutates-input", sin, mutates_seed),
    "ignores the seed": bar("ignores-seed", sin, lambda g, x: np.cos(x)),
    "right for unit seeds only": bar("unit-seed-only", sin, lambda g, x: g * g * np.cos(x)),
    "not linear": bar("not-linear", sin, lambda g, x: np.abs(g) * np.cos(x) * 2),
    "returns None": bars("none", product, lambda g, x, y: (g * y, None), (X, Y), argument="y"),
    "too few cotangents": bar("count", product, lambda g, x, y: g * y, (X, Y)),
    "too many cotangents": bars("count", sin, lambda g, x: (g * np.cos(x), ZERO)),
    "not a tuple": bars("count", sin, lambda g, x: g * np.cos(x)),
    "raises": bar("raises", sin, lambda g, x: g @ np.cos(x), (X,)),
    "wrong for empty arrays": bar(
        "not-broadcast",
        mean,
        lambda g, x: np.full(x.shape, g / x.size) if x.size else g,
        (np.zeros((0, 2)),),
    ),
    "keyword ignored": bar("factor", scale, lambda g, x: g, options={"by": 3.0}),
    "plain tuple for a structure": bar(
        "structure", weigh, lambda g, p: (g * p.b, g * p.a), (Pair(X, Y),)
    ),
    "a part too few": bar(
        "structure", lambda p: p[0] * p[1], lambda g, p: Tangent[tuple](g * p[1]), ((X, Y),)
    ),
    "field of a structure": bar(
        "wrong", weigh, lambda g, p: Tangent[Pair](g * p.b, -g * p.a), (Pair(X, Y),)
    ),
    "value": Mutant("primal", sin, lambda x: (np.cos(x), lambda g: (g,))),
    "value's dtype": Mutant(
        "primal", sin, lambda x: (np.sin(x).astype(float), lambda g: (g,)), (X32,)
    ),
    "no pullback": Mutant("count", sin, lambda x: np.sin(x)),
    "shared buffer": Mutant("stale-buffer", sin, stale_buffer),
    "counts its calls": Mutant("not-reentrant", sin, counting),
    "noise": Mutant("not-reentrant", sin, noisy),
    "writes to its output": Mutant("mutates-output", exp, mutates_output),
    "writes to its argument behind the flag": Mutant("mutates-input", sin, mutates_input_quietly),
    "wrong when alone": Mutant("needs", product, wrong_when_alone, (X, Y), argument="x"),
    "unused output counted as one": Mutant(
        "zero-output", sum_and_difference, unused_output_as_one, (X, Y)
    ),
    "thunk that assigns": Mutant("accumulation", first_row, assigning_thunk),
    "memory order": Mutant("layout", sin, memory_order),
    "weak zero": bar(
        "zero-not-strong",
        root,
        lambda g, x: g * 0.5 / np.sqrt(x),
        (np.array([0.0, 1.0]),),
        settings={"singular": True, "second_order": "off"},
    ),
    "detached": bar("second-order", sin, lambda g, x: g * detached_cosine(x), settings={}),
    "plain array": bar("second-order", sin, lambda g, x: g * np.cos(np.asarray([*x])), settings={}),
    "operation without a rule": bar(
        "second-order-missing", sin, lambda g, x: g * unruled_cosine(x), settings={}
    ),
}

FORWARD = {
    "second argument dropped": dots(
        "zero", product, lambda d, x, y: d[0] * y, (X, Y), argument="y"
    ),
    "ignores the tangents": dots("ignores-seed", sin, lambda d, x: np.cos(x)),
    "right for unit tangents only": dots(
        "unit-seed-only", sin, lambda d, x: d[0] * d[0] * np.cos(x)
    ),
    "not linear": dots("not-linear", sin, lambda d, x: 2 * np.abs(d[0]) * np.cos(x)),
    "not broadcast": dots(
        "not-broadcast", product, lambda d, x, y: (d[0] * y + x * d[1])[:1], (X, ROW)
    ),
    "returns None": dots("none", sin, lambda d, x: None),
    "tangent conjugated": dots("conjugated", square, lambda d, x: 2 * x * np.conj(d[0]), (Z,)),
    "zero counted as one": dots(
        "needs",
        product,
        lambda d, x, y: d[0] * y + x * d[1] if d[1] is not ZERO else 2 * d[0] * y,
        (X, Y),
    ),
    "writes to its tangent": dots(
        "mutates-input", sin, lambda d, x: np.multiply(d[0], np.cos(x), out=d[0])
    ),
    "outside the one-sided derivatives": dots(
        "tie",
        absolute,
        lambda d, x: 2 * d[0] * (np.sign(x) + (x == 0)),
        (np.zeros(2),),
        settings={"conventions": True},
    ),
    "plain tuple for a structure": dots(
        "structure", sum_and_difference, lambda d, x, y: (d[0] + d[1], d[0] - d[1]), (X, Y)
    ),
    "detached": dots("second-order", sin, lambda d, x: d[0] * detached_cosine(x), settings={}),
}

MUTANTS = {
    f"{mutant.mode} {name}": mutant
    for table in (REVERSE, FORWARD)
    for name, mutant in table.items()
}


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)
def test_every_mutant_is_caught_with_the_right_diagnosis(mutant: Mutant, rules: RuleTable):
    entry_point, check = (
        (rules.rrule, check_rrule) if mutant.mode == "reverse" else (rules.frule, check_frule)
    )
    entry_point.register(mutant.primal)(mutant.rule)
    with pytest.raises(CheckFailure) as caught:
        check(
            mutant.primal,
            *mutant.args,
            settings=Settings(rules=rules, **mutant.settings),
            **mutant.options,
        )
    assert caught.value.diagnosis.kind == mutant.kind
    assert caught.value.mode == mutant.mode
    assert mutant.argument in (None, caught.value.argument)


@pytest.mark.parametrize(
    ("register", "kind", "primal", "args", "conventions"),
    [
        (not_adjoint, "not-adjoint", sin, (X,), False),
        (ties_differ, "tie", maximum, (X, X.copy()), True),
    ],
)
def test_modes_that_disagree_are_caught(register, kind, primal, args, conventions, rules):
    register(rules)
    with pytest.raises(CheckFailure) as caught:
        check_rule(
            primal,
            *args,
            settings=Settings(rules=rules, conventions=conventions, second_order="off"),
        )
    assert caught.value.diagnosis.kind == kind


def test_the_failure_shows_the_worst_entries_by_name(rules):
    rules.rrule.register(product)(
        lambda x, y: (x * y, lambda y_bar: (y_bar * y, y_bar * x * [[1, 1, 1], [1, 1, 3]]))
    )
    with pytest.raises(CheckFailure) as caught:
        check_rrule(product, X, Y, settings=Settings(rules=rules))
    worst = caught.value.entries[0]
    assert (worst.argument, worst.index, worst.output) == ("y", "[1, 2]", "[1, 2]")
    assert worst.rule == pytest.approx(3 * X[1, 2])
    assert worst.oracle == pytest.approx(X[1, 2])
    assert "y[1, 2]" in str(caught.value)
    assert (
        caught.value.location.partition(":")[0].endswith(__file__.rpartition("/")[2])
        or __file__ in caught.value.location
    )


def test_each_reverse_mutants_primal_passes_with_a_right_rule(rules):
    right = {
        sin: lambda g, x: (g * np.cos(x),),
        square: lambda g, x: (2 * g * np.conj(x),),
        flip: lambda g, x: (np.flip(g, 0),),
        left_multiply: lambda g, x: (ProjectTo(x)(SQUARE.T @ g),),
        total: lambda g, x: (np.full(x.shape, g),),
    }
    for primal, pullback in right.items():
        table = RuleTable(parent=default_rules)
        table.rrule.register(primal)(bars("", primal, pullback).rule)
        check_rrule(primal, OTHER, settings=Settings(rules=table, second_order="off"))
