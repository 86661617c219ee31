"""What cannot be registered, and calls that no rule takes: by class, with the data of the error."""

import typing
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

from chainrules_py import (
    Array,
    HasReverseMode,
    LinearMap,
    NoRuleError,
    OptionError,
    RegistrationError,
    RuleConfig,
    RuleTable,
    SeedError,
    default_rules,
    explain,
    frule,
    frule_via_ad,
    linear_rule,
    linearised_rule,
    primitive,
    rrule,
    rrule_via_ad,
    rules_of,
    scalar_rule,
)
from chainrules_tape import grad, jvp

X = np.arange(6.0).reshape(2, 3)


def quotient(numerator, denominator, *, floor=False):
    return numerator / denominator


def powers(x, exponent, base=1.0):
    return base * x**exponent


def scaled(x, factor=2.0):
    return factor * x


def difference(x, y):
    return x - y


class Sized(typing.Protocol):
    """What no value can be asked for."""

    def size(self) -> int: ...


def too_many(dots, numerator: Array, denominator: Array): ...


def too_few(numerator: Array): ...


def the_other_way_round(denominator: Array, numerator: Array): ...


def without_what_is_required(x: Array, *, base=1.0): ...


def with_another_default(x: Array, *, exponent, base=2.0): ...


def with_no_value_for_a_default(a: Array, b: Array, *, floor=None): ...


def with_a_positional_default(x, factor=2.0): ...


def with_a_hint_that_is_no_class(x: np.typing.NDArray[np.float64]): ...


def with_a_name_of_nothing(x: "undefined_name"): ...  # type: ignore[name-defined] # noqa: F821


def with_a_protocol(x: Sized): ...


def with_an_option_of_ours(x: Array, *, debug=False): ...


def of_tangents_turned(dots, denominator: Array, numerator: Array): ...


def by(function, entry_point="rrule"):
    return lambda primal, table: getattr(table, entry_point).register(primal)(function)


REVERSE = [
    *((quotient, too_many, ""), (quotient, too_few, ""), (quotient, the_other_way_round, "")),
    *((powers, without_what_is_required, ""), (powers, with_another_default, "")),
    *((quotient, with_no_value_for_a_default, ""), (scaled, with_a_positional_default, "factor")),
    *((scaled, with_a_hint_that_is_no_class, "class"), (scaled, with_an_option_of_ours, "debug")),
    (scaled, with_a_name_of_nothing, "undefined_name"),
    (scaled, with_a_protocol, "decorate it with typing"),
]
FORWARD = [too_few, the_other_way_round, of_tangents_turned, lambda: None]
REGISTRATIONS = {
    **{rule.__name__: (primal, by(rule), words) for primal, rule, words in REVERSE},
    **{f"{rule.__name__}, forward": (quotient, by(rule, "frule"), "") for rule in FORWARD},
    "no function": (3, by(too_few), "callable"),
    "a partial": (partial(pow, 2.0), by(too_few), "a partial of "),
    "scalar, turned": (
        difference,
        lambda f, table: scalar_rule(f, "y, x", "-1", "1", table=table),
        "order (x, y)",
    ),
    "linearised, turned": (
        difference,
        lambda f, table: linearised_rule(f, table=table)(lambda y, x: (y - x, None, None)),
        "order (x, y)",
    ),
    "from the value, turned": (
        difference,
        lambda f, table: linearised_rule(f, table=table)(lambda y, x, *, out: (None, None)),
        "order (x, y)",
    ),
    "linear, turned": (
        difference,
        lambda f, table: linear_rule(f, lambda z_bar, y, x: z_bar, None, table=table),
        "order (x, y)",
    ),
    # What is passed at the primal's default does not reach the rule: `scaled(x, factor=2.0)` had
    # the derivative 3.
    "linear, another default": (
        scaled,
        lambda f, table: linear_rule(f, lambda y_bar, x, *, factor=3.0: y_bar, table=table),
        "factor",
    ),
    "linearised, another default": (
        scaled,
        lambda f, table: linearised_rule(f, table=table)(
            lambda x, *, factor=3.0: (x, LinearMap(None, None))
        ),
        "factor",
    ),
    "an opt-out of no class": (
        np.sum,
        lambda f, table: table.rrule.opt_out(f, "ndarray"),
        "test_refusals.py:",
    ),
    "an opt-out of no function": (
        "argmax",
        lambda f, table: table.rrule.opt_out(f, np.ndarray),
        "test_refusals.py:",
    ),
}


@pytest.mark.parametrize(("primal", "register", "words"), REGISTRATIONS.values(), ids=REGISTRATIONS)
def test_what_cannot_be_registered(primal, register, words):
    table = RuleTable()
    with pytest.raises(RegistrationError) as caught:
        register(primal, table)
    assert caught.value.primal is primal
    assert words in str(caught.value)
    assert list(table.rules()) == []


@dataclass
class ComparedConfig(HasReverseMode):
    """An engine's config whose objects cannot be hashed."""

    depth: int = 1


