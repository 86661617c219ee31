"""Programs that capture values by which an engine differentiates: as if these were arguments."""

from functools import partial

import numpy as np
import pytest

pytest.importorskip("autograd", reason="autograd is not installed (extra: autograd)")
pytest.importorskip("jax", reason="JAX is not installed (extra: jax)")
pytest.importorskip("torch", reason="PyTorch is not installed (extra: torch)")

import autograd
import jax
import jax.numpy as jnp
import torch
from torch.autograd import forward_ad

from chainrules_autograd import to_autograd
from chainrules_jax import to_jax
from chainrules_py import ChainRulesError
from chainrules_tape import as_primitive
from chainrules_torch import to_torch

X, W = np.array([0.5, 1.5, 2.5]), np.array([2.0, -1.0, 3.0])


def program(w, x):
    y = x.copy()
    y[0] = w[1]
    return np.sum(y * y * w) + w @ x


# the gradient and its Jacobian by w, by hand
SLOPE = X + [W[1] ** 2, X[1] ** 2, X[2] ** 2] + [0.0, 2 * W[0] * W[1], 0.0]
CURVATURE = np.array([[0.0, 2 * W[1], 0.0], [2 * W[1], 2 * W[0], 0.0], [0.0, 0.0, 0.0]])


class Model:
    def __init__(self, w):
        self.w = w

    def total(self, x):
        return program(self.w, x)


CAPTURING = {
    "a cell": lambda w: lambda x: program(w, x),
    "a partial": lambda w: partial(program, w),
    "a default": lambda w: lambda x, w=w: program(w, x),
    "an attribute": lambda w: Model(w).total,
    "in a container": lambda w: (lambda parts: lambda x: program(parts["w"][0], x))({"w": [w]}),
}
KINDS = pytest.mark.parametrize("capturing", CAPTURING.values(), ids=CAPTURING)


def close(found, expected):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-6, atol=1e-12)


@KINDS
def test_in_torch(capturing):
    x = torch.tensor(X)

    def of(w):
        return to_torch(capturing(w))(x)

    w = torch.tensor(W, requires_grad=True)
    of(w).backward()
    close(w.grad, SLOPE)
    w = torch.tensor(W)
    close(torch.func.grad(of)(w), SLOPE)
    close(torch.func.hessian(of)(w), CURVATURE)
    close(torch.func.vmap(torch.func.grad(of))(torch.stack([w, w]))[1], SLOPE)
    with forward_ad.dual_level():
        y = of(forward_ad.make_dual(w, torch.ones_like(w)))
        close(forward_ad.unpack_dual(y).tangent, SLOPE.sum())


@KINDS
def test_in_jax(capturing):
    with jax.enable_x64(True):

        def of(w):
            return to_jax(capturing(w))(jnp.asarray(X))

        w = jnp.asarray(W)
        close(jax.grad(of)(w), SLOPE)
        close(jax.jit(jax.grad(of))(w), SLOPE)
        close(jax.jit(jax.hessian(of))(w), CURVATURE)
        close(jax.vmap(jax.grad(of))(jnp.stack([w, w]))[1], SLOPE)
        close(jax.jvp(of, (w,), (jnp.ones(3),))[1], SLOPE.sum())


@KINDS
def test_in_autograd(capturing):
    def of(w):
        return to_autograd(capturing(w))(X)

    close(autograd.grad(of)(W), SLOPE)
    close(autograd.hessian(of)(W), CURVATURE)


def test_declared_shapes_are_those_of_the_arguments():
    def of(w):
        function = to_jax(lambda x: x * w, shapes=lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype))
        return function(jnp.ones(2)).sum()

    assert jax.jit(jax.grad(of))(3.0) == 2.0


def test_what_has_become_one_operation_refuses():
    w = torch.tensor(W, requires_grad=True)
    with pytest.raises(ChainRulesError, match="pass it as an argument"):
        to_torch(as_primitive(lambda x: np.sum(w * x)))(torch.tensor(X))
    with pytest.raises(ChainRulesError, match="pass it as an argument"):
        jax.grad(lambda w: to_jax(as_primitive(lambda x: np.sum(w * x)))(X))(jnp.asarray(W))


def test_a_conversion_to_a_plain_number_is_refused():
    w = torch.tensor(W, requires_grad=True)
    with pytest.raises(ChainRulesError, match="float"):
        to_torch(lambda x: np.sum(x) * float(w[0]))(torch.tensor(X))
