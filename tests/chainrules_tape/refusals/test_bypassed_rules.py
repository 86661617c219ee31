"""Rules of functions that are no primitives: a warning before the first derivative, and a note
where an error came of it.
"""

import math
import sys
import warnings
from functools import partial, wraps

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import Array, RuleTable, Scalar, default_rules, primitive, scalar_rule
from chainrules_tape import (
    BypassedRuleWarning,
    LostGradientError,
    grad,
    hvp,
    jacobian,
    jvp,
    linearize,
    vjp,
)
from chainrules_tape.core.config import engine_of
from chainrules_tape.refusals.bypassed_rules import bypassed_functions

X = np.array([0.3, 0.7])


def damped(x):
    return np.sin(x) * np.exp(-x)


def by_float(x):
    return math.exp(x)


@primitive
def marked(x):
    return np.sin(x)


class Model:
    """An object with a method that has a rule, and a call that has another."""

    def predict(self, x):
        return 2 * x

    def __call__(self, x):
        return 3 * x


model = Model()


@pytest.fixture
def rules():
    """A table in which the rule of `damped` is a wrong one, so that it shows whether it was used."""
    table = RuleTable(parent=default_rules, name="mine")
    scalar_rule(damped, "x", "100.0", table=table)
    scalar_rule(by_float, "x", "out", table=table)
    scalar_rule(marked, "x", "100.0", table=table)
    return table


def calls_it(x):
    return np.sum(damped(x))


def calls_what_calls_it(x):
    return calls_it(x) * 2


def calls_itself(x, depth=2):
    return calls_itself(x, depth - 1) if depth else calls_it(x)


def defines_what_calls_it(x):
    def inner(y):
        return damped(y)

    return np.sum(inner(x))


def reads_it_from_a_module(x):
    return np.sum(this_module.damped(x))


this_module = sys.modules[__name__]
PROGRAMS = {
    "itself": damped,
    "by name": calls_it,
    "by way of another": calls_what_calls_it,
    "by way of itself": calls_itself,
    "in a function inside": defines_what_calls_it,
    "in a module": reads_it_from_a_module,
    "in a partial": partial(lambda scale, x: scale * calls_it(x), 2.0),
    "in a closure": (lambda f: lambda x: np.sum(f(x)))(damped),
    "wrapped": wraps(damped)(lambda x: damped(x)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_function_that_calls_it_is_warned_of_once(rules, name):
    function = PROGRAMS[name]
    with pytest.warns(BypassedRuleWarning, match=r"damped.* call primitive\(damped\)") as caught:
        vjp(function, X, rules=rules)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    vjp(function, X, rules=rules)


@pytest.mark.parametrize("way", ["jacobian", "linearize", "hvp", "reverse-forward"])
def test_each_derivative_warns(rules, way):
    takes = {
        "jacobian": lambda f: jacobian(f, rules=rules)(X),
        "linearize": lambda f: linearize(f, X, rules=rules),
        "hvp": lambda f: hvp(f, X, X, rules=rules),
        "reverse-forward": lambda f: grad(lambda x: jvp(f, (x,), (X,), rules=rules)[1])(X),
    }
    with pytest.warns(BypassedRuleWarning, match="damped"):
        takes[way](calls_it)


def calls_the_primitive(x):
    return np.sum(primitive(damped)(x))


opaque, intercepted = primitive(damped), tnp.interceptable(damped)


def calls_another_of_the_name(x):
    damped = np.sin
    return np.sum(damped(x))


SILENT = {
    "marked": lambda x: np.sum(marked(x)),
    "the primitive": lambda x: np.sum(opaque(x)),
    "made on the way": calls_the_primitive,
    "intercepted": lambda x: np.sum(intercepted(x)),
    "a local variable": calls_another_of_the_name,
}


@pytest.mark.parametrize("name", SILENT)
def test_calls_that_are_seen_are_not_warned_of(rules, name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vjp(SILENT[name], X, rules=rules)
        vjp(opaque, X, rules=rules)
        vjp(intercepted, X, rules=rules)
        jacobian(opaque, rules=rules)(X)


@pytest.mark.parametrize(
    ("method", "call"),
    [(Model.predict, lambda x: model.predict(x)), (Model.__call__, lambda x: model(x))],
    ids=["a method", "a callable object"],
)
def test_methods_and_callable_objects(rules, method, call):
    @rules.rrule.register(method)
    def method_rrule(self: Model, x: Array): ...

    with pytest.warns(BypassedRuleWarning, match=method.__name__):
        vjp(call, X, rules=rules)


def test_another_method_of_an_object_is_not_warned_of(rules):
    @rules.rrule.register(Model.__call__)
    def call_rrule(self: Model, x: Array): ...

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vjp(lambda x: model.predict(x), X, rules=rules)


def test_a_rule_that_comes_later_is_warned_of(rules):
    def late(x):
        return x * x

    def loss(x):
        return np.sum(late(x))

    grad(loss, rules=rules)(X)
    scalar_rule(late, "x", "2 * x", table=rules)
    with pytest.warns(BypassedRuleWarning, match="late"):
        grad(loss, rules=rules)(X)


def test_without_such_functions_nothing_is_looked_at():
    bypassed = engine_of(RuleTable(parent=default_rules)).bypassed
    assert set(bypassed) == set(bypassed_functions(default_rules))
    alone = RuleTable(name="alone")
    scalar_rule(np.sin, "x", "cos(x)", table=alone)
    scalar_rule(marked, "x", "cos(x)", table=alone)
    assert bypassed_functions(alone) == []


# --- Errors ---

NOTE = "has a rule, but only calls of primitives"


def notes_of(error):
    return [note for note in getattr(error, "__notes__", ()) if NOTE in note]


def test_an_error_that_came_of_the_body_says_so(rules):
    with pytest.raises(LostGradientError) as caught, pytest.warns(BypassedRuleWarning):
        grad(lambda x: by_float(x), rules=rules)(2.0)
    assert len(notes_of(caught.value)) == 1
    assert grad(primitive(by_float), rules=rules)(2.0) == pytest.approx(math.exp(2.0))


@primitive
def refusing(x):
    if np.any(x > 1):
        raise ValueError("no such x")
    return x**2


@primitive
def halved(x):
    return x / 2


def unsolvable(x):
    return np.linalg.solve(np.zeros((2, 2)), x)


def test_errors_with_other_causes_say_nothing_of_it(rules):
    @rules.rrule.register(refusing)
    def refusing_rrule(x: Array | Scalar):
        return refusing(x), lambda y_bar: (2 * x * y_bar,)

    @rules.rrule.register(halved)
    def halved_rrule(x: Array | Scalar):
        return float("x"), lambda y_bar: (y_bar / 2,)

    scalar_rule(unsolvable, "x", "1.0", table=rules)
    with pytest.raises(ValueError, match="no such x") as caught:
        grad(refusing, rules=rules)(3.0)
    assert not notes_of(caught.value)
    with pytest.raises(ValueError, match="could not convert") as caught:
        grad(halved, rules=rules)(3.0)
    assert not notes_of(caught.value)
    with pytest.raises(np.linalg.LinAlgError) as caught, pytest.warns(BypassedRuleWarning):
        grad(lambda x: np.sum(unsolvable(x)), rules=rules)(X)
    assert not notes_of(caught.value)
