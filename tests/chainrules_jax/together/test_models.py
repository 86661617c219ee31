"""NumPy programs that contain a function of JAX's: derivatives by our tape, to any order, in the
precision of the arguments.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import chainrules_jax
import chainrules_tape as tape
from chainrules_py import NoRuleError, RuleTable, default_rules, frule, rrule
from chainrules_py.testing import Settings, check_rule

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
        return {
            "w": PARAMETERS["w"] + h * np.cos(PARAMETERS["w"]),
            "layers": [PARAMETERS["layers"][0], 0.5 + h],
        }

    slope = (f(moved(step), X) - f(moved(-step), X)) / (2 * step)
    assert np.isclose(
        np.sum(gradient["w"] * np.cos(PARAMETERS["w"])) + gradient["layers"][1], slope, rtol=1e-8
    )
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
        assert np.isclose(
            np.sum(np.real(gradient * np.conj(direction))), (up - down) / (2 * step), rtol=1e-7
        )


def test_precision_is_that_of_the_arguments():
    model = from_jax(jnp.sin)
    assert not jax.config.jax_enable_x64
    assert model(np.float64(0.3)) == np.sin(0.3)
    assert model(0.3) == np.sin(0.3)
    y, pullback = rrule(model, np.float32(0.3))
    assert (y.dtype, pullback(np.float32(1.0))[0].dtype) == (np.float32, np.float32)
    assert frule((1.0,), model, 0.3)[1] == np.cos(0.3)
    assert not jax.config.jax_enable_x64


N = 1 << 16


def aligned(value=0.0, dtype="float64"):
    """An array so large and at such an address that JAX takes it over without a copy."""
    memory = np.zeros(N * 8 + 64, np.uint8)
    start = -memory.ctypes.data % 64
    array = memory[start : start + N * np.dtype(dtype).itemsize].view(dtype)
    array[:] = value
    return array


def test_values_may_be_written_and_are_nobody_elses():
    constant = jnp.ones(64)
    identity, fixed = from_jax(lambda x: x), from_jax(lambda x: constant)
    x = aligned(0.0, "float32")
    for array in (identity(x), rrule(identity, x)[0], frule((x,), identity, x)[0], fixed(x)):
        array += 7
    assert float(constant[0]) == 1.0
    assert x[0] == 0.0


def test_tangents_are_not_the_memory_of_what_jax_was_given():
    identity, x, seed = from_jax(lambda x: x), aligned(0.0, "float32"), aligned(0.0, "float32")
    (x_bar,), x_dot = rrule(identity, x)[1](seed), frule((seed,), identity, x)[1]
    seed[:] = 5
    assert not x_bar.any()
    assert not x_dot.any()


def test_a_pullback_after_its_seed_and_value_were_written():
    model, x = from_jax(jnp.tanh), aligned(0.5)
    y, pullback = rrule(model, x)
    y[:] = 3.0
    seed = aligned(1.0)
    (first,) = pullback(seed)
    kept = first.copy()
    seed[:] = 7.0
    np.testing.assert_array_equal(first, kept)
    np.testing.assert_allclose(first, 1 - np.tanh(0.5) ** 2, rtol=1e-14)


def test_arguments_go_in_without_a_copy_and_cotangents_come_out_without_one():
    x = aligned()
    given = []

    class Seen(chainrules_jax.foreign.FromJax):
        @property
        def _value(self):
            def noted(laid):
                given.extend(leaf.unsafe_buffer_pointer() for leaf in laid.floating)
                return laid

            return noted

    Seen(jnp.sin, "seen").evaluate(x)
    assert given == [x.ctypes.data]
    (x_bar,) = rrule(from_jax(jnp.sin), x)[1](np.ones(N))
    assert not x_bar.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        x_bar += 1


def test_gradients_by_the_tape_may_be_written():
    model, x = from_jax(jnp.sin), aligned()
    gradient = tape.grad(lambda x: np.sum(model(x)))(x)
    gradient += 1
    np.testing.assert_array_equal(gradient, 2.0)


def test_what_is_written_meanwhile_is_not_read():
    model = from_jax(lambda x, c: jnp.sin(x) * c * x)

    def program(x):
        buffer, constant = np.zeros(N) + x, aligned(2.0)
        y = model(buffer, constant)
        buffer[:], constant[:] = 7.0, 9.0
        return np.sum(y * buffer)

    x = aligned(0.5)
    slope = (program(x + 1e-6) - program(x - 1e-6)) / 2e-6 / N
    np.testing.assert_allclose(tape.grad(program)(x), slope, rtol=1e-7)


@pytest.mark.parametrize(
    "f", [lambda x, c: x * c, lambda x, c: x @ c.reshape(-1), lambda x, c: jnp.where(c > 1, x, c)]
)
def test_a_pullback_keeps_nothing_of_the_memory_of_its_arguments(f):
    x, c = aligned(0.5), aligned(2.0)
    y, pullback = rrule(from_jax(f), x, c)
    expected = [x_bar.copy() for x_bar in pullback(np.ones_like(y))]
    x[:], c[:] = 7.0, 0.0
    for found, x_bar in zip(pullback(np.ones_like(y)), expected, strict=True):
        np.testing.assert_array_equal(found, x_bar)


@pytest.mark.parametrize(
    "x", [X[::-1, ::2], np.asfortranarray(X), np.broadcast_to(X, (2, 2, 3)), X[:0], X[0, 0]]
)
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


def test_its_rules_are_registered_with_a_table_of_ones_own():
    table = RuleTable(parent=default_rules, name="own")
    model = from_jax(jnp.sin, rules=table)
    np.testing.assert_allclose(tape.grad(lambda x: np.sum(model(x)), rules=table)(X), np.cos(X))
    with pytest.raises(NoRuleError):
        rrule(model, X)


def test_keys_of_random_numbers():
    noisy = from_jax(lambda x, key: x * jax.random.normal(key, x.shape, x.dtype))
    x, key = np.ones(3), jax.random.key(0)
    for given in (key, np.asarray(jax.random.key_data(key))):
        y, pullback = rrule(noisy, x, given)
        assert pullback(np.ones(3))[0].tolist() == y.tolist()
    with pytest.raises(TypeError, match="key_data"):
        noisy(x, key)
