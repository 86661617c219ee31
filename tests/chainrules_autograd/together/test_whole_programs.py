"""Whole NumPy programs under all that autograd does with functions, next to the same program in
autograd's words.
"""

import autograd
import autograd.numpy as anp
import numpy as np
import pytest

import chainrules_tape
from chainrules_autograd import to_autograd
from whole_programs import InWordsOf, V, X, program

called = to_autograd(program)
words = InWordsOf(anp)
in_autograd, scalar = words.program, words.scalar


def pulled(f):
    pull, y = autograd.make_vjp(f)(X)
    return y, pull(V), pull(2 * V)


CALLS = {
    "value": lambda f: f(X),
    "grad": lambda f: autograd.grad(scalar(f))(X),
    "value and grad": lambda f: autograd.value_and_grad(scalar(f))(X),
    "grad of grad": lambda f: autograd.grad(lambda x: autograd.grad(scalar(f))(x) @ V)(X),
    "vjp": pulled,
    "jvp": lambda f: autograd.make_jvp(f)(X)(V),
    "jacobian": lambda f: autograd.jacobian(f)(X),
    "jacobian of jacobian": lambda f: autograd.jacobian(autograd.jacobian(f))(X),
    "hessian": lambda f: autograd.hessian(scalar(f))(X),
    "product with the Hessian": lambda f: autograd.hessian_vector_product(scalar(f))(X, V),
    "Gauss-Newton product": lambda f: autograd.make_ggnvp(f)(X)(V),
    "forward of reverse": lambda f: autograd.make_jvp(autograd.grad(scalar(f)))(X)(V),
    "checkpoint": lambda f: autograd.grad(scalar(autograd.checkpoint(f)))(X),
    "checkpoint, second order": lambda f: autograd.hessian(scalar(autograd.checkpoint(f)))(X),
}


@pytest.mark.parametrize("of", CALLS.values(), ids=CALLS)
def test_calls(of):
    found, expected = of(called), of(in_autograd)
    if not isinstance(found, tuple):
        found, expected = (found,), (expected,)
    for y, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(y, wanted, rtol=1e-12, atol=1e-12)


def test_third_order():
    """The tape says what is expected: autograd fails on three orders of its own reads."""

    def third(f, sin, grad, hessian):
        return grad(lambda x: hessian(lambda x: sin(f(x)).sum())(x) @ V @ V)(X)

    found = third(called, anp.sin, autograd.grad, autograd.hessian)
    expected = third(program, np.sin, chainrules_tape.grad, chainrules_tape.hessian)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
