"""Vectors of containers, fixed points and optimizers, against autograd's."""

import numpy as np
import pytest

from chainrules_tape.autograd import grad
from chainrules_tape.autograd.misc import fixed_points, flatten, optimizers
from chainrules_tape.autograd.misc.flatten import flatten_func

theirs = pytest.importorskip("autograd.misc", reason="autograd is not installed")
import autograd  # noqa: E402
import autograd.misc.fixed_points  # noqa: E402
import autograd.misc.optimizers  # noqa: E402

TREE = {"w": np.arange(4.0).reshape(2, 2), "b": (1.5, [np.array([7.0])])}


def test_flattening():
    flat, unflatten = flatten(TREE)
    expected, _ = theirs.flatten(TREE)
    assert np.array_equal(flat, expected)
    back = unflatten(flat + 1)
    assert back["b"][0] == 2.5
    assert np.array_equal(back["w"], TREE["w"] + 1)


def test_gradients_go_through():
    flat, unflatten = flatten(TREE)
    found = grad(lambda v: np.sum(unflatten(v)["w"] ** 2))(flat)
    assert found.tolist() == [0, 0, 0, 2, 4, 6]
    found = grad(lambda tree: np.sum(flatten(tree)[0] ** 2))(TREE)
    assert found["b"][0] == 3.0
    function, _, vector = flatten_func(lambda tree: {"a": tree["w"] * 2}, TREE)
    assert function(vector).tolist() == [0, 2, 4, 6]


def test_fixed_points():
    def newton(a):
        return lambda x: 0.5 * (x + a["a"] / x)

    def root(module):
        return lambda a: module.fixed_point(newton, a, 1.0, lambda x, y: abs(x - y), 1e-12)

    found = grad(root(fixed_points))({"a": 2.0})["a"]
    expected = autograd.grad(root(autograd.misc.fixed_points))({"a": 2.0})["a"]
    assert found == pytest.approx(expected, rel=1e-12)
    assert found == pytest.approx(0.5 / np.sqrt(2.0), rel=1e-12)


@pytest.mark.parametrize("name", ["sgd", "rmsprop", "adam"])
def test_optimizers(name):
    def gradient(x, i):
        return {"a": 2 * (x["a"] - 3.0) + 0.1 * i, "b": x["b"]}

    start = {"a": np.array([1.0, -2.0]), "b": np.ones(1)}
    iterations = []
    found = getattr(optimizers, name)(
        gradient, start, lambda x, i, g: iterations.append(i), num_iters=7
    )
    expected = getattr(autograd.misc.optimizers, name)(gradient, start, num_iters=7)
    np.testing.assert_allclose(found["a"], expected["a"], rtol=1e-13)
    np.testing.assert_allclose(found["b"], expected["b"], rtol=1e-13)
    assert iterations == list(range(7))
