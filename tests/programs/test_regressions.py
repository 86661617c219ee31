"""What random programs found: each its own program, cut down to what failed."""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import grad, jacobian, jvp, vjp

X = np.array([0.5, -1.5])


@pytest.mark.parametrize("index", [(), ..., None, (None, None)], ids=repr)
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_index_of_a_numpy_scalar(index, mode):
    # np.sum makes a NumPy scalar, not an array, and NumPy indexes those as well
    found = jacobian(lambda x: np.sum(x**2)[index], mode=mode)(X)
    np.testing.assert_allclose(np.reshape(found, 2), 2 * X)


def test_integral_of_no_samples():
    (bar,) = vjp(np.trapezoid, np.ones((2, 0)))[1](np.ones(2))
    assert bar.shape == (2, 0)


@pytest.mark.parametrize("prototype", [np.zeros(2), np.zeros((3, 1))], ids=["vector", "matrix"])
def test_filling_a_plain_prototype_with_a_traced_value(prototype):
    found = grad(lambda x: np.sum(tnp.full_like(prototype, x * x)))(3.0)
    assert found == 6.0 * prototype.size


@pytest.mark.parametrize("f", [np.sum, np.mean, np.trace], ids=lambda f: f.__name__)
def test_real_values_summed_as_complex(f):
    x = np.outer(X, X)
    y, pullback = vjp(lambda x: f(x, dtype=np.complex128), x)
    # the tangent space of a real argument is real: the imaginary part has no influence
    (bar,) = pullback(2.0 + 3.0j)
    weight = {"sum": np.ones((2, 2)), "mean": np.full((2, 2), 0.25), "trace": np.eye(2)}[f.__name__]
    assert bar.dtype == np.float64
    np.testing.assert_allclose(bar, 2.0 * weight)


@pytest.mark.parametrize("z", [0.6 - 0.8j, np.complex128(3 + 4j)], ids=["Python", "NumPy"])
def test_size_of_a_complex_number(z):
    assert grad(np.abs)(z) == pytest.approx(z / abs(z))


def test_plain_lists_among_joined_values():
    _, y_dot = jvp(lambda x: np.concatenate([[0.0], x, [1.0, 2.0]]), (X,), (X,))
    np.testing.assert_array_equal(y_dot, [0.0, *X, 0.0, 0.0])
    _, pullback = vjp(lambda x: np.concatenate([[0.0], x, [1.0, 2.0]]), X)
    np.testing.assert_array_equal(pullback(np.arange(5.0))[0], [1.0, 2.0])


@pytest.mark.parametrize(
    "join", [np.concatenate, np.hstack, np.stack, np.vstack], ids=lambda f: f.__name__
)
def test_traced_numbers_in_lists_among_joined_values(join):
    def f(x):
        return join([[x[0], 3.0], x * x, (x[1], x[0] * x[1])])

    h = 1e-6
    expected = np.stack([(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(2)], axis=-1)
    for mode in ("forward", "reverse"):
        np.testing.assert_allclose(jacobian(f, mode=mode)(X), expected, atol=1e-8)
    found = jacobian(grad(lambda x: np.sum(f(x) ** 2)))(X)
    np.testing.assert_allclose(found, found.T, rtol=1e-12)
