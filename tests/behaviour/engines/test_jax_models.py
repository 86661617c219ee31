"""NumPy programs that contain a function of JAX's: derivatives by our tape, to any order, in the precision of the arguments."""

import numpy as np
import pytest

from chainrules_py import frule, rrule
from chainrules_py.testing import Settings, check_rule

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
tape = pytest.importorskip("chainrules_tape")
chainrules_jax = pytest.importorskip("chainrules_jax")
from_jax = chainrules_jax.from_jax

RNG = np.random.default_rng(0)
PARAMETERS = {"w": RNG.normal(size=(3, 2)), "layers": [RNG.normal(size=2), 0.5]}
X = RNG.normal(size=(2, 3))


def network(parameters, x, power, index):
    h = jnp.tanh(x @ parameters["w"] + parameters["layers"][0]) ** power
    return {"y": h[:, index] * parameters["layers"][1], "index": index}


def loss(model):
    return lambda p, x: np.sum(model(p, x * 2.0, 2, np.array([1, 0]))["y"] ** 2)


def test_a_gradient_of_a_tree_of_parameters():
    f = loss(from_jax(network))
    gradient = tape.grad(f)(PARAMETERS, X)
    step = 1e-6

    def moved(h):
        return {"w": PARAMETERS["w"] + h * np.cos(PARAMETERS["w"]), "layers": [PARAMETERS["layers"][0], 0.5 + h]}

    slope = (f(moved(step), X) - f(moved(-step), X)) / (2 * step)
    assert np.isclose(np.sum(gradient["w"] * np.cos(PARAMETERS["w"])) + gradient["layers"][1], slope, rtol=1e-8)
    assert gradient["w"].dtype == np.float64
    gradient["w"][:] = 0  # nobody else's


def test_both_rules_and_second_order():
    model = from_jax(lambda x, n: jnp.sin(x) * jnp.prod(x) ** n)
    check_rule(model, np.array([0.5, 1.5, -0.7]), 2, settings=Settings(second_order="required"))


def test_complex_functions_in_our_convention():
    model = from_jax(lambda z: jnp.abs(z) ** 2 * z)
    z = np.array([1 + 2j, 0.5 - 0.3j])
    check_rule(model, z, settings=Settings(second_order="required"))
    gradient = tape.grad(lambda z: np.sum(np.real(model(z) * (2 - 1j))))(z)
    step = 1e-6
    for direction in (1, 1j):
        up, down = (np.sum(np.real(model(z + h * direction) * (2 - 1j))) for h in (step, -step))
        assert np.isclose(np.sum(np.real(gradient * np.conj(direction))), (up - down) / (2 * step), rtol=1e-7)


def test_precision_is_that_of_the_arguments():
    model = from_jax(jnp.sin)
    assert not jax.config.jax_enable_x64
    assert model(np.float64(0.3)) == np.sin(0.3)
    assert model(0.3) == np.sin(0.3)
    y, pullback = rrule(model, np.float32(0.3))
    assert (y.dtype, pullback(np.float32(1.0))[0].dtype) == (np.float32, np.float32)
    assert frule((1.0,), model, 0.3)[1] == np.cos(0.3)
    assert not jax.config.jax_enable_x64


def test_nobody_writes_into_a_buffer_of_somebody_else():
    constant = jnp.ones(64)
    identity, fixed = from_jax(lambda x: x), from_jax(lambda x: constant)
    x = np.zeros(64, "float32")
    y, pullback = rrule(identity, x)
    seed = np.ones(64, "float32")
    (x_bar,) = pullback(seed)
    for array in (y, x_bar, fixed(x)):
        array += 7
    assert float(constant[0]) == 1.0
    assert x[0] == 0.0
    assert seed[0] == 1.0


@pytest.mark.parametrize("x", [X[::-1, ::2], np.asfortranarray(X), np.broadcast_to(X, (2, 2, 3)), X[:0], X[0, 0]])
def test_any_layout(x):
    np.testing.assert_allclose(from_jax(jnp.cos)(x), np.cos(x), rtol=1e-14)


def test_it_compiles_once_for_calls_of_one_kind():
    traced = []

    def counted(x):
        traced.append(x)
        return jnp.sin(x)

    gradient = tape.grad(lambda x: np.sum(from_jax_counted(x)))
    from_jax_counted = from_jax(counted)
    for k in range(3):
        gradient(X + k)
    assert len(traced) == 1


def test_our_function_in_a_function_of_jaxs_in_ours():
    inner = chainrules_jax.to_jax(np.tanh)
    outer = from_jax(lambda x: inner(x) * x)
    check_rule(outer, np.array([0.5, -1.5]), settings=Settings(second_order="required"))
