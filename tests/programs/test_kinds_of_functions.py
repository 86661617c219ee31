"""Every kind of callable with every derivative, and with what may be around it: one answer."""

import pickle
from functools import partial, wraps

import numpy as np
import pytest

from chainrules_tape import (
    as_primitive,
    checkpoint,
    compiled,
    grad,
    hessian,
    higher_derivatives,
    jacobian,
    jvp,
    linearize,
    seen_through,
    taylor,
    value_and_grad,
    vjp,
    vmap,
)

W = np.array([1.0, 2.0, 3.0])


def f(x):
    return np.sum(np.sin(x) * x * W)


def weighted(w, x):
    return np.sum(np.sin(x) * x * w)


class Model:
    w = W

    def method(self, x):
        return weighted(self.w, x)

    @staticmethod
    def static(x):
        return weighted(W, x)

    @classmethod
    def of_class(cls, x):
        return weighted(cls.w, x)

    @seen_through
    def seen(self, x):
        return weighted(self.w, x)

    @compiled
    def compiled(self, x):
        return weighted(self.w, x)

    @checkpoint
    def checkpointed(self, x):
        return weighted(self.w, x)

    def __call__(self, x):
        return weighted(self.w, x)


@wraps(f)
def decorated(*args):
    return f(*args)


AROUND = {
    "nothing": lambda g: g,
    "seen_through": seen_through,
    "checkpoint": checkpoint,
    "compiled": compiled,
    "as_primitive": as_primitive,
    "checkpoint of seen": lambda g: checkpoint(seen_through(g)),
    "seen checkpoint": lambda g: seen_through(checkpoint(g)),
    "compiled checkpoint": lambda g: compiled(checkpoint(g)),
    "compiled seen": lambda g: compiled(seen_through(g)),
}
FUNCTIONS = {
    "function": f,
    "local": lambda x: f(x),
    "partial": partial(weighted, W),
    "partial of seen": partial(seen_through(weighted), W),
    "object": Model(),
    "decorated": decorated,
} | {name: getattr(Model(), name) for name in vars(Model) if not name.startswith(("_", "w"))}

X, T = np.array([0.3, 0.7, 1.1]), np.array([1.0, -1.0, 0.5])
MANY = np.stack([X, 2.0 * X, X + 1.0])
SLOPE = W * (np.cos(X) * X + np.sin(X))
SLOPES = W * (np.cos(MANY) * MANY + np.sin(MANY))
CURVES = np.diag(W * (2.0 * np.cos(X) - X * np.sin(X)))


def third_call(g, x):
    step = compiled(g)
    return [step(x) for _ in range(3)][-1]


DERIVATIVES = {
    "value": (lambda g: g(X), f(X)),
    "grad": (lambda g: grad(g)(X), SLOPE),
    "value_and_grad": (lambda g: value_and_grad(g)(X)[1], SLOPE),
    "vjp": (lambda g: vjp(g, X)[1](1.0)[0], SLOPE),
    "jvp": (lambda g: jvp(g, (X,), (T,))[1], SLOPE @ T),
    "linearize": (lambda g: linearize(g, X)[1](T), SLOPE @ T),
    "taylor": (lambda g: taylor(g, X, 1, T)[1], SLOPE @ T),
    "higher": (lambda g: higher_derivatives(lambda s: g(X + s * T), 0.0, 2)[2], T @ CURVES @ T),
    "jacobian": (lambda g: jacobian(g)(X), SLOPE),
    "forward": (lambda g: jacobian(g, mode="forward")(X), SLOPE),
    "hessian": (lambda g: hessian(g)(X), CURVES),
    "sparse": (lambda g: hessian(g, sparse=True)(X).toarray(), CURVES),
    "forward over reverse": (lambda g: jvp(grad(g), (X,), (T,))[1], CURVES @ T),
    "reverse over reverse": (lambda g: grad(lambda z: np.sum(grad(g)(z) * T))(X), CURVES @ T),
    "vmap": (lambda g: vmap(g)(MANY), np.array([f(x) for x in MANY])),
    "vmap of grad": (lambda g: vmap(grad(g))(MANY), SLOPES),
    "grad of vmap": (lambda g: grad(lambda z: np.sum(vmap(g)(z)))(MANY), SLOPES),
    "chunks": (lambda g: vmap(grad(g), chunk_size=2)(MANY), SLOPES),
    "compiled": (lambda g: third_call(grad(g), X), SLOPE),
    "compiled vmap": (lambda g: third_call(vmap(grad(g)), MANY), SLOPES),
    "has_aux": (lambda g: grad(lambda z: (g(z), z), has_aux=True)(X)[0], SLOPE),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_all_derivatives(name, around):
    g = around(FUNCTIONS[name])
    found = {each: derivative(g) for each, (derivative, _) in DERIVATIVES.items()}
    for each, (_, expected) in DERIVATIVES.items():
        np.testing.assert_allclose(found[each], expected, rtol=1e-9, atol=1e-12, err_msg=each)


@pytest.mark.parametrize("name", ["function", "partial", "object", "method", "of_class"])
@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
def test_pickles(name, around):
    g = around(FUNCTIONS[name])
    np.testing.assert_allclose(grad(pickle.loads(pickle.dumps(g)))(X), SLOPE)
