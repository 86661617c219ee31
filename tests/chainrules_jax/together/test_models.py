"""NumPy programs that contain a function of JAX's: derivatives by our tape, to any order, in the
precision of the arguments.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import chainrules_jax
import chainrules_tape as tape
from chainrules_py import rrule
from slopes import quotients

from_jax = chainrules_jax.from_jax

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 3))


N = 1 << 16


def aligned(value=0.0, dtype="float64"):
    """An array so large and at such an address that JAX takes it over without a copy."""
    memory = np.zeros(N * 8 + 64, np.uint8)
    start = -memory.ctypes.data % 64
    array = memory[start : start + N * np.dtype(dtype).itemsize].view(dtype)
    array[:] = value
    return array


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
    slope = quotients(lambda t: program(x + t), 0.0) / N
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


def test_keys_of_random_numbers():
    noisy = from_jax(lambda x, key: x * jax.random.normal(key, x.shape, x.dtype))
    x, key = np.ones(3), jax.random.key(0)
    for given in (key, np.asarray(jax.random.key_data(key))):
        y, pullback = rrule(noisy, x, given)
        assert pullback(np.ones(3))[0].tolist() == y.tolist()
    with pytest.raises(TypeError, match="key_data"):
        noisy(x, key)
