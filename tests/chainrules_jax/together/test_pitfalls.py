"""What goes wrong where rules meet JAX: buffers that somebody writes into, rounding, conjugates,
integers, empty arrays.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from chainrules_py import Array, scalar_rule
from stand_ins import jax_calls as calls

to_jax, on_host, X = calls.to_jax, calls.on_host, calls.X


# --- Buffers ---


def test_a_cotangent_may_be_the_seed_itself(rules):
    def both(x, y):
        return on_host(x) + on_host(y)

    @rules.rrule.register(both)
    def both_rrule(x: Array, y: Array):
        return both(x, y), lambda bar: (bar, bar)

    seed = jnp.asarray(X)
    x_bar, y_bar = jax.vjp(to_jax(both, rules), seed, seed)[1](seed)
    np.testing.assert_array_equal(x_bar, X)
    np.testing.assert_array_equal(y_bar, X)


def test_who_writes_into_an_argument_writes_into_nobodys_array(rules):
    def doubled(x):
        x = on_host(x)
        x *= 2
        return x

    @rules.rrule.register(doubled)
    def doubled_rrule(x: Array):
        return doubled(x), lambda y_bar: (2 * y_bar,)

    x, seed = jnp.asarray(X), jnp.ones(3)
    for f in (to_jax(doubled, rules), jax.jit(to_jax(doubled, rules))):
        y, pullback = jax.vjp(f, x)
        np.testing.assert_array_equal(pullback(seed)[0], [2, 2, 2])
        np.testing.assert_array_equal(y, 2 * X)
        np.testing.assert_array_equal(x, X)
        np.testing.assert_array_equal(seed, [1, 1, 1])


def test_who_writes_by_dlpack_writes_into_nobodys_array(rules):
    def doubled(x):
        view = np.from_dlpack(on_host(x))
        view *= 2
        return view

    scalar_rule(doubled, "x", "2", table=rules)
    x = jnp.asarray(X)
    for f in (to_jax(doubled, rules), jax.jit(to_jax(doubled, rules))):
        np.testing.assert_array_equal(f(x), 2 * X)
        np.testing.assert_array_equal(jax.grad(lambda x, f=f: f(x).sum())(x), [2, 2, 2])
        np.testing.assert_array_equal(x, X)


def test_a_buffer_that_is_used_again_is_copied(rules):
    buffer = np.zeros(64, "float32")

    def filled(x):
        buffer[:] = on_host(x)
        return buffer

    for f in (to_jax(filled, rules), jax.jit(to_jax(filled, rules))):
        first, second = f(1.0).block_until_ready(), f(2.0).block_until_ready()
        assert float(first[0]) == 1.0
        assert float(second[0]) == 2.0


@pytest.mark.parametrize(
    "x", [np.asfortranarray(np.outer(X, X)), np.outer(X, X)[::-1, ::2], np.broadcast_to(X, (2, 3))]
)
def test_any_layout(x):
    np.testing.assert_allclose(to_jax(np.tanh)(x), np.tanh(x), rtol=1e-6)


# --- Numbers ---


def test_a_random_cotangent_meets_each_factor(rules):
    def scaled(x):
        return 3 * on_host(x)

    scalar_rule(scaled, "x", "3", table=rules)
    np.testing.assert_allclose(
        jax.vjp(to_jax(scaled, rules), jnp.asarray(X))[1](jnp.cos(X))[0], 3 * np.cos(X), rtol=1e-6
    )


def test_without_x64_doubles_are_rounded_at_the_end(rules):
    def third(x):
        return np.float64(on_host(x)) / 3

    scalar_rule(third, "x", "1/3", table=rules)
    y, gradient = jax.jit(jax.value_and_grad(to_jax(third, rules)))(np.float64(1.0))
    assert (y.dtype, gradient.dtype) == ("float32", "float32")
    assert float(y) == np.float32(1 / 3)
    with jax.enable_x64(True):
        assert float(jax.jit(to_jax(third, rules))(np.float64(1.0))) == 1 / 3


def test_complex_gradients_are_jaxs(rules):
    def cubed(z):
        return on_host(z) ** 3

    @rules.rrule.register(cubed)
    def cubed_rrule(z: Array):
        return cubed(z), lambda bar: (bar * np.conj(3 * z**2),)

    z = jnp.asarray([1 + 2j, 0.5 - 1j], "complex64")

    def loss(f):
        return lambda z: jnp.real(jnp.sum((2 - 1j) * f(z)))

    expected = jax.grad(loss(lambda z: z**3))(z)
    np.testing.assert_allclose(jax.grad(loss(to_jax(cubed, rules)))(z), expected, rtol=1e-5)
    np.testing.assert_allclose(
        jax.jvp(to_jax(cubed, rules), (z,), (1j * z,))[1], 3j * z**3, rtol=1e-5
    )
    assert loss(to_jax(np.abs))(z).dtype == "float32"
    np.testing.assert_allclose(
        jax.grad(loss(to_jax(np.abs)))(z), jax.grad(loss(jnp.abs))(z), rtol=1e-5
    )


def test_integers_have_no_tangent():
    x, index = jnp.asarray(X), jnp.array([2, 0])
    x_bar, index_bar = jax.vjp(lambda x, i: to_jax(np.take)(x, i), x, index)[1](
        jnp.array([1.0, 5.0])
    )
    np.testing.assert_array_equal(x_bar, [5, 0, 1])
    assert index_bar.dtype == jax.dtypes.float0
    dots = (jnp.ones(3), np.zeros(2, jax.dtypes.float0))
    np.testing.assert_array_equal(
        jax.jvp(lambda x, i: to_jax(np.take)(x, i), (x, index), dots)[1], [1, 1]
    )
    y, y_dot = jax.jvp(to_jax(np.argmax), (x,), (x,))
    assert (int(y), y_dot.dtype) == (2, jax.dtypes.float0)


@pytest.mark.parametrize("x", [np.zeros((0, 2), "float32"), np.float32(0.5)], ids=["empty", "0-d"])
def test_empty_and_0d(rules, x):
    def flipped(x):
        return -on_host(x)

    scalar_rule(flipped, "x", "-1", table=rules)
    for f in (to_jax(flipped, rules), to_jax(np.tanh)):
        y, pullback = jax.vjp(jax.jit(f), x)
        assert (y.shape, y.dtype, pullback(y)[0].shape) == (x.shape, "float32", x.shape)
        assert jax.vmap(f)(jnp.stack([x, x])).shape == (2, *x.shape)
