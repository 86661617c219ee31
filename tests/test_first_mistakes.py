"""What people write first and wrongly, at every door: each is refused by an error of ours that says what to write instead."""

import numpy as np
import pytest

from chainrules_py import (
    Array,
    ArrayLibrary,
    HasReverseMode,
    NoRuleError,
    OptionError,
    RegistrationError,
    RuleTable,
    SeedError,
    default_rules,
    frule,
    register_library,
    rrule,
)
from chainrules_tape import grad

X = np.array([1.0, 2.0, 3.0])


class Unhashable:
    """A callable object, equal to others by what it holds."""

    def __eq__(self, other):
        return True

    def __call__(self, x):
        return x


class Foreign:
    """An array class that nobody registered."""

    shape, dtype = (3,), np.dtype(float)


def mine(x):
    return x


def by_an_engine(f, x):
    return f(x)


@pytest.fixture
def table():
    return RuleTable(parent=default_rules, name="mine")


NO_FUNCTIONS = {
    "the arguments first": lambda: rrule(X, np.sin),
    "the result": lambda: rrule(np.sin(X), X),
    "the arguments before the tangents": lambda: frule((X,), X, np.sin),
    "a name": lambda: rrule("sin", X),
    "what cannot be hashed": lambda: rrule(Unhashable(), X),
}


@pytest.mark.parametrize("call", NO_FUNCTIONS.values(), ids=NO_FUNCTIONS)
def test_what_stands_where_the_function_goes(call):
    with pytest.raises(NoRuleError) as caught:
        call()
    assert caught.value.types == ()


def test_objects_without_a_hash_have_the_rule_of_their_class(table):
    table.rrule.register(Unhashable.__call__)(lambda self, x: (x, lambda y_bar: (0.0, y_bar)))
    assert table.rrule(Unhashable(), X)[0] is X


WHAT_TO_WRITE = {
    "an array class": (lambda t: t.rrule(np.sin, Foreign()), "register_library"),
    "a list": (lambda t: t.rrule(np.sin, [1.0, 2.0]), "numpy.asarray"),
    "no parent": (lambda t: RuleTable(name="alone").rrule(np.sin, X), "parent=default_rules"),
    "no engine": (lambda t: t.rrule(by_an_engine, np.sin, X), "config="),
    "no rule": (lambda t: t.rrule(mine, X), "rrule.register"),
}


@pytest.mark.parametrize(("call", "instead"), WHAT_TO_WRITE.values(), ids=WHAT_TO_WRITE)
def test_a_missing_rule_is_not_always_what_is_to_be_written(call, instead, table):
    @table.rrule.register(by_an_engine)
    def by_an_engine_rrule(f: object, x: Array, *, config: HasReverseMode): ...

    with pytest.raises(NoRuleError) as caught:
        call(table)
    assert instead in caught.value.instead


def test_the_rule_of_the_other_mode_is_mentioned(table):
    @table.frule.register(mine)
    def mine_frule(dots, x: Array): ...

    with pytest.raises(NoRuleError) as caught:
        table.rrule(mine, X)
    assert "frule(Array) at" in caught.value.got


NO_TABLES = {
    "rrule": lambda: rrule(np.sin, X, rules="mine"),
    "frule": lambda: frule((X,), np.sin, X, rules={}),
    "grad": lambda: grad(np.sum, rules={})(X),
}


@pytest.mark.parametrize("call", NO_TABLES.values(), ids=NO_TABLES)
def test_rules_that_are_no_table(call):
    with pytest.raises(OptionError) as caught:
        call()
    assert caught.value.option == "rules"


@pytest.mark.parametrize("needs", [(True,), (True, True, True), 0, True])
def test_a_pattern_of_needs_has_an_entry_per_argument(needs):
    with pytest.raises(OptionError) as caught:
        rrule(np.multiply, X, X, needs=needs)
    assert caught.value.option == "needs"


REGISTRATIONS = {
    "no primal": lambda t: t.rrule.register()(lambda x: x),
    "a parent by name": lambda t: RuleTable("mine"),
    "one class": lambda t: register_library(ArrayLibrary(name="f", namespace=np, array_types=Foreign)),
    "a class for a library": lambda t: register_library(Foreign),
    "no signature": lambda t: t.rrule.register(mine)(max),
    "no Python function": lambda t: t.rrule.register(mine)(None),
    "a misspelt attribute": lambda t: t.rrule.register(mine)(annotated("np.ndarrray")),
    "no expression": lambda t: t.rrule.register(mine)(annotated("an array")),
    "a config that is none": lambda t: t.rrule.register(mine)(configured(int)),
}


def annotated(hint):
    def mine_rrule(x): ...

    mine_rrule.__annotations__["x"] = hint
    return mine_rrule


def configured(hint):
    def mine_rrule(x, *, config): ...

    mine_rrule.__annotations__["config"] = hint
    return mine_rrule


@pytest.mark.parametrize("register", REGISTRATIONS.values(), ids=REGISTRATIONS)
def test_what_cannot_be_registered(register, table):
    with pytest.raises(RegistrationError):
        register(table)
    assert mine not in table


def test_a_seed_without_a_shape_is_called_by_its_class():
    with pytest.raises(SeedError) as caught:
        rrule(np.sin, X)[1]([1.0, 1.0, 1.0])
    assert caught.value.got.startswith("got a list")
