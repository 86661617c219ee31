"""What autograd is refused by us, in every derivative: the error, and what it says."""

import autograd.numpy as anp
import numpy as np
import pytest
from autograd import grad, jacobian, make_jvp, make_vjp
from autograd.misc.tracers import const_graph
from scipy.integrate import quad

from chainrules_autograd import to_autograd
from chainrules_autograd.differentiation import vjp
from chainrules_autograd.planned import general_reverse
from chainrules_autograd.translation import require_shape
from chainrules_py import (
    Array,
    NoRuleError,
    NotDifferentiableError,
    NotImplementedTangentError,
    OptionError,
    RuleTable,
    SeedError,
    default_rules,
    frule,
    primitive,
    rrule,
)

X = np.array([0.5, 2.0, 3.0])
INTEGERS = np.array([1, 2, 3])


@primitive
def solver(x):
    """A function whose rule goes through Python's numbers, which no engine traces."""
    return np.array([float(entry) ** 3 for entry in x])


@rrule.register(solver)
def solver_rrule(x: Array):
    return solver(x), lambda y_bar: (
        np.array([3 * float(a) ** 2 * float(b) for a, b in zip(x, y_bar, strict=True)]),
    )


@frule.register(solver)
def solver_frule(dots: tuple, x: Array):
    return solver(x), solver_rrule(x)[1](dots[0])[0]


@primitive
def raising(x):
    return x * 2


@rrule.register(raising)
def raising_rrule(x: Array):
    raise ValueError("no derivative on Sundays")


def opted_out(x):
    return x


RULES = RuleTable(parent=default_rules)
for register in (RULES.rrule, RULES.frule):
    register.opt_out(opted_out, object)


def summed(f):
    return lambda x: anp.sum(f(x))


def error_of_integral(a):
    return to_autograd(quad)(lambda t, a: np.sin(a * t), 0.0, 1.0, args=(a,))[1]


TOO_LARGE = np.ones((3, 2))
OPAQUE = NotDifferentiableError, r"solver: its derivative was asked for"
ERRORS = {
    "integers": (
        lambda: grad(summed(to_autograd(np.tanh)))(INTEGERS),
        *(NotDifferentiableError, "floats"),
    ),
    "integers of a program": (
        lambda: grad(summed(to_autograd(lambda x: np.tanh(x) * 2.0)))(INTEGERS),
        *(NotDifferentiableError, "floats"),
    ),
    "integers beside what is no integer": (
        lambda: grad(summed(lambda x: to_autograd(np.add)(2 * x, x)))(INTEGERS),
        *(NotDifferentiableError, "floats"),
    ),
    "opted out": (lambda: grad(to_autograd(opted_out, rules=RULES))(1.0), NoRuleError, "opted_out"),
    "an option": (
        lambda: grad(lambda x: to_autograd(np.sum)(np.ones(2), initial=x))(1.0),
        *(OptionError, "initial"),
    ),
    "an option, by position": (
        lambda: general_reverse(np.sum, (1,), [X, 0.5], {}, default_rules),
        *(OptionError, "axis"),
    ),
    "a part of a value": (
        lambda: grad(error_of_integral)(0.5),
        *(NotImplementedTangentError, "estimate of the error"),
    ),
    "a cotangent that is too large": (
        lambda: make_vjp(to_autograd(np.median))(X)[0](TOO_LARGE),
        *(SeedError, "shape"),
    ),
    "a cotangent that is too large, of theirs": (
        lambda: vjp(anp.sin, np.ones(2))[1](TOO_LARGE),
        *(SeedError, "shape"),
    ),
    "a shape": (lambda: require_shape(TOO_LARGE, (2,), np.sin), SeedError, r"\(3, 2\)"),
    "another tracer": (
        lambda: const_graph(to_autograd(np.sin))(X),
        *(NotDifferentiableError, "ConstGraphNode"),
    ),
    "boxes in NumPy's array": (
        lambda: vjp(lambda x: np.flip(np.array([x[0], x[1]])) * 2.0, np.ones(2)),
        *(NotDifferentiableError, r"autograd.numpy"),
    ),
    "reverse over opaque": (lambda: jacobian(grad(summed(solver)))(X), *OPAQUE),
    "forward over opaque": (lambda: make_jvp(grad(summed(solver)))(X)(X), *OPAQUE),
    "forward over opaque forward": (
        lambda: make_jvp(lambda x: make_jvp(solver)(x)(x)[1])(X)(X),
        *OPAQUE,
    ),
    "a rule's own": (lambda: grad(summed(raising))(X), ValueError, "no derivative on Sundays"),
    "a rule's own, twice": (
        lambda: grad(summed(grad(summed(raising))))(X),
        *(ValueError, "no derivative on Sundays"),
    ),
}


@pytest.mark.parametrize(("call", "error", "words"), ERRORS.values(), ids=ERRORS)
def test_what_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
