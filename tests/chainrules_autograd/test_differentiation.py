"""Pullbacks and pushforwards of functions written in autograd's NumPy: trees, constants, both
conventions.
"""

import autograd.numpy as anp
import numpy as np
import pytest

from chainrules_autograd.differentiation import jvp, vjp
from chainrules_py import NO_TANGENT, ZERO, NotDifferentiableError, SeedError

rng = np.random.default_rng(0)
params = {"w": rng.normal(size=(2, 3)), "b": [0.5, 7]}


def model(p, x):
    return {"y": anp.tanh(anp.dot(p["w"], x)) * p["b"][0], "n": p["b"][1], "x": x}


def directional(f, args, dots, step=1e-6):
    moved = [f(*(a + s * step * d for a, d in zip(args, dots, strict=True))) for s in (1, -1)]
    return (moved[0] - moved[1]) / (2 * step)


def test_both_modes_of_a_function_of_trees():
    x, x_dot, y_bar = rng.normal(size=3), rng.normal(size=3), rng.normal(size=2)
    y, pullback = vjp(model, params, x)
    assert y["n"] == 7
    p_bar, x_bar = pullback({"y": y_bar, "n": NO_TANGENT, "x": ZERO})
    assert p_bar["b"][1] is NO_TANGENT
    slope = directional(lambda x: y_bar @ model(params, x)["y"], (x,), (x_dot,))
    assert np.isclose(x_bar @ x_dot, slope)
    y, y_dot = jvp(model, (params, x), ({"w": ZERO, "b": [0.0, NO_TANGENT]}, x_dot))
    assert np.isclose(y_bar @ y_dot["y"], slope)
    assert y_dot["x"].tolist() == x_dot.tolist()


def test_a_function_of_nothing_differentiable_is_constant():
    y, pullback = vjp(lambda n: {"n": n + 1.0}, 3)
    assert y == {"n": 4.0}
    assert pullback({"n": 1.0}) == (NO_TANGENT,)
    assert jvp(lambda n: n + 1.0, (3,), (NO_TANGENT,)) == (4.0, 0.0)


def test_a_constant_function_has_zero_derivatives_without_a_warning():
    assert vjp(lambda x: 1.0, np.ones(2))[1](1.0)[0].tolist() == [0.0, 0.0]
    assert jvp(lambda x: 1.0, (np.ones(2),), (np.ones(2),)) == (1.0, 0.0)


def test_the_gradient_of_a_real_loss_is_dx_plus_i_dy():
    z = np.array([1 + 2j])
    assert np.allclose(vjp(lambda z: anp.sum(anp.abs(z) ** 2), z)[1](1.0)[0], 2 * z)


def test_float32_stays_float32():
    x = np.ones(2, dtype=np.float32)
    y, pullback = vjp(lambda x: anp.sin(x) * x, x)
    assert pullback(x)[0].dtype == y.dtype == np.float32
    assert jvp(anp.sin, (x,), (x,))[1].dtype == np.float32


def test_a_cotangent_that_is_too_large_is_refused():
    with pytest.raises(SeedError):
        vjp(anp.sin, np.ones(2))[1](np.ones((3, 2)))


def test_what_numpy_hides_from_autograd_is_refused():
    with pytest.raises(NotDifferentiableError, match=r"autograd.numpy"):
        vjp(lambda x: np.flip(np.array([x[0], x[1]])) * 2.0, np.ones(2))
