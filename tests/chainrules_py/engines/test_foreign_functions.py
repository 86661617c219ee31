"""A function that only another engine can differentiate, in programs of ours: any order that the
engine has.
"""

import numpy as np
import pytest

from chainrules_py import NoRuleError, OverwrittenError, RuleTable, default_rules, frule, rrule
from chainrules_py.engines import ForeignFunction, foreign_primitive
from chainrules_tape import grad, hessian, jvp


class Wave(ForeignFunction):
    """The k-th derivative of the sine, as an engine would have it that knows nothing of ours."""

    def __init__(self, order=0):
        self.order, self.name = order, f"wave{order}"

    def evaluate(self, x):
        assert type(x) in (np.ndarray, np.float64, float), "a foreign engine gets plain values"
        return np.sin(x + self.order * np.pi / 2)

    def vjp(self, x):
        return self.evaluate(x), lambda y_bar: (y_bar * Wave(self.order + 1).evaluate(x),)

    def jvp(self, args, dots):
        return self.evaluate(*args), dots[0] * Wave(self.order + 1).evaluate(*args)

    def pullback(self):
        return Scaled(Wave(self.order + 1), wrapped=True)

    def pushforward(self):
        return Scaled(Wave(self.order + 1), wrapped=False)


class Scaled(ForeignFunction):
    """A wave times a (co)tangent, alone or as the one entry of a tuple."""

    def __init__(self, wave, wrapped):
        self.wave, self.wrapped, self.name = wave, wrapped, f"scaled_{wave.name}"

    def _given(self, value):
        return (value,) if self.wrapped else value

    def evaluate(self, scale, x):
        scale = scale if self.wrapped else scale[0]
        return self._given(scale * self.wave.evaluate(x))

    def vjp(self, scale, x):
        inner = scale if self.wrapped else scale[0]

        def pull(y_bar):
            y_bar = y_bar[0] if self.wrapped else y_bar
            bar = y_bar * self.wave.evaluate(x)
            return (bar if self.wrapped else (bar,)), y_bar * inner * Wave(
                self.wave.order + 1
            ).evaluate(x)

        return self.evaluate(scale, x), pull

    def jvp(self, args, dots):
        (scale, x), (scale_dot, x_dot) = args, dots
        inner, inner_dot = (scale, scale_dot) if self.wrapped else (scale[0], scale_dot[0])
        dot = inner_dot * self.wave.evaluate(x) + inner * x_dot * Wave(
            self.wave.order + 1
        ).evaluate(x)
        return self.evaluate(scale, x), self._given(dot)


wave = foreign_primitive(Wave())
x = np.array([0.3, 1.5])


def test_plain_calls_and_both_rules():
    assert np.array_equal(wave(x), np.sin(x))
    y, pullback = rrule(wave, x)
    assert np.allclose(pullback(2.0 * np.ones(2))[0], 2 * np.cos(x))
    assert np.allclose(frule((np.ones(2),), wave, x)[1], np.cos(x))


def test_derivatives_of_programs_around_it():
    assert np.allclose(grad(lambda x: np.sum(wave(x) * x))(x), np.cos(x) * x + np.sin(x))
    y, y_dot = jvp(lambda x: wave(x * x), (x,), (np.ones(2),))
    assert np.allclose(y_dot, 2 * x * np.cos(x * x))


def test_second_order_asks_for_the_derivatives_as_functions():
    expected = np.diag(2 * np.cos(x) - np.sin(x) * x)
    assert np.allclose(hessian(lambda x: np.sum(wave(x) * x))(x), expected)

    def slope(x):
        return jvp(wave, (x,), (np.ones(2),))[1]

    assert np.allclose(jvp(slope, (x,), (np.ones(2),))[1], -np.sin(x))
    assert np.allclose(
        jvp(grad(lambda x: np.sum(wave(x) * x)), (x,), (np.ones(2),))[1], np.diag(expected)
    )
    assert np.allclose(grad(lambda x: np.sum(slope(x)))(x), -np.sin(x))


class Product(ForeignFunction):
    """A product of two arrays, of which the pullback keeps copies or the arrays themselves."""

    name = "product"

    def __init__(self, keeps_arguments):
        self.keeps_arguments = keeps_arguments

    def evaluate(self, a, b):
        return a * b

    def vjp(self, a, b):
        a, b = (a, b) if self.keeps_arguments else (a.copy(), b.copy())
        return a * b, lambda y_bar: (y_bar * b, y_bar * a)

    def pullback(self):
        return PullbackOfProduct()


class PullbackOfProduct(ForeignFunction):
    """The pullback of a product as a function of the cotangent, too."""

    name = "pullback_of_product"

    def evaluate(self, y_bar, a, b):
        return y_bar * b, y_bar * a

    def vjp(self, y_bar, a, b):
        return self.evaluate(y_bar, a, b), lambda bars: (
            bars[0] * b + bars[1] * a,
            bars[1] * y_bar,
            bars[0] * y_bar,
        )


LARGE = np.full(10_000, 0.5)


def overwriting(keeps_arguments):
    """A program that overwrites a large constant of a product after it."""
    product = foreign_primitive(Product(keeps_arguments))

    def program(x, scale=1.0):
        constant = np.full(10_000, 2.0)
        y = product(x, constant)
        constant[:] = 7.0
        return np.sum(y * scale)

    return program


def test_what_is_overwritten_is_an_error_where_the_engine_reads_it_again():
    np.testing.assert_array_equal(grad(overwriting(keeps_arguments=False))(LARGE), 2.0)
    with pytest.raises(OverwrittenError):
        grad(overwriting(keeps_arguments=True))(LARGE)


@pytest.mark.parametrize("keeps_arguments", [True, False])
def test_derivatives_of_the_derivative_read_the_arguments_again(keeps_arguments):
    program = overwriting(keeps_arguments)
    with pytest.raises(OverwrittenError):
        grad(lambda scale: np.sum(grad(program)(LARGE, scale)))(1.0)  # the cotangent is traced
    with pytest.raises(OverwrittenError):
        grad(lambda x: np.sum(grad(program)(x)))(LARGE)  # an argument is traced


def test_its_rules_are_registered_with_a_table_of_ones_own():
    table = RuleTable(parent=default_rules, name="own")
    own_wave = foreign_primitive(Wave(), table=table)
    y, pullback = table.rrule(own_wave, x)
    np.testing.assert_allclose(pullback(np.ones(2))[0], np.cos(x))
    with pytest.raises(NoRuleError):
        rrule(own_wave, x)
