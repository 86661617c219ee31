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
