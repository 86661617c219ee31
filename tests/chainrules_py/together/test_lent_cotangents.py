"""Rules of users that write into the cotangent or the tangent that they are given."""

import numpy as np
import pytest

from chainrules_py import RuleContractError, RuleTable, default_rules, frule, rrule
from chainrules_tape import grad, jvp, primitive, vjp

X = np.array([1.0, 2.0, 3.0])
TABLE = RuleTable(parent=default_rules)


@primitive
def square(x):
    return x * x


@TABLE.rrule.register(square)
def square_rrule(x: np.ndarray):
    def square_pullback(y_bar):
        y_bar *= 2
        return (y_bar * x,)

    return x * x, square_pullback


@TABLE.frule.register(square)
def square_frule(dots, x: np.ndarray):
    (x_dot,) = dots
    x_dot *= 2
    return x * x, x_dot * x


def resolved(mode):
    return TABLE.resolve(mode, square, (np.ndarray,))


CALLS = {
    "resolve, reverse": lambda given: resolved("reverse")(X)[1](given),
    "resolve, forward": lambda given: resolved("forward")((given,), X),
    "vjp": lambda given: vjp(square, X, rules=TABLE)[1](given),
    "rrule": lambda given: rrule(square, X, rules=TABLE)[1](given),
    "jvp": lambda given: jvp(square, (X,), (given,), rules=TABLE),
    "frule": lambda given: frule((given,), square, X, rules=TABLE),
    "a sum beside it": lambda given: grad(lambda x: np.sum(given * (square(x) + x)), rules=TABLE)(
        X
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_the_callers_array_is_not_overwritten_and_the_rule_is_named(call):
    given = np.ones(3)
    with pytest.raises(RuleContractError, match=r"square.*writes into the"):
        CALLS[call](given)
    assert given.tolist() == [1.0, 1.0, 1.0]
