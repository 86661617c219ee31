"""Functions that make arrays: buffers where something is differentiated, NumPy's arrays where code
sees plain values only.
"""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
import strangers
from chainrules_py import RuleTable, default_rules, frule, rrule
from chainrules_tape import grad, jvp, primitive, seen_through

MODES = {
    "always": np._CopyMode.ALWAYS,
    "if needed": np._CopyMode.IF_NEEDED,
    "never": np._CopyMode.NEVER,
}

X = np.array([0.3, 0.7])
MAKERS = (
    tnp.zeros_like,
    tnp.copy,
    tnp.array,
    lambda x: tnp.zeros(x.shape),
    lambda x: tnp.full(x.shape, 1.0),
    lambda x: tnp.eye(2),
)


def compiled(x):
    """Stands for a function that takes NumPy's arrays only."""
    assert type(x) is np.ndarray
    return x


@primitive
def doubled(x):
    for make in MAKERS:
        compiled(make(x))
    y = tnp.copy(x)
    y *= 2.0
    return compiled(y)


@rrule.register(doubled)
def doubled_rrule(x):
    y = doubled(compiled(tnp.array(x)))

    def doubled_pullback(y_bar):
        x_bar = tnp.zeros_like(y_bar)
        x_bar += 2.0 * y_bar
        return (compiled(x_bar),)

    return y, doubled_pullback


@frule.register(doubled)
def doubled_frule(dots, x):
    return doubled(x), 2.0 * compiled(tnp.copy(dots[0]))


def total(x):
    return np.sum(doubled(x) ** 2)


def test_arrays_are_numpys_in_the_body_and_the_rules_of_a_primitive():
    np.testing.assert_allclose(grad(total)(X), 8.0 * X)
    np.testing.assert_allclose(jvp(total, (X,), (np.ones(2),))[1], np.sum(8.0 * X))


def test_so_they_are_while_something_else_is_differentiated_outside():
    def outer(t):
        return t * grad(total)(X)[0] + grad(total)(X)[1]

    assert grad(outer)(3.0) == 8.0 * X[0]
    assert jvp(outer, (3.0,), (1.0,))[1] == 8.0 * X[0]


@primitive
def slope_of_cube(x):
    def cube(x):
        y = tnp.zeros(2)
        y[0] = x[0] ** 3
        y[1:] = x[1:] ** 3
        return np.sum(y)

    return grad(cube)(x)


def test_what_is_differentiated_inside_takes_traced_values():
    table = RuleTable(parent=default_rules)

    @table.rrule.register(slope_of_cube)
    def slope_of_cube_rrule(x):
        return slope_of_cube(x), lambda y_bar: (6.0 * x * y_bar,)

    np.testing.assert_allclose(grad(lambda x: np.sum(slope_of_cube(x)), rules=table)(X), 6.0 * X)


def test_buffers_outside_of_such_code_take_traced_values_afterwards():
    def f(x):
        y = tnp.zeros(2)
        doubled(X)
        y[0] = x[0]
        z = tnp.zeros_like(y)
        z[1] = y[0] * x[1]
        return np.sum(z)

    np.testing.assert_allclose(grad(f)(X), X[::-1])
    with pytest.raises(ZeroDivisionError):
        primitive(lambda x: 1 / 0)(X)
    np.testing.assert_allclose(grad(f)(X), X[::-1])


@pytest.mark.parametrize("name", MODES)
def test_copies_in_the_words_of_numpy_1(name):
    """As `array_api_compat` asks for them: neither True nor False."""
    copy, x = MODES[name], np.array([1.0, 2.0])

    def squares(x):
        return tnp.sum(tnp.array(x, copy=copy) ** 2 + 3.0 * tnp.asarray(x, copy=copy))

    np.testing.assert_array_equal(grad(squares)(x), 2 * x + 3.0)
    assert squares(x) == 14.0
    with seen_through("strangers"):
        np.testing.assert_array_equal(strangers.array(x, copy=copy), x)
        assert (strangers.array(x, copy=copy) is x) == (np.array(x, copy=copy) is x)


@pytest.mark.parametrize("make", [tnp.array, tnp.asarray])
@pytest.mark.parametrize("copy", [False, MODES["never"]])
def test_lists_are_never_arrays_already(make, copy):
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        grad(lambda x: np.sum(make([x, x * x], copy=copy)))(0.5)
