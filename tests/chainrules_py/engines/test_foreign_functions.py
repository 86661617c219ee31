"""A function that only another engine can differentiate: what it reads again must stay, and which
table has its rules.
"""

import numpy as np
import pytest

from chainrules_py import NoRuleError, OverwrittenError, rrule
from chainrules_py.engines import ForeignFunction, foreign_primitive
from chainrules_tape import grad


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


def test_its_rules_are_registered_with_a_table_of_ones_own(rules):
    product = foreign_primitive(Product(keeps_arguments=False), table=rules)
    _, pullback = rules.rrule(product, 2.0 * np.ones(2), np.ones(2))
    assert pullback(np.ones(2))[1].tolist() == [2.0, 2.0]
    with pytest.raises(NoRuleError):
        rrule(product, np.ones(2), np.ones(2))
