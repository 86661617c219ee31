"""Rules that run on NumPy's arrays only: first derivatives as ever, further ones by the tape, or a
sentence.
"""

import autograd.numpy as anp
import numpy as np
import pytest
from autograd import grad, jacobian, make_jvp
from autograd.test_util import check_grads

from chainrules_autograd import to_autograd
from chainrules_py import Array, NotDifferentiableError, frule, primitive, rrule

x = np.array([0.5, 2.0, 3.0])


@primitive
def area(x):
    """The running sum of the squares of what is larger than one."""
    return np.cumsum(np.where(x > 1, x, 0.0) ** 2)


@rrule.register(area)
def area_rrule(x: Array):
    def area_pullback(y_bar):
        # np.cumsum of autograd's boxes would be an array of objects
        return (2 * np.where(x > 1, x, 0.0) * np.flip(np.cumsum(np.flip(y_bar))),)

    return area(x), area_pullback


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
    return solver(x), np.array(
        [3 * float(a) ** 2 * float(b) for a, b in zip(x, dots[0], strict=True)]
    )


def test_the_explanation_says_that_it_is_opaque():
    assert to_autograd(area).explain(x).endswith("opaque in reverse, opaque forward")
    assert "area_rrule(Array) at" in to_autograd(area).explain(x)


def test_second_and_third_derivatives_are_the_tapes():
    check_grads(lambda x: area(x * anp.sin(x)), order=3)(x)


def test_first_derivatives_of_what_nobody_traces():
    check_grads(solver, order=1)(x)


@pytest.mark.parametrize(
    "second",
    [
        lambda x: jacobian(grad(lambda x: anp.sum(solver(x))))(x),
        lambda x: make_jvp(grad(lambda x: anp.sum(solver(x))))(x)(x),
        lambda x: make_jvp(lambda x: make_jvp(solver)(x)(x)[1])(x)(x),
    ],
    ids=["reverse over reverse", "forward over reverse", "forward over forward"],
)
def test_second_derivatives_of_what_nobody_traces_are_refused(second):
    with pytest.raises(NotDifferentiableError, match=r"solver: its derivative was asked for"):
        second(x)


def test_a_rule_that_raises_is_heard_under_every_derivative():
    @primitive
    def refused(x):
        return x * 2

    @rrule.register(refused)
    def refused_rrule(x: Array):
        raise ValueError("no derivative on Sundays")

    first = grad(lambda x: anp.sum(refused(x)))
    for f in (first, grad(lambda x: anp.sum(first(x)))):
        with pytest.raises(ValueError, match="no derivative on Sundays"):
            f(x)
