"""Which derivative of several is taken, with which way the rule runs, and what rules of
higher-order functions are given.
"""

import autograd.numpy as anp
import numpy as np
import pytest
from autograd import grad, make_vjp
from autograd.test_util import check_grads

from chainrules_autograd import to_autograd
from chainrules_py import (
    NO_TANGENT,
    Array,
    HasForwardsMode,
    HasReverseMode,
    frule,
    frule_via_ad,
    primitive,
    rrule,
    rrule_via_ad,
)

x = np.array([0.5, 1.5, 2.5])


@primitive
def mapped(f, x):
    return np.array([f(each) for each in x])


@rrule.register(mapped)
def mapped_rrule(f: object, x: Array, *, config: HasReverseMode):
    y, pull = rrule_via_ad(config, f, x)
    return y, lambda y_bar: (NO_TANGENT, *pull(y_bar))


@frule.register(mapped)
def mapped_frule(dots: tuple, f: object, x: Array, *, config: HasForwardsMode):
    return frule_via_ad(config, dots[1:], f, x)


def test_derivatives_of_two_levels_are_kept_apart():
    multiply = to_autograd(np.multiply)
    # d/dx (x * d/dy (x + y)) at 1: the inner derivative is 1, whatever x is.
    assert grad(lambda x: multiply(x, grad(lambda y: x + y)(1.0)))(2.0) == 1.0


def test_rules_that_ask_for_the_engine_get_it():
    check_grads(lambda x: mapped(lambda t: anp.sin(t) * t, x * x))(x)


def test_an_error_in_between_leaves_later_derivatives_right():
    def failing(x):
        raise ZeroDivisionError

    f = to_autograd(np.square)
    with pytest.raises(ZeroDivisionError):
        grad(lambda x: grad(failing)(x) * x)(1.0)
    assert grad(grad(f))(1.5) == 2.0


def test_the_pullback_leaves_its_seed_and_its_arguments_alone():
    y_bar, arg = np.ones(3), x.copy()
    pull, _ = make_vjp(lambda x: to_autograd(np.add)(x, x))(arg)
    pull(y_bar)
    assert y_bar.tolist() == [1.0, 1.0, 1.0]
    assert arg.tolist() == x.tolist()
