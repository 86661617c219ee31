"""Rules of functions that are not NumPy's own: a primitive has those of what it was made of, a
private ufunc its wrapper's.
"""

from functools import wraps
from math import exp

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    ChainRulesError,
    RuleTable,
    default_rules,
    linear_rule,
    not_implemented,
    primitive,
    scalar_rule,
)
from chainrules_tape import BypassedRuleWarning, grad, jvp
from slopes import quotients

X = np.array([0.5, 1.0, 2.0])


def untraceable(x):
    """The exponential, by what no engine sees through."""
    return np.array([exp(value) for value in np.asarray(x, dtype=object).tolist()])


@pytest.fixture
def table():
    return RuleTable(parent=default_rules, name="mine")


def own_rule(function, table):
    scalar_rule(function, "x", "out", table=table)


@pytest.mark.parametrize("order", ["the rule first", "the primitive first"])
def test_a_primitive_has_the_rules_of_its_function(order, table):
    if order == "the rule first":
        own_rule(untraceable, table)
    opaque = primitive(untraceable)
    if order == "the primitive first":
        own_rule(untraceable, table)
    assert opaque in table
    np.testing.assert_allclose(table.rrule(opaque, X)[1](X)[0], X * np.exp(X))
    np.testing.assert_allclose(grad(lambda x: np.sum(opaque(x)), rules=table)(X), np.exp(X))
    np.testing.assert_allclose(jvp(opaque, (X,), (X,), rules=table)[1], X * np.exp(X))


def test_the_rules_of_a_primitive_itself_come_first(table):
    own_rule(untraceable, table)
    opaque = primitive(untraceable)
    scalar_rule(opaque, "x", "2 * out", table=table)
    np.testing.assert_allclose(grad(lambda x: np.sum(opaque(x)), rules=table)(X), 2 * np.exp(X))
    np.testing.assert_allclose(table.rrule(untraceable, X)[1](np.ones(3))[0], np.exp(X))


def test_what_wraps_a_primitive_is_another_function(table):
    own_rule(untraceable, table)
    opaque = primitive(untraceable)

    @wraps(opaque)
    def doubled(x):
        return 2 * opaque(x)

    assert doubled not in table
    np.testing.assert_allclose(grad(lambda x: np.sum(doubled(x)), rules=table)(X), 2 * np.exp(X))


def test_a_rule_with_options_of_what_a_primitive_is_made_of(table):
    def scaled(x, *, by=1.0):
        return by * x

    linear_rule(scaled, lambda y_bar, x, *, by=1.0: by * y_bar, table=table)
    assert grad(lambda x: primitive(scaled)(x, by=3.0), rules=table)(2.0) == 3.0


# Functions of SciPy that hand their arguments to a private ufunc, as that is what an engine sees

special = pytest.importorskip(
    "scipy.special", reason="the functions that wrap ufuncs are SciPy's (extra: scipy)"
)


def riemann_rule(table):
    # zeta(s, q) has the derivative -s zeta(s + 1, q) in q.
    partials = (not_implemented("in s"), "-s * zeta(s + 1, q)")
    scalar_rule(special.zeta, "s, q", *partials, names={"zeta": special.zeta}, table=table)


def test_the_rule_of_a_function_that_wraps_a_ufunc_fires_on_a_tape(table):
    riemann_rule(table)

    def f(q):
        return np.sum(special.zeta(3.0, q))

    np.testing.assert_allclose(grad(f, rules=table)(X), quotients(f, X), rtol=1e-6)


def test_a_default_that_the_function_adds_is_no_argument_of_the_rule(table):
    scalar_rule(special.lambertw, "z", "out / (z * (1 + out))", table=table)

    def f(z):
        return np.sum(special.lambertw(z).real)

    np.testing.assert_allclose(grad(f, rules=table)(X), quotients(f, X), rtol=1e-6)


def test_an_error_inside_of_a_function_with_a_rule_says_how_to_call_it(table):
    scalar_rule(special.spherical_jn, "n, z", NO_TANGENT, "n * out / z", table=table)
    with (
        pytest.raises(ChainRulesError) as caught,
        pytest.warns(BypassedRuleWarning, match="spherical_jn"),
    ):
        grad(lambda z: np.sum(special.spherical_jn(2, z)), rules=table)(X)
    assert (
        sum("call primitive(spherical_jn) in its place" in note for note in caught.value.__notes__)
        == 1
    )
    with pytest.raises(ChainRulesError) as caught:
        grad(lambda z: np.sum(special.diric(z, 3)), rules=table)(X)
    assert not any("has a rule" in note for note in getattr(caught.value, "__notes__", ()))


@pytest.mark.parametrize("library", ["jax", "torch"])
def test_a_constant_of_another_library_before_a_traced_argument(library):
    module = pytest.importorskip(
        "jax.numpy" if library == "jax" else "torch", reason=f"{library} is not installed"
    )

    @primitive
    def product(a, b):
        return np.asarray(a) * np.asarray(b)

    scalar_rule(product, "a, b", "b", "a")
    constant, x = module.asarray([2.0, 3.0]), module.asarray([1.0, 1.0])
    np.testing.assert_array_equal(grad(lambda x: np.sum(product(constant, x)))(x), [2.0, 3.0])
    np.testing.assert_array_equal(grad(lambda x: np.sum(product(x, constant)))(x), [2.0, 3.0])