def pulled(seed, primal=np.sin, *args):
    """A pullback called with what is no cotangent."""
    return lambda: rrule(primal, *(args or (X,)))[1](seed)


def pushed(*dots, x=X):
    """A rule called with tangents that are none."""
    return lambda: frule(dots, np.sin, x)


def of_objects():
    doubled = np.frompyfunc(lambda x: 2.0 * x, 1, 1)
    rules = RuleTable()
    scalar_rule(doubled, "x", "2.0", table=rules)
    return rules.rrule(doubled, np.ones(2))[1](np.ones(2))


def with_config(ask):
    return lambda: ask(ComparedConfig())


@primitive
def nobody(x):
    return x


OBJECTS = X.astype(object)
HASHED = r"@dataclass(frozen=True)"
CALLS = {
    "no rule": (
        lambda: rrule(np.sin, "text"),
        NoRuleError,
        {"primal": np.sin, "types": (str,), "mode": "reverse"},
        "Array | Scalar",
    ),
    "nobody's rule, reverse": (
        lambda: grad(nobody)(1.0),
        NoRuleError,
        {"primal": nobody, "mode": "reverse"},
        "",
    ),
    "nobody's rule, forward": (
        lambda: jvp(nobody, (1.0,), (1.0,)),
        NoRuleError,
        {"primal": nobody, "mode": "forward"},
        "",
    ),
    "no reverse mode": (
        lambda: rrule_via_ad(RuleConfig(), np.sin, X),
        NoRuleError,
        {"primal": np.sin},
        "",
    ),
    "no forward mode": (
        lambda: frule_via_ad(RuleConfig(), (X,), np.sin, X),
        NoRuleError,
        {"primal": np.sin},
        "",
    ),
    "an option of nobody": (
        lambda: rrule(np.sin, X, where=X > 1),
        OptionError,
        {"primal": np.sin, "option": "where"},
        "",
    ),
    "too many arguments": (lambda: rrule(np.sum, X, 0, axis=1), OptionError, {}, "a, axis"),
    "a tangent for an option": (
        lambda: frule((X, 1.0), np.mean, X, 0.5),
        OptionError,
        {"option": "axis"},
        "",
    ),
    "no table to explain by": (lambda: explain(np.sin, X, rules=3), OptionError, {}, "rules is 3"),
    "no table in force": (lambda: rules_of("mine").__enter__(), OptionError, {}, ""),
    "config of rrule": (
        with_config(lambda c: rrule(np.sin, 0.0, config=c)),
        OptionError,
        {"option": "config"},
        HASHED,
    ),
    "config of resolve": (
        with_config(lambda c: default_rules.resolve("forward", np.sin, (float,), (True,), c)),
        OptionError,
        {"option": "config"},
        HASHED,
    ),
    "config of find": (
        with_config(lambda c: rrule.find(np.sin, float, config=c)),
        OptionError,
        {"option": "config"},
        HASHED,
    ),
    "seed None": (pulled(None), SeedError, {"value": None}, "sin"),
    "seed of a wrong shape": (pulled(np.ones(3)), SeedError, {}, "sin"),
    "a number for an array": (pulled(1.0), SeedError, {"value": 1.0}, "sin"),
    "a complex seed of a real output": (pulled(X + 1j), SeedError, {}, "sin"),
    "an object array": (pulled(OBJECTS), SeedError, {"value": OBJECTS}, "sin"),
    "an integer array": (pulled(np.ones((2, 3), int)), SeedError, {}, "sin"),
    "a string": (pulled("seed"), SeedError, {"value": "seed"}, "sin"),
    "None for a rule by hand": (pulled(None, np.linalg.inv, np.eye(2)), SeedError, {}, "inv"),
    "a wrong shape for a rule by hand": (
        pulled(np.ones(2), np.linalg.inv, np.eye(2)),
        SeedError,
        {},
        "inv",
    ),
    "too few outputs": (pulled((X,), np.divmod, X, 2.0), SeedError, {}, "divmod"),
    "None for an output": (pulled((X, None), np.divmod, X, 2.0), SeedError, {}, "divmod"),
    "a seed of objects": (of_objects, SeedError, {}, ".astype(float)"),
    "tangent None": (pushed(None), SeedError, {}, ""),
    "tangent of a wrong shape": (pushed(np.ones(3)), SeedError, {}, ""),
    "too many tangents": (pushed(X, X), SeedError, {}, ""),
    "no tuple of tangents": (lambda: frule(X, np.sin, X), SeedError, {}, ""),
    "a complex tangent of a real array": (pushed(X + 1j), SeedError, {}, ""),
    "a complex tangent of a real number": (pushed(1j, x=0.3), SeedError, {"value": 1j}, ""),
}


@pytest.mark.parametrize(("call", "error", "data", "words"), CALLS.values(), ids=CALLS)
def test_a_call_that_no_rule_takes(call, error, data, words):
    with pytest.raises(error) as caught:
        call()
    for key, value in data.items():
        assert getattr(caught.value, key) is value or getattr(caught.value, key) == value
    assert words in str(caught.value)
