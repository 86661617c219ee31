"""Integrals over jumps: of those that move the derivative is refused, the others do no harm."""

import numpy as np
import pytest
from scipy import integrate as scipys

from chainrules_py import NotDifferentiableError
from chainrules_tape import grad, jacobian, jvp, vmap
from chainrules_tape.scipy import integrate
from chainrules_tape.scipy.integrate import dblquad, nquad, quad, quad_vec, tplquad


def box(a):
    """Whether x is beyond a, as an integrand of arrays and of numbers."""
    return lambda x: np.where(x > a, 1.0, 0.0), lambda x: 1.0 if x > a else 0.0


MOVING = {
    "where": lambda a: quad(box(a)[0], 0, 1)[0],
    "if": lambda a: quad(box(a)[1], 0, 1)[0],
    "args": lambda a: quad(lambda x, a, b: b * np.heaviside(x - a, 0.5), 0, 1, args=(a, 2.0))[0],
    "a quotient": lambda a: quad(lambda x: np.floor(x * a / 0.15), 0, 1)[0],
    "to infinity": lambda a: quad(lambda x: np.exp(-x) if x > a else 0.0, 0, np.inf)[0],
    "weighted": lambda a: quad(box(a)[0], 0, 1, weight="cos", wvar=3.0)[0],
    "quad_vec": lambda a: np.sum(quad_vec(lambda x: box(a)[0](x) * np.arange(3.0), 0, 1)[0]),
    "the inner variable": lambda a: dblquad(lambda y, x: box(a * x)[1](y), 0, 1, 0, 1)[0],
    "the outer variable": lambda a: dblquad(lambda y, x: box(a)[0](x), 0, 1, 0, lambda x: x)[0],
    "nquad": lambda a: nquad(lambda y, x: y * box(a)[1](x), [(0, 1), (0, 1)])[0],
    "slope": grad(lambda a: quad(lambda x: np.maximum(x - a, 0), 0, 1)[0]),
}


@pytest.mark.one_in(3)
@pytest.mark.filterwarnings("ignore:The occurrence of roundoff")
@pytest.mark.parametrize("name", MOVING)
def test_a_jump_that_moves_is_refused(name):
    with pytest.raises(NotDifferentiableError, match="split the integral"):
        grad(MOVING[name])(0.3)
    with pytest.raises(NotDifferentiableError, match="split the integral"):
        jvp(MOVING[name], (0.3,), (1.0,))


@pytest.mark.parametrize("name", ["where", "if", "quad_vec", "the outer variable", "slope"])
def test_a_jump_in_the_middle_is_refused(name):
    """Sums over nodes are right there by accident."""
    with pytest.raises(NotDifferentiableError, match="split the integral"):
        grad(MOVING[name])(0.5)


def test_a_jump_of_a_triple_integral_is_refused():
    def volume(a):
        return tplquad(lambda z, y, x: np.where(x > a, z, 0.0), 0, 1, 0, 1, 0, 1)[0]

    with pytest.raises(NotDifferentiableError) as raised:
        grad(volume)(0.5)
    assert np.isclose(raised.value.argument, 0.5, rtol=1e-9)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("larger", [np.maximum, max])
def test_a_jump_of_a_second_derivative_is_refused(larger):
    """The third derivative of the integral is that of an integral over a jump."""
    cubed = grad(grad(lambda a: quad(lambda x: larger(x - a, 0) ** 2, 0, 1)[0]))
    assert np.isclose(cubed(0.3), 1.4, rtol=1e-8)
    with pytest.raises(NotDifferentiableError):
        grad(cubed)(0.3)


@pytest.mark.parametrize("branch", [0, 1])
def test_jumps_that_move_are_refused_in_lanes(branch):
    with pytest.raises(ValueError, match="split the integral"):
        vmap(grad(lambda a: quad(box(a)[branch], 0, 1)[0]))(np.array([0.3, 0.6]))


