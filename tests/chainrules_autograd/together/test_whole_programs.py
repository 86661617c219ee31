"""Whole NumPy programs under all that autograd does with functions, next to the same program in
autograd's words.
"""

import autograd
import autograd.numpy as anp
import numpy as np
import pytest
from autograd.test_util import check_grads

import chainrules_tape
from chainrules_autograd import to_autograd
from chainrules_py import NoRuleError
from chainrules_tape import LostGradientError, as_primitive
from whole_programs import InWordsOf, V, X, converted, parts, program, rotated, without_rule

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


def test_differences():
    check_grads(called, modes=["rev", "fwd"], order=2)(X)


def test_containers_and_several_results():
    weights = {"w": (V[1:], np.ones(2)), "b": 0.5}
    found, expected = (
        autograd.grad(words.loss(f), (0, 1, 2))(X, weights, 2.0)
        for f in (to_autograd(parts), words.parts)
    )
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)
    np.testing.assert_allclose(found[1]["w"][0], expected[1]["w"][0], rtol=1e-12)
    np.testing.assert_allclose(found[1]["w"][1], 0 * expected[1]["w"][1])
    np.testing.assert_allclose(found[1]["b"], expected[1]["b"], rtol=1e-12)
    np.testing.assert_allclose(found[2], expected[2], rtol=1e-12)


def test_complex_numbers():
    z = X[:3] + 1j * V[:3]
    found, expected = (autograd.grad(f)(z) for f in (to_autograd(rotated), words.rotated))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_it_says_that_there_is_no_rule():
    assert "no rule: the whole program, by the tape" in called.explain(X)
    explained = to_autograd(as_primitive(program, seen_through=["math"])).explain(X)
    assert "seen through: math" in explained


@pytest.mark.parametrize("refused", [without_rule, converted])
@pytest.mark.parametrize("mode", [autograd.grad, lambda f: autograd.make_jvp(f)(X)])
def test_what_the_tape_refuses_is_raised_by_the_call(refused, mode):
    f = to_autograd(refused)
    f(X)  # which has a value all the same
    with pytest.raises((LostGradientError, NoRuleError)):
        mode(f)(X)
