"""Programs that capture values by which an engine differentiates: as if these were arguments."""

from functools import partial

import numpy as np
import pytest

from chainrules_py import ChainRulesError
from chainrules_tape import as_primitive
from engines_by_name import ADAPTERS, ENGINES, close, each_adapter, ways_of

pytestmark = pytest.mark.usefixtures("double_precision")

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


@pytest.mark.one_in(2)
@ways_of(ADAPTERS, ("forward reverse",))
@pytest.mark.parametrize("capturing", CAPTURING.values(), ids=CAPTURING)
def test_derivatives_by_what_is_captured(engine, way, capturing):
    def of(w):
        return engine.to(capturing(w))(engine.array(X))

    derivative, w = engine.tower(way, of), engine.array(W)
    expected = SLOPE if way != "forward reverse" else CURVATURE
    close(derivative(w), expected)
    if engine.vmap and way != "backward":
        close(engine.vmap(derivative)(engine.xp.stack([w, w]))[1], expected)


@each_adapter
def test_what_refuses(engine):
    def differentiated(f):
        return engine.modes["reverse"](f)(engine.array(W))

    if engine is not ENGINES.get("autograd"):
        with pytest.raises(ChainRulesError, match="pass it as an argument"):
            differentiated(lambda w: engine.to(as_primitive(lambda x: np.sum(w * x)))(X))
    with pytest.raises(ChainRulesError, match="float"):
        differentiated(lambda w: engine.to(lambda x: np.sum(x) * float(w[0]))(engine.array(X)))


def test_declared_shapes_are_those_of_the_arguments():
    jax = pytest.importorskip("jax")

    def of(w):
        shapes = {"shapes": lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype)}
        return ENGINES["jax"].to(lambda x: x * w, **shapes)(jax.numpy.ones(2)).sum()

    assert jax.jit(jax.grad(of))(3.0) == 2.0