def test_only_what_is_differentiated_moves_a_jump():
    """Forward, the place of the jump may be an argument, too."""

    def integral(a, c):
        return quad(lambda x: c * np.where(x > a, x, 0.0), 0, 1)[0]

    assert np.isclose(jvp(lambda c: integral(0.4, c), (2.0,), (1.0,))[1], 0.42, rtol=1e-8)
    assert np.isclose(jacobian(lambda c: integral(0.4, c))(2.0), 0.42, rtol=1e-8)
    with pytest.raises(NotDifferentiableError):
        jvp(integral, (0.4, 2.0), (1.0, 0.0))


STILL = {  # by b, whose place is not that of the jump, at 1
    "a factor": lambda m, b: m.quad(lambda x: b * np.where(x > 0.5, x, 0.0), 0, 1)[0],
    "a factor and a branch": lambda m, b: m.quad(lambda x: b * x if x > 0.5 else 0.0, 0, 1)[0],
    "a limit": lambda m, b: m.quad(lambda x: np.where(x > 0.5, 1.0, 0.0), 0, b)[0],
    "a limit, by numbers": lambda m, b: m.quad(lambda x: 1.0 if x > 0.5 else 0.0, 0, b)[0],
    "an odd jump": lambda m, b: m.quad(lambda x: np.sign(x - 0.5) + b, 0, b)[0],
    "a vector": lambda m, b: np.sum(
        m.quad_vec(lambda x: b * np.where(x > 0.3, np.arange(2.0), 0.0), 0, 1)[0]
    ),
    "a kink that moves": lambda m, b: m.quad(lambda x: np.abs(x - b / 2), 0, 1)[0],
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", STILL)
def test_jumps_that_stay_do_no_harm(name):
    integral = STILL[name]
    difference = (integral(scipys, 1.1) - integral(scipys, 0.9)) / 0.2  # exact for polynomials
    found = grad(lambda b: integral(integrate, b))(1.0)
    np.testing.assert_allclose(found, difference, rtol=0, atol=1e-6)
    forward = jvp(lambda b: integral(integrate, b), (1.0,), (1.0,))[1]
    np.testing.assert_allclose(forward, difference, rtol=0, atol=1e-6)
    assert np.isclose(vmap(grad(lambda b: integral(integrate, b)))(np.ones(2))[1], found, 1e-7)


@pytest.mark.parametrize("branch", [0, 1])
@pytest.mark.parametrize("a", [0.3, 0.5])
def test_the_place_may_be_a_limit_of_two_integrals(branch, a):
    """At the limit itself an integrand that asks ``x > a`` is another one than beside it."""

    def beyond(a):
        f = box(a)[branch]
        return quad(f, 0, a)[0] + quad(f, a, 1)[0]

    assert np.isclose(grad(beyond)(a), -1.0, rtol=1e-9)
    assert np.isclose(jvp(beyond, (a,), (1.0,))[1], -1.0, rtol=1e-9)
    assert np.allclose(vmap(grad(beyond))(np.array([a, 0.6])), -1.0, rtol=1e-9)


@pytest.mark.parametrize("larger", [np.maximum, max])
def test_a_kink_may_be_a_limit_of_two_integrals(larger):
    def ramp(a):
        f = lambda x: larger(x - a, 0)  # noqa: E731
        return quad(f, 0, a)[0] + quad(f, a, 1)[0]

    assert np.isclose(grad(grad(ramp))(0.3), 1.0, rtol=1e-8)
    assert np.isclose(jvp(grad(ramp), (0.3,), (1.0,))[1], 1.0, rtol=1e-8)


@pytest.mark.parametrize("branch", [0, 1])
def test_the_place_may_be_a_limit_of_an_inner_integral(branch):
    def above(a):
        return dblquad(lambda y, x: box(a * x)[branch](y), 0, 1, lambda x: a * x, 1)[0]

    assert np.isclose(grad(above)(0.4), -0.5, rtol=1e-8)
