"""Rules in the form of autograd's: the same declarations on both, with the same numbers."""

import numpy as np
import pytest

from chainrules_tape import autograd as ours
from chainrules_tape.autograd import extend as our_extend
from chainrules_tape.autograd.boxes import getval

theirs = pytest.importorskip("autograd", reason="autograd is not installed (extra: autograd)")
from autograd import extend as their_extend  # noqa: E402
from autograd.numpy.numpy_vjps import unbroadcast_f as their_unbroadcast_f  # noqa: E402

BOTH = [(ours, our_extend, our_extend.unbroadcast_f), (theirs, their_extend, their_unbroadcast_f)]
X, W = np.array([[0.5, 1.5], [2.5, 0.25]]), np.array([2.0, 3.0])


def scaled(extend, unbroadcast_f):
    """A product with a power, whose second argument is broadcast."""

    @extend.primitive
    def product(x, w, power=1):
        return getval(x) ** power * getval(w)

    extend.defvjp(
        product,
        lambda y, x, w, power=1: unbroadcast_f(x, lambda g: g * power * x ** (power - 1) * w),
        lambda y, x, w, power=1: unbroadcast_f(w, lambda g: g * x**power),
    )
    return product


def both(run):
    """What a run gives on our names and on autograd's."""
    (a, b) = (run(engine, extend, unbroadcast_f) for engine, extend, unbroadcast_f in BOTH)
    np.testing.assert_allclose(a, b, rtol=1e-13)
    return a


@pytest.mark.parametrize("argnum", [0, 1])
def test_pullbacks_per_argument(argnum):
    def run(engine, extend, unbroadcast_f):
        product = scaled(extend, unbroadcast_f)
        return engine.grad(lambda x, w: (product(x, w, power=3) ** 2).sum(), argnum)(X, W)

    assert both(run).shape == (X, W)[argnum].shape


def test_second_derivatives():
    def run(engine, extend, unbroadcast_f):
        product = scaled(extend, unbroadcast_f)
        return engine.hessian(lambda w: (product(X, w, power=2) ** 2).sum())(W)

    both(run)


def test_makers_of_several_arguments():
    def run(engine, extend, unbroadcast_f):
        @extend.primitive
        def dot(x, y):
            return getval(x) @ getval(y)

        def maker(argnum, ans, args, options):
            return lambda g: g * args[1 - argnum]

        extend.defvjp_argnum(dot, maker)
        return np.stack(engine.grad(lambda x, y: dot(x, y), (0, 1))(W, 2 * W))

    both(run)


def test_forward_mode():
    def run(engine, extend, unbroadcast_f):
        @extend.primitive
        def cube(x, n):
            return getval(x) ** 3

        extend.defjvp(cube, lambda g, y, x, n: g * 3 * x**2, None)
        double = extend.primitive(lambda x: 2 * getval(x))
        extend.defjvp(double, "same")
        return engine.make_jvp(lambda x: double(cube(x, 3)))(W)(np.ones(2))[1]

    both(run)


def test_zero_derivatives():
    def run(engine, extend, unbroadcast_f):
        @extend.primitive
        def first(x, y):
            return getval(x) * 1.0

        extend.defvjp(first, lambda ans, x, y: lambda g: g, None)
        return engine.grad(lambda x: (first(x, x) * x).sum())(W)

    both(run)


def test_complex_conventions():
    def run(engine, extend, unbroadcast_f):
        @extend.primitive
        def square(z):
            return getval(z) ** 2

        extend.defvjp(square, lambda ans, z: lambda g: g * 2 * z)
        return engine.grad(lambda z: np.abs(square(z) * (1 - 2j) + z))(0.5 + 2.0j)

    both(run)


def test_results_in_containers():
    def run(engine, extend, unbroadcast_f):
        @extend.primitive
        def parts(x):
            return (getval(x) ** 2, getval(x) * 3.0)

        extend.defvjp(parts, lambda ans, x: lambda g: g[0] * 2 * x + g[1] * 3.0)
        return engine.grad(lambda x: (parts(x)[0] * parts(x)[1]).sum())(W)

    both(run)


def test_what_has_no_rule_says_so():
    unknown = our_extend.primitive(lambda x, y: getval(x) * getval(y))
    our_extend.defvjp(unknown, lambda ans, x, y: lambda g: g * y)
    with pytest.raises(NotImplementedError, match="argument 1"):
        ours.grad(lambda x: unknown(2.0, x))(1.0)
    with pytest.raises(NotImplementedError, match="defjvp"):
        ours.make_jvp(lambda x: unknown(x, 2.0))(1.0)(1.0)


def test_functions_without_derivative_see_plain_values():
    seen = []
    note = our_extend.notrace_primitive(lambda x: seen.append(type(x)) or 2.0)
    assert ours.grad(lambda x: (note(x) * x).sum())(W).tolist() == [2.0, 2.0]
    assert seen == [np.ndarray]


@our_extend.primitive
def with_positions(a, b):
    return a * b, np.arange(3), a + 2 * b


our_extend.defvjp(
    with_positions,
    lambda y, a, b: lambda y_bar: y_bar[0] * b + 0 * y_bar[1] + y_bar[2],
    lambda y, a, b: lambda y_bar: y_bar[0] * a + 2 * y_bar[2],
)
our_extend.defjvp(
    with_positions,
    lambda a_dot, y, a, b: (a_dot * b, np.zeros(3), a_dot),
    lambda b_dot, y, a, b: (b_dot * a, np.zeros(3), 2 * b_dot),
)


@pytest.mark.parametrize("other", [np.sin, lambda a: np.exp(1j * a)], ids=["real", "complex"])
def test_results_in_a_tuple_with_integers(other):
    def f(a, parts_of=with_positions):
        product, positions, total = parts_of(a, other(a))
        return np.real(np.sum(product * total * (positions + 1)))

    def expected(a):
        return f(a, lambda a, b: (a * b, np.arange(3), a + 2 * b))

    x = np.array([0.3, 0.4, 0.5])
    np.testing.assert_allclose(ours.grad(f)(x), ours.grad(expected)(x))
    np.testing.assert_allclose(ours.hessian(f)(x), ours.hessian(expected)(x))
    value, slope = ours.make_jvp(f)(x)(np.ones(3))
    np.testing.assert_allclose(slope, np.sum(ours.grad(expected)(x)))


def test_the_gradient_of_a_real_argument_is_real_whatever_a_pullback_gives():
    def sum_of(ag, extend):
        @extend.primitive
        def turned(x, z):
            return x * z

        extend.defvjp(turned, lambda y, x, z: lambda y_bar: y_bar * z, None)
        return ag.grad(lambda x: abs(turned(1.0 / x, 2.0 + 1.0j)) ** 2)

    expected = sum_of(theirs, their_extend)(0.5)
    found = sum_of(ours, our_extend)(0.5)
    assert type(found) in (float, np.float64)
    np.testing.assert_allclose(found, np.real(expected))
