"""implicit_function: derivatives of what an equation defines, of any order, and refusals of what it
does not define.
"""

import numpy as np
import pytest

from chainrules_py import (
    NoRuleError,
    NotDifferentiableError,
    default_rules,
    implicit_function,
    rrule,
)
from chainrules_py.rules.config import HasReverseMode
from chainrules_tape import grad, jacobian
from chainrules_tape.core.config import engine_of

calls = []


@implicit_function(residual=lambda x, a: x * x - a)
def square_root(a):
    calls.append(type(a))
    return np.sqrt(a)


def test_each_order_solves_once_with_plain_numbers():
    derivative, exact = square_root, [0.25, -1 / 32, 3 / 256]
    for value in exact:
        derivative = grad(derivative)
        calls.clear()
        assert np.isclose(derivative(4.0), value, rtol=1e-14)
        (cls,) = calls
        assert issubclass(cls, float)


A = np.random.default_rng(0).normal(size=(4, 4)) + 4 * np.eye(4)


def test_a_complex_residual_need_not_be_holomorphic():
    solve = implicit_function(
        lambda a: (a - 0.3 * np.conj(a)) / 0.91, lambda z, a: z + 0.3 * np.conj(z) - a
    )
    exact = grad(lambda a: np.abs((a - 0.3 * np.conj(a)) / 0.91) ** 2)(1 + 2j)
    assert np.isclose(grad(lambda a: np.abs(solve(a)) ** 2)(1 + 2j), exact)


def test_the_function_is_a_primal_whose_rule_asks_the_engine():
    config = engine_of(default_rules).config
    assert isinstance(config, HasReverseMode)
    primal, args, _ = default_rules.canonical(square_root, (4.0,), {})
    y, pullback = default_rules.resolve("reverse", primal, tuple(map(type, args)), config=config)(
        *args, config=config
    )
    assert (y, pullback(1.0)[1]) == (2.0, 0.25)
    with pytest.raises(NoRuleError, match="HasReverseMode"):
        rrule(square_root, 4.0)


REFUSED = {
    "singular": (lambda a: 0.0 * a, lambda x, a: a * x * x),
    "not converged": (lambda a: a, lambda x, a: x * x - a),
    "3 real numbers for a solution of 2": (
        lambda a: np.ones(2) * a,
        lambda x, a: [x[0], x[1], x[0] - a],
    ),
    "singular ": (lambda a: np.ones(2) * a, lambda x, a: (x[0] + x[1] - 2 * a) * np.ones(2) * a),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_has_no_derivative_is_refused(sentence):
    solve = implicit_function(*REFUSED[sentence])
    for derivative in (jacobian(solve, mode="reverse"), jacobian(solve, mode="forward")):
        with pytest.raises(NotDifferentiableError, match=sentence.strip()):
            derivative(4.0)


def test_products_that_were_not_solved_are_refused():
    solve = implicit_function(
        np.linalg.solve, lambda x, a, b: a @ x - b, linear_solver=lambda product, b: 0.9 * b
    )
    with pytest.raises(NotDifferentiableError, match="linear_solver"):
        grad(lambda a: np.sum(solve(a, np.ones(4))))(A)
