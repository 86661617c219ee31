"""A table of one's own counts for what its rules call, too, in every engine.

The rules of the table say that sine, and a primitive, have the derivative 100, which no other
table says.
"""

import numpy as np
import pytest

from chainrules_py import RuleTable, default_rules, primitive, rules_of, scalar_rule
from engines_by_name import ADAPTERS, ENGINES, close, each_adapter, ways_of

SLOPE = 100.0
X = np.array([[0.3, 0.7], [1.1, 0.2]])


@primitive
def square(x):
    """A function that has no rule in the table of everybody."""
    return x * x


@primitive
def integral(x):
    """A function whose derivative, says the table, is `square`."""
    return x * x * x / 3


@pytest.fixture(scope="module")
def rules():
    table = RuleTable(parent=default_rules, name="slopes of 100")
    for function in (np.sin, square):
        declare_slope(table, function)

    @table.rrule.register(integral)
    def integral_rrule(x: object):
        return integral(x), lambda y_bar: (y_bar * square(x),)

    @table.frule.register(integral)
    def integral_frule(dots, x: object):
        return integral(x), dots[0] * square(x)

    return table


def declare_slope(table, function):
    @table.rrule.register(function)
    def steep_rrule(x: object):
        return function(x), lambda y_bar: (SLOPE * y_bar,)

    @table.frule.register(function)
    def steep_frule(dots, x: object):
        return function(x), SLOPE * dots[0]


FULL = np.full((2, 2), SLOPE)


def slope(engine, way, f):
    return engine.tower(way, lambda x: engine.xp.sum(f(x)))(engine.array(X))


@ways_of(ADAPTERS)
@pytest.mark.parametrize("inner", [np.sin, square], ids=["of NumPy", "primitive"])
def test_functions_that_a_rule_is_given(engine, way, rules, inner):
    along = engine.to(np.apply_along_axis, rules=rules)
    close(slope(engine, way, lambda x: along(lambda row: inner(row), 0, x)), FULL, 1e-6)


@ways_of(ADAPTERS)
def test_functions_in_a_rule(engine, way, rules):
    close(slope(engine, way, engine.to(integral, rules=rules)), X**2, 1e-6)


def composed(x):
    """A program without rules."""
    return np.sin(x) * 1.0


@ways_of(ADAPTERS)
@pytest.mark.parametrize(
    "inner", [np.sin, square, composed], ids=["of NumPy", "primitive", "program"]
)
def test_the_table_in_force(engine, way, rules, inner):
    """One that is converted before, and called before by other rules, asks it at each call."""
    f = engine.to(inner)
    if inner is not square:
        close(slope(engine, way, f), np.cos(X), 1e-6)
    with rules_of(rules):
        close(slope(engine, way, f), FULL, 1e-6)


@each_adapter
def test_second_derivatives(engine, rules):
    f, point = engine.to(integral, rules=rules), engine.array(X[0])
    for modes in ("forward reverse", "reverse reverse", "forward forward"):
        found = engine.tower(modes, lambda x: engine.xp.sum(f(x)))(point)
        close(found, SLOPE * np.eye(2), 1e-6)


@ways_of(ADAPTERS)
def test_rules_that_arrive_later_and_overlays_count(engine, way):
    def late(x):
        return x * 1.0

    rules = RuleTable(parent=default_rules, name="later")
    overlay = RuleTable(parent=rules, name="overlay")
    f = engine.to(late, rules=rules)
    close(slope(engine, way, f), np.ones((2, 2)))  # the program's own
    scalar_rule(late, "x", "5 + 0*x", table=rules)
    close(slope(engine, way, f), np.full((2, 2), 5.0))
    scalar_rule(late, "x", "7 + 0*x", table=overlay)
    close(slope(engine, way, engine.to(late, rules=overlay)), np.full((2, 2), 7.0))
    close(slope(engine, way, f), np.full((2, 2), 5.0))


@pytest.mark.parametrize("engine", [ENGINES[n] for n in ("jax", "torch") if n in ENGINES])
def test_functions_made_twice_are_equal(engine):
    assert engine.to(np.sin) == engine.to(np.sin)
    assert hash(engine.to(np.sin)) == hash(engine.to(np.sin))
    assert engine.to(np.sin) != engine.to(np.sin, rules=RuleTable(parent=default_rules))
