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
from chainrules_tape import grad, hessian, jacobian, jvp, vjp
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


@pytest.mark.parametrize("outer", ["reverse", "forward"])
@pytest.mark.parametrize("inner", ["reverse", "forward"])
def test_towers_through_arguments_and_captured_values(outer, inner):
    def captured(p):
        return implicit_function(lambda: np.sqrt(p[:1] * p[1]), lambda x: x * x - p[:1] * p[1])()

    by_argument = implicit_function(lambda a, b: np.sqrt(a * b), lambda x, a, b: x * x - a * b)
    p, exact = np.array([2.0, 3.0]), hessian(lambda p: np.sqrt(p[0] * p[1]))
    for f in (captured, lambda p: by_argument(p[:1], p[1])):
        found = jacobian(jacobian(f, mode=inner), mode=outer)(p)
        assert np.allclose(found[0], exact(p), rtol=1e-13)


A = np.random.default_rng(0).normal(size=(4, 4)) + 4 * np.eye(4)


def by_products(product, b):
    """The conjugate gradients of the normal equations, with the transpose from the columns of the
    matrix.
    """
    matrix = np.stack([product(unit) for unit in np.eye(b.size)], axis=-1)
    return np.linalg.solve(matrix, b)


@pytest.mark.parametrize("linear_solver", [None, by_products])
def test_linear_systems_have_the_derivatives_of_solve(linear_solver):
    solve = implicit_function(
        np.linalg.solve, lambda x, a, b: a @ x - b, linear_solver=linear_solver
    )

    def loss(solve):
        return lambda a: np.sum(np.sin(solve(a, np.arange(4.0) + a[0])))

    assert np.allclose(grad(loss(solve))(A), grad(loss(np.linalg.solve))(A), rtol=1e-12)
    assert np.allclose(hessian(loss(solve))(A), hessian(loss(np.linalg.solve))(A), rtol=1e-11)


def test_solutions_and_residuals_may_be_containers():
    def solver(p, b):
        return {"u": np.array([p**2, p]), "v": p * b}

    def residual(x, p, b):
        return [x["u"][0] - p**2, x["v"] - x["u"][1] * b, x["u"][1] ** 2 - p**2]

    solve = implicit_function(solver, residual)
    assert np.allclose(vjp(solve, 2.0, 3.0)[1]({"u": np.ones(2), "v": 1.0}), (4 + 1 + 3, 2))
    moved = jvp(solve, (2.0, 3.0), (1.0, 0.0))[1]
    assert np.allclose(moved["u"], [4, 1])
    assert np.isclose(moved["v"], 3)


def test_a_complex_residual_need_not_be_holomorphic():
    solve = implicit_function(
        lambda a: (a - 0.3 * np.conj(a)) / 0.91, lambda z, a: z + 0.3 * np.conj(z) - a
    )
    exact = grad(lambda a: np.abs((a - 0.3 * np.conj(a)) / 0.91) ** 2)(1 + 2j)
    assert np.isclose(grad(lambda a: np.abs(solve(a)) ** 2)(1 + 2j), exact)


def test_an_equation_without_unknowns_moves_nothing():
    assert not grad(lambda a: np.sum(square_root(a[2:])))(np.ones(2)).any()
    assert jvp(square_root, (np.ones(0),), (np.ones(0),))[1].shape == (0,)


def test_single_precision_stays():
    a = np.array([4.0, 9.0], np.float32)
    assert vjp(square_root, a)[1](np.ones(2, np.float32))[0].dtype == np.float32
    assert jvp(square_root, (a,), (a,))[1].dtype == np.float32


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
