"""The derivatives under autograd's names against autograd's own."""

import numpy as np
import pytest

from chainrules_tape import autograd as ours

theirs = pytest.importorskip("autograd", reason="autograd is not installed (extra: autograd)")
from autograd import differential_operators as of_theirs  # noqa: E402

X = np.array([0.3, -0.7, 1.2])
V = np.array([1.0, -2.0, 0.5])
W = np.array([0.2, 0.9, -0.4])


def number(x, w=W):
    return np.sum(np.sin(x) * w * x)


def vector(x, w=W):
    return np.exp(x) * w + x[::-1] ** 2


def one_entry(x):
    return np.sum(np.exp(x), keepdims=True)


CASES = {
    "grad": lambda a: a.grad(number)(X),
    "grad by both": lambda a: a.grad(number, argnum=(0, 1))(X, W),
    "grad with an option": lambda a: a.grad(number)(X, w=2 * W),
    "grad of one entry": lambda a: a.grad(one_entry)(X),
    "grad of a constant": lambda a: a.grad(lambda x: 3.0)(X),
    "grad of integers": lambda a: a.grad(lambda x: np.sum(x * 1.5 * x))(np.arange(3)),
    "grad of a complex argument": lambda a: a.grad(lambda z: np.abs(z**3).sum())(X + 1j * V),
    "value and gradient": lambda a: a.value_and_grad(number)(X),
    "elementwise": lambda a: a.elementwise_grad(lambda x: np.exp(x) * x)(X),
    "deriv": lambda a: a.deriv(np.sin)(X),
    "jacobian": lambda a: a.jacobian(vector)(X),
    "jacobian by the second": lambda a: a.jacobian(vector, 1)(X, W),
    "hessian": lambda a: a.hessian(number)(X),
    "hessian of a vector": lambda a: a.hessian(vector)(X),
    "holomorphic": lambda a: a.holomorphic_grad(lambda z: z**3)(1.0 + 2.0j),
    "make_vjp": lambda a: (a.make_vjp(vector)(X)[0](V), a.make_vjp(vector)(X)[1]),
    "make_jvp": lambda a: a.make_jvp(vector)(X)(V),
    "make_hvp": lambda a: a.make_hvp(number)(X)[0](V),
    "make_ggnvp": lambda a: a.make_ggnvp(vector)(X)(V),
    "make_ggnvp of a loss": lambda a: a.make_ggnvp(
        lambda w, x: vector(x) * w, g=lambda y: np.sum(np.exp(y)), f_argnum=1
    )(W, X)(V),
    "hessian_vector_product": lambda a: a.hessian_vector_product(number)(X, V),
    "hessian_tensor_product": lambda a: a.hessian_tensor_product(number, 1)(X, W, V),
    "vector_jacobian_product": lambda a: a.vector_jacobian_product(vector)(X, V),
    "hessian_vector_product of the second": lambda a: a.hessian_vector_product(number, argnum=1)(
        X, W, V
    ),
    "vector_jacobian_product of the second": lambda a: a.vector_jacobian_product(vector, argnum=1)(
        X, W, V
    ),
    "tensor_jacobian_product of the second": lambda a: a.tensor_jacobian_product(vector, argnum=1)(
        X, W, V
    ),
    "grad_named": lambda a: a.grad_named(number, "w")(X, W),
    "grad_and_aux": lambda a: a.grad_and_aux(lambda x: (np.sum(x * x), x * 2))(X),
}


@pytest.mark.filterwarnings("ignore:Output seems independent")
@pytest.mark.parametrize("case", CASES)
def test_numbers_and_shapes_are_autograds(case):
    found, expected = CASES[case](ours), CASES[case](theirs)
    compare(found, expected)


def compare(found, expected):
    if isinstance(expected, tuple | list):
        for one, other in zip(found, expected, strict=True):
            compare(one, other)
    elif isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key in expected:
            compare(found[key], expected[key])
    else:
        assert np.shape(found) == np.shape(expected)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


def test_the_jacobian_of_a_number_is_its_gradient_to_the_bit():
    def of_a_number(x):
        return (1.0 - x[0]) ** 2 + 5.0 * (x[1] - x[0] ** 2) ** 2

    for x in np.random.default_rng(1).standard_normal((50, 2)):
        assert np.array_equal(ours.jacobian(of_a_number)(x), ours.grad(of_a_number)(x))


def test_a_product_in_reverse_mode():
    product = of_theirs.make_jvp_reversemode(vector)(X)
    found = ours.differential_operators.make_jvp_reversemode(vector)(X)(V)
    np.testing.assert_allclose(found, product(V), rtol=1e-13)


def test_gradients_by_all_arguments():
    found = ours.multigrad_dict(lambda x, w: number(x, w * w))(X, W)
    assert list(found) == ["x", "w"]
    np.testing.assert_allclose(found["x"], theirs.grad(number)(X, W * W))


@pytest.mark.parametrize("y", [lambda x: x, lambda x: np.sum(x) * 1j])
def test_what_is_no_real_number_is_refused(y):
    with pytest.raises(TypeError, match="no real number"):
        ours.grad(y)(X)


def test_a_complex_result_has_no_elementwise_gradient():
    with pytest.raises(TypeError, match="holomorphic_grad"):
        ours.elementwise_grad(lambda x: x * 1j)(X)


def test_an_argument_is_named_by_its_position():
    with pytest.raises(TypeError, match="position"):
        ours.grad(number, "w")


@pytest.mark.filterwarnings("ignore:Output seems independent")
@pytest.mark.parametrize("f", [lambda x: np.allclose(x, 0), np.argmax, lambda x: np.any(x > 0)])
def test_a_result_that_is_no_float_has_no_gradient(f):
    with pytest.raises(TypeError, match="return a float"):
        ours.grad(f)(X)
    with pytest.raises(TypeError):
        theirs.grad(f)(X)
