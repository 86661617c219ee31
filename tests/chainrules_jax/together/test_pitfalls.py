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


@pytest.mark.parametrize("view", [on_host, lambda x: np.from_dlpack(on_host(x))])
def test_who_writes_into_an_argument_writes_into_nobodys_array(rules, view):
    def doubled(x):
        x = view(x)
        x *= 2
        return x

    @rules.rrule.register(doubled)
    def doubled_rrule(x: Array):
        return doubled(x), lambda y_bar: (2 * y_bar,)

    x, seed = jnp.asarray(X), jnp.ones(3)
    for f in (to_jax(doubled, rules), jax.jit(to_jax(doubled, rules))):
        y, pullback = jax.vjp(f, x)
        for found, expected in ((pullback(seed)[0], [2, 2, 2]), (y, 2 * X), (x, X), (seed, 1)):
            np.testing.assert_array_equal(found, expected)


def test_a_buffer_that_is_used_again_is_copied(rules):
    buffer = np.zeros(64, "float32")

    def filled(x):
        buffer[:] = on_host(x)
        return buffer

    for f in (to_jax(filled, rules), jax.jit(to_jax(filled, rules))):
        first, second = f(1.0).block_until_ready(), f(2.0).block_until_ready()
        assert float(first[0]) == 1.0
        assert float(second[0]) == 2.0


# --- Numbers ---


def test_without_x64_doubles_are_rounded_at_the_end(rules):
    def third(x):
        return np.float64(on_host(x)) / 3

    scalar_rule(third, "x", "1/3", table=rules)
    y, gradient = jax.jit(jax.value_and_grad(to_jax(third, rules)))(np.float64(1.0))
    assert (y.dtype, gradient.dtype) == ("float32", "float32")
    assert float(y) == np.float32(1 / 3)
    with jax.enable_x64(True):
        assert float(jax.jit(to_jax(third, rules))(np.float64(1.0))) == 1 / 3


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
