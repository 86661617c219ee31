"""Functions that nobody marked as primitive and that take NumPy's arrays only, to third order in
each engine.
"""

import numpy as np
import pytest

from chainrules_py import scalar_rule

X = np.array([0.3, 0.7])


def by_asarray(x):
    return np.asarray(x, dtype=float) ** 3


def by_float(x):
    return np.array([float(entry) ** 3 for entry in np.ravel(x)]).reshape(np.shape(x))


def by_its_value(x):
    return np.asarray(x, dtype=float) ** 3


scalar_rule(by_asarray, "x", "3*x**2")
scalar_rule(by_float, "x", "3*x**2")
scalar_rule(by_its_value, "x", "3*cbrt(out)**2")
FUNCTIONS = [by_asarray, by_float, by_its_value]
MODES = [
    "reverse reverse",
    "forward reverse",
    "reverse forward",
    "forward forward",
    "reverse reverse reverse",
]
WANTED = {2: np.diag(6 * X), 3: np.array([[[6.0, 0], [0, 0]], [[0, 0], [0, 6.0]]])}


def derivative(function, modes, transforms):
    """The derivative of the sum of a function in these modes, the last one first."""
    for mode in reversed(modes.split()):
        function = transforms[mode](function)
    return function


@pytest.mark.parametrize("modes", MODES)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_in_torch(function, modes):
    torch = pytest.importorskip("torch", reason="torch is not installed (extra: torch)")
    from chainrules_torch import to_torch

    called, transforms = (
        to_torch(function),
        {
            "reverse": torch.func.jacrev,
            "forward": torch.func.jacfwd,
        },
    )
    found = derivative(lambda x: called(x).sum(), modes, transforms)(torch.tensor(X))
    np.testing.assert_allclose(found, WANTED[len(modes.split())], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_in_backward_passes_of_torch(function):
    torch = pytest.importorskip("torch", reason="torch is not installed (extra: torch)")
    from chainrules_torch import to_torch

    x = torch.tensor(X, requires_grad=True)
    (slope,) = torch.autograd.grad(to_torch(function)(x).sum(), x, create_graph=True)
    (curvature,) = torch.autograd.grad(slope.sum(), x)
    np.testing.assert_allclose(curvature, 6 * X, rtol=1e-12)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("modes", MODES)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_in_jax(function, modes):
    jax = pytest.importorskip("jax", reason="jax is not installed (extra: jax)")
    from chainrules_jax import to_jax

    with jax.enable_x64(True):
        transforms = {"reverse": jax.jacrev, "forward": jax.jacfwd}
        found = derivative(lambda x: to_jax(function)(x).sum(), modes, transforms)(
            jax.numpy.asarray(X)
        )
        np.testing.assert_allclose(found, WANTED[len(modes.split())], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("modes", MODES[:1] + MODES[-1:])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_in_autograd(function, modes):
    autograd = pytest.importorskip("autograd", reason="autograd is not installed (extra: autograd)")
    from chainrules_autograd import to_autograd

    found = derivative(
        lambda x: to_autograd(function)(x).sum(), modes, {"reverse": autograd.jacobian}
    )(X)
    np.testing.assert_allclose(found, WANTED[len(modes.split())], rtol=1e-12, atol=1e-14)
