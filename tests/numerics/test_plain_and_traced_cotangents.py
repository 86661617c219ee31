"""Second derivatives of sums of which some terms are linear: plain cotangents meet traced ones, in
any order and form.
"""

from itertools import product

import numpy as np
import pytest

from chainrules_py import Array, primitive, rrule
from chainrules_py.tangents import InplaceableThunk
from chainrules_tape import grad, hessian, hvp, jvp, vjp

RNG = np.random.default_rng(0)
W = RNG.uniform(0.5, 1.5, (3, 3))
X, X_DOT = RNG.uniform(0.5, 1.5, (2, 3, 3))
REPEATED, MASK = np.array([0, 0, 2]), W > 1
STEP = 1e-5

# Functions of a matrix by what they read it with: linear ones, whose cotangents are plain, and
# others.
READS = {
    "all": lambda a: a,
    "rows": lambda a: a[1:],
    "row": lambda a: a[0],
    "entry": lambda a: a[1, 2],
    "repeated rows": lambda a: a[REPEATED],
    "mask": lambda a: a[MASK],
    "take": lambda a: np.take(a, REPEATED),
    "transpose": lambda a: a.T[:2],
    "diagonal": lambda a: np.diagonal(a, 1),
    "trace": np.trace,
    "half": lambda a: np.split(a, [1])[1],
    "largest": lambda a: np.max(a, axis=0),
    "list": lambda a: np.stack([a, a[::-1]]),
    "product": lambda a: a @ W,
    "number": np.sum,
}
TERMS = {
    **{f"{name}, plain": lambda a, read=read: np.sum(2 * read(a)) for name, read in READS.items()},
    **{
        f"{name}, traced": lambda a, read=read: np.sum(read(a) ** 3) for name, read in READS.items()
    },
    "parts, plain first": lambda a: np.sum(W[:1] * (p := np.split(a, [1]))[0]) + np.sum(p[1] ** 3),
    "parts, traced first": lambda a: np.sum((p := np.split(a, [1]))[0] ** 3) + np.sum(W[1:] * p[1]),
    "eigenvalues": lambda a: np.sum(W[0] * np.linalg.eigh(a + a.T)[0] ** 2),
}


def gradient_and_derivative(f, x, x_dot):
    """The gradient, and by central differences its derivative along a direction."""
    ahead, behind = grad(f)(x + STEP * x_dot), grad(f)(x - STEP * x_dot)
    return grad(f)(x), (ahead - behind) / (2 * STEP)


DERIVATIVES = {name: gradient_and_derivative(f, X, X_DOT) for name, f in TERMS.items()}
MODES = {
    "forward over reverse": lambda f, x, x_dot: jvp(grad(f), (x,), (x_dot,)),
    "hvp": lambda f, x, x_dot: (grad(f)(x), hvp(f, x, x_dot)),
    "hessian": lambda f, x, x_dot: (grad(f)(x), np.tensordot(hessian(f)(x), x_dot, np.ndim(x))),
    "reverse over reverse": lambda f, x, x_dot: reversed_twice(f, x, x_dot),
    "reverse over forward": lambda f, x, x_dot: (
        grad(f)(x),
        grad(lambda y: jvp(f, (y,), (x_dot,))[1])(x),
    ),
}


def reversed_twice(f, x, x_dot):
    """The gradient, and the transposed derivative of the gradient, which is symmetric."""
    y, pullback = vjp(grad(f), x)
    return y, pullback(x_dot)[0]


def check(mode, f, x, x_dot):
    """The gradient with its derivative, next to those below."""
    for found, expected in zip(
        MODES[mode](f, x, x_dot), gradient_and_derivative(f, x, x_dot), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("first", TERMS)
@pytest.mark.parametrize("mode", ["forward over reverse", "reverse over reverse"])
def test_two_cotangents_in_either_order(mode, first):
    for second in TERMS:
        one, other = DERIVATIVES[first], DERIVATIVES[second]
        found = MODES[mode](lambda a, second=second: TERMS[first](a) + TERMS[second](a), X, X_DOT)
        np.testing.assert_allclose(found, np.add(one, other), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("mode", MODES)
def test_three_cotangents(mode):
    """Of two plain ones the sum is a buffer, which a traced one must not be written into."""
    for plain, other in product(
        ["row, plain", "diagonal, plain"], [name for name in TERMS if "plain" not in name]
    ):
        found = MODES[mode](
            lambda a, plain=plain, other=other: TERMS[other](a) + TERMS[plain](a) + np.sum(2 * a),
            X,
            X_DOT,
        )
        expected = [
            sum(parts)
            for parts in zip(*map(DERIVATIVES.get, (other, plain, "all, plain")), strict=True)
        ]
        for one, another in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, another, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "x", [0.7, np.float64(0.7), np.array(0.7)], ids=["number", "scalar", "0-d"]
)
def test_numbers(mode, x):
    for f in (
        lambda a: a + a**3,
        lambda a: a**3 + a + a,
        lambda a: np.sum(np.stack([a, a])[1:] ** 3) + 2 * a,
    ):
        check(mode, f, x, type(x)(2.0) if not isinstance(x, np.ndarray) else np.array(2.0))


@pytest.mark.parametrize("mode", ["forward over reverse", "reverse over reverse"])
def test_three_levels(mode):
    def inner(f):
        return lambda a: np.sum(X_DOT * hvp(f, a, X_DOT))

    for name in ("rows", "entry", "diagonal", "half", "mask"):
        check(
            mode,
            inner(lambda a, name=name: np.sum(READS[name](a) ** 4) + np.sum(a) + np.sum(a[1:])),
            X,
            X_DOT,
        )


@pytest.mark.parametrize("mode", MODES)
def test_the_differences_of_neighbours(mode):
    w = W[0]
    for f in (
        lambda a: np.sum((a[1:] - a[:-1]) ** 2) + np.sum(w * a),
        lambda a: np.sum(a[1:] ** 3) + np.sum(a),
    ):
        check(mode, f, X[0], X_DOT[0])


@primitive
def tail(x):
    """All but the first entry."""
    return x[1:]


@rrule.register(tail)
def tail_rrule(x: Array):
    """A thunk that does not say that its values may be traced: it makes plain buffers."""

    def tail_pullback(y_bar):
        def compute():
            return np.concatenate([np.zeros(1), y_bar])

        def add_into(buffer):
            buffer[1:] += y_bar

        return (InplaceableThunk(compute, add_into, lambda: np.zeros(len(y_bar) + 1)),)

    return x[1:], tail_pullback


@pytest.mark.parametrize("mode", ["forward over reverse", "reverse over reverse", "hessian"])
def test_a_thunk_whose_buffers_are_plain_is_opened(mode):
    for f in (
        lambda a: np.sum(tail(a) ** 3) + np.sum(a) + np.sum(W[0] * a),
        lambda a: np.sum(a) + np.sum(tail(a) ** 3),
    ):
        check(mode, f, X[0], X_DOT[0])
