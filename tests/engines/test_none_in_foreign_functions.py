"""Functions of other engines that take or return None: it is no part of a tree of arrays there."""

import numpy as np
import pytest

from chainrules_tape import grad, hessian, jvp, vmap

pytest.importorskip("autograd", reason="autograd is not installed (extra: autograd)")
pytest.importorskip("jax", reason="JAX is not installed (extra: jax)")
pytest.importorskip("torch", reason="PyTorch is not installed (extra: torch)")

from chainrules_autograd import from_autograd
from chainrules_jax import from_jax
from chainrules_torch import from_torch

X = np.array([0.5, 1.0, 2.0])
# what is made of x, as a function of another engine's arrays, of arguments of which x is one
CALLS = {
    "the last argument": (lambda x, mask: x**2, lambda f, x: f(x, None)),
    "the first argument": (lambda mask, x: x**2, lambda f, x: f(None, x)),
    "in a dict": (lambda p: p["x"] ** 2, lambda f, x: f({"mask": None, "x": x})),
    "in a tuple": (lambda p: p[1] ** 2, lambda f, x: f((None, x))),
    "in the value": (lambda x: {"mask": None, "y": x**2}, lambda f, x: f(x)["y"]),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("engine", [from_autograd, from_jax, from_torch])
def test_none_has_no_tangent(engine, call):
    function, called = CALLS[call]
    foreign = engine(function)

    def total(x):
        return np.sum(called(foreign, x))

    np.testing.assert_allclose(grad(total)(X), 2 * X, rtol=1e-6)
    np.testing.assert_allclose(jvp(total, (X,), (X,))[1], 2 * X @ X, rtol=1e-6)
    np.testing.assert_allclose(hessian(total)(X), 2 * np.eye(3), rtol=1e-6)
    rows = np.stack([X, 2 * X])
    np.testing.assert_allclose(vmap(grad(total))(rows), 2 * rows, rtol=1e-6)
