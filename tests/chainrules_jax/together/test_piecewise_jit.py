"""`np.piecewise` inside `jax.jit`, where nobody knows how many entries are in a case."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from chainrules_py import NO_TANGENT, ZERO, default_rules
from stand_ins.table_engine import TableEngine

X = np.array([-2.0, -0.5, 0.25, 3.0])
SEED = np.array([1.0, -2.0, 3.0, 0.5])


def reverse(conditions, functions, *shared):
    """The value and the cotangents of x and what the functions share, as a compiled function of x
    and the seed.
    """

    @jax.jit
    def answers(x, y_bar):
        y, pullback = default_rules.rrule(
            np.piecewise, x, conditions(x), functions, *shared, config=TableEngine()
        )
        x_bar, _, _, *shared_bars = pullback(y_bar)
        return y, x_bar, *shared_bars

    return answers


def forward(conditions, functions, *shared):
    """The value and its tangent along a tangent of x."""

    @jax.jit
    def answers(x, x_dot):
        dots = (x_dot, NO_TANGENT, NO_TANGENT, *(ZERO,) * len(shared))
        return default_rules.frule(
            dots, np.piecewise, x, conditions(x), functions, *shared, config=TableEngine()
        )

    return answers


def outside_and_inside(x):
    return [x < -1, x > 1]


def positive(x):
    return [x > 0]


# Conditions, functions, and their derivatives as functions of x.
CASES = {
    "every case": (outside_and_inside, [np.sin, np.log, np.exp], [np.cos, np.reciprocal, np.exp]),
    "zero where no condition holds": (
        outside_and_inside,
        [np.sin, np.log],
        [np.cos, np.reciprocal],
    ),
    "a number": (outside_and_inside, [7.0, np.log, np.exp], [0.0, np.reciprocal, np.exp]),
    "a later case overwrites": (lambda x: [x < 1, x < -1], [np.sin, np.exp], [np.cos, np.exp]),
    "a case without entries": (lambda x: [x > 9], [np.log, np.sin], [np.reciprocal, np.cos]),
    "one condition": (lambda x: x > 0, [np.log, np.exp], [np.reciprocal, np.exp]),
    "defined in its case alone": (
        positive,
        [np.sqrt, np.square],
        [lambda x: 0.5 / np.sqrt(x), lambda x: 2 * x],
    ),
}


@pytest.mark.parametrize("shape", [(4,), (2, 2)])
@pytest.mark.parametrize(("conditions", "functions", "derivatives"), CASES.values(), ids=CASES)
def test_each_case_has_its_own_derivative(conditions, functions, derivatives, shape):
    x, seed = X.reshape(shape), SEED.reshape(shape)
    expected = np.piecewise(x, conditions(x), functions)
    expected_bar = seed * np.piecewise(x, conditions(x), derivatives)
    with jax.enable_x64(True):
        for mode in (reverse, forward):
            y, derivative = mode(conditions, functions)(x, seed)
            np.testing.assert_allclose(y, expected, rtol=1e-12)
            np.testing.assert_allclose(derivative, expected_bar, rtol=1e-12)


@pytest.mark.parametrize("conditions", [positive, lambda x: [x > 9]], ids=["some", "none"])
def test_what_the_functions_share_sees_only_its_entries(conditions):
    """x ** p where it holds, x * p elsewhere; a logarithm of what is outside the case would be nan."""
    p = np.array([1.5])
    inside = np.asarray(conditions(X)[0])
    expected = np.sum(SEED * np.where(inside, np.abs(X) ** 1.5 * np.log(np.abs(X)), X))
    with jax.enable_x64(True):
        *_, p_bar = reverse(conditions, [np.power, np.multiply], p)(X, SEED)
        np.testing.assert_allclose(p_bar, [expected], rtol=1e-12)


def test_known_conditions_leave_the_others_out():
    """cumsum looks at its neighbours: what it returns depends on which entries it is given."""
    mask = np.array([True, False, False, True])
    with jax.enable_x64(True):
        y, x_bar = reverse(lambda x: [mask], [np.cumsum, np.sin])(X, SEED)
    np.testing.assert_allclose(y, np.piecewise(X, [mask], [np.cumsum, np.sin]))
    np.testing.assert_allclose(x_bar[mask], [1.5, 0.5])


def test_no_entries_at_all():
    y, x_bar = reverse(positive, [np.log, np.sin])(np.zeros(0), np.zeros(0))
    assert y.shape == x_bar.shape == (0,)


@pytest.mark.parametrize("x", [X, np.array([0.0, -1.0, -2.0, -3.0])], ids=["some", "none"])
def test_second_order_by_jax(x):
    """Also where a case is empty, and its function, called for nothing, has no derivative."""
    cotangent = reverse(positive, [np.log, np.sin])
    with jax.enable_x64(True):
        second = jax.jacobian(lambda x: cotangent(x, jnp.ones(4))[1])(x)
    np.testing.assert_allclose(
        second, np.diag(np.piecewise(x, positive(x), [lambda x: -1 / x**2, lambda x: -np.sin(x)]))
    )
