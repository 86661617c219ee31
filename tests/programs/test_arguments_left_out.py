"""Calls that leave out arguments on which the rule dispatches, in both modes and all engines."""

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    Array,
    RuleTable,
    Scalar,
    default_rules,
    frule,
    primitive,
    rrule,
    scalar_rule,
)
from chainrules_tape import grad, hessian, jvp, vjp

X = np.array([0.3, 0.7])


@primitive
def power(x, p=2.0, factor=3.0):
    return factor * x**p


scalar_rule(
    power, "x, p, factor", "factor * p * x ** (p - 1)", "factor * x ** p * log(x)", "x ** p"
)


def written_out(x, p=2.0, factor=3.0):
    """Compute `power` in operations that every engine knows."""
    return factor * x**p


def undecorated(x, p=2.0):
    return x**p


scalar_rule(undecorated, "x, p", "p * x ** (p - 1)", "x ** p * log(x)")
borrowing = primitive(undecorated)


class Model:
    """A class with a method that has a rule."""

    @primitive
    def predict(self, x, slope=4.0):
        return slope * x


@rrule.register(Model.predict)
def predict_rrule(model: Model, x: Array | Scalar, slope: Scalar):
    return slope * x, lambda y_bar: (NO_TANGENT, slope * y_bar, np.sum(y_bar * x))


CALLS = {
    "all left out": lambda f, x: f(x),
    "by name": lambda f, x: f(x=x),
    "one given": lambda f, x: f(x, 3.0),
    "one given by name": lambda f, x: f(x, p=3.0),
    "the last one given by name": lambda f, x: f(x, factor=5.0),
    "all given": lambda f, x: f(x, 3.0, 5.0),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_on_the_tape(call):
    def total(f):
        return lambda x: np.sum(call(f, x))

    np.testing.assert_allclose(grad(total(power))(X), grad(total(written_out))(X))
    np.testing.assert_allclose(hessian(total(power))(X), hessian(total(written_out))(X))
    np.testing.assert_allclose(
        jvp(total(power), (X,), (X,))[1], jvp(total(written_out), (X,), (X,))[1]
    )
    np.testing.assert_allclose(
        vjp(lambda x: call(power, x), X)[1](X)[0], vjp(lambda x: call(written_out, x), X)[1](X)[0]
    )


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_in_jax(call):
    jax = pytest.importorskip("jax")
    from chainrules_jax import to_jax

    x, f = jax.numpy.asarray(X), to_jax(power)
    expected = jax.grad(lambda x: jax.numpy.sum(call(written_out, x)))(x)
    for wrap in (lambda g: g, jax.jit):
        np.testing.assert_allclose(
            wrap(jax.grad(lambda x: jax.numpy.sum(call(f, x))))(x), expected, rtol=1e-6
        )
    pushed = jax.jvp(lambda x: call(f, x), (x,), (x,))[1]
    np.testing.assert_allclose(
        pushed, jax.jvp(lambda x: call(written_out, x), (x,), (x,))[1], rtol=1e-6
    )


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_in_pytorch(call):
    torch = pytest.importorskip("torch")
    from chainrules_torch import to_torch

    f = to_torch(power)
    for _ in range(2):  # the second call of a kind goes a shorter way
        x = torch.tensor(X, requires_grad=True)
        expected = torch.autograd.grad(call(written_out, x).sum(), x)[0]
        np.testing.assert_allclose(torch.autograd.grad(call(f, x).sum(), x)[0], expected)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_in_autograd(call):
    autograd = pytest.importorskip("autograd")
    import autograd.numpy as anp

    from chainrules_autograd import to_autograd

    f = to_autograd(power)
    for _ in range(2):
        expected = autograd.grad(lambda x: anp.sum(call(written_out, x)))(X)
        np.testing.assert_allclose(autograd.grad(lambda x: anp.sum(call(f, x)))(X), expected)


def test_a_rule_gives_a_cotangent_for_each_argument_that_was_passed():
    y, pullback = rrule(power, 2.0)
    assert (y, pullback(1.0)) == (12.0, (12.0,))
    assert rrule(power, 2.0, needs=(True,))[1](1.0) == (12.0,)
    x_bar, p_bar = rrule(power, 2.0, 1.0)[1](1.0)
    assert (x_bar, p_bar) == (3.0, pytest.approx(6 * np.log(2)))
    assert frule((1.0,), power, 2.0) == (12.0, 12.0)
    default = power.__wrapped__.__defaults__[0]
    assert frule((1.0,), power, default) == (
        12.0,
        12.0,
    ), "x is the very object that p is by default"


def test_of_a_function_that_borrows_its_rule():
    assert grad(borrowing)(3.0) == 6.0
    assert jvp(borrowing, (3.0,), (1.0,))[1] == 6.0


def test_of_a_method():
    assert grad(lambda x: Model().predict(x))(3.0) == 4.0
    assert grad(lambda x: Model().predict(x, slope=5.0))(3.0) == 5.0


def test_the_shortest_rule_that_fits_is_taken():
    rules = RuleTable(parent=default_rules)

    def f(x, a=1.0, b=2.0):
        return x * a * b

    @rules.rrule.register(f)
    def f_of_two(x: Scalar, a: Scalar):
        return x * a * 2.0, lambda y_bar: (y_bar * a * 2.0, y_bar * x * 2.0)

    @rules.rrule.register(f)
    def f_of_three(x: Scalar, a: Scalar, b: Scalar):
        return x * a * b, lambda y_bar: (y_bar * a * b, y_bar * x * b, y_bar * x * a)

    assert rules.canonical(f, (5.0,), {}) == (f, (5.0, 1.0), {})
    assert rules.canonical(f, (5.0, 6.0), {}) == (f, (5.0, 6.0), {})
    assert rules.canonical(f, (5.0,), {"b": 7.0}) == (f, (5.0, 1.0, 7.0), {})


def test_through_another_name_with_other_parameters():
    rules = RuleTable(parent=default_rules)

    def short(x):
        return power(x)

    rules.alias(short, power, lambda x: ((x,), {}))
    assert rules.canonical(short, (2.0,), {}) == (power, (2.0, 2.0, 3.0), {})
    arrangement = rules.names.arrangement(short, 1, {})
    assert arrangement.arrange([2.0], {}) == ((2.0, 2.0, 3.0), {})


def test_a_rule_of_fewer_arguments_is_asked_with_fewer():
    """NumPy's functions dispatch on what their rules name; what else has a default stays away."""
    assert default_rules.canonical(np.sum, (X,), {})[1] == (X,)
    assert default_rules.canonical(np.trapezoid, (X,), {})[1] == (X,)
