"""The tape on JAX's arrays: inside its transformations, next to NumPy's arrays, on several devices,
in either precision.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import grad, value_and_grad, vjp
from stand_ins.jax_calls import on_four_devices
from whole_programs import number_of_matrix as program

pytestmark = pytest.mark.usefixtures("double_precision")
RNG = np.random.default_rng(0)
X, V = RNG.normal(size=(4, 3)), RNG.normal(size=(4, 3))


def close(got, wanted):
    assert isinstance(got, jax.Array)
    np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-12)


def test_inside_jit_a_matrix_of_which_one_triangle_is_filled_is_not_looked_at():
    a = np.tril(X @ X.T) + 5 * np.eye(len(X))
    gradient = grad(lambda a: np.sum(tnp.linalg.cholesky(a)))
    close(jax.jit(gradient)(a), gradient(a))


def test_a_choice_that_does_not_exist_is_refused_and_nan_where_compiled():
    def chosen(positions):
        return value_and_grad(lambda w: np.choose(positions, [w, 2 * w]).sum())(jnp.ones(2))

    with pytest.raises(ValueError, match="invalid entry"):
        chosen(jnp.array([0, 7]))
    value, slope = jax.jit(chosen)(jnp.array([0, 7]))  # whose numbers are not known yet
    assert jnp.isnan(value)
    close(slope, [1.0, 0.0])
    close(jax.jit(chosen)(jnp.array([0, 1]))[1], [1.0, 2.0])


def test_under_vmap_and_scan():
    stack = RNG.normal(size=(5, 4, 3))
    wanted = np.stack([grad(program)(x) for x in stack])
    close(jax.jit(jax.vmap(grad(program)))(stack), wanted)
    _, scanned = jax.lax.scan(lambda carried, x: (carried, grad(program)(x)), 0.0, stack)
    close(scanned, wanted)


def test_a_pullback_leaves_jit():
    y, pullback = vjp(program, jnp.asarray(X))
    close(jax.jit(lambda bar: pullback(bar)[0])(jnp.ones_like(y)), grad(program)(X))


SHARDED = """
import jax, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from chainrules_tape import grad

jax.config.update("jax_enable_x64", True)

def loss(w, x):
    return np.sum(np.log(np.cosh(x @ w)))

x, w = np.random.default_rng(0).normal(size=(16, 3)), np.array([0.5, -1.0, 2.0])
devices = Mesh(np.array(jax.devices()), ("rows",))
rows = NamedSharding(devices, PartitionSpec("rows"))
found = jax.jit(grad(loss, argnums=(0, 1)))(w, jax.device_put(x, rows))
for got, wanted in zip(found, grad(loss, argnums=(0, 1))(w, x)):
    np.testing.assert_allclose(got, wanted, rtol=1e-12)
by_row = np.stack([grad(loss)(w, row[None]) for row in x])
each = jax.pmap(grad(loss), in_axes=(None, 0))(w, x[:4, None])                     # a row on each device
np.testing.assert_allclose(each, by_row[:4], rtol=1e-12)
by_rows = PartitionSpec("rows")
own = jax.shard_map(grad(loss), mesh=devices, in_specs=(PartitionSpec(), by_rows), out_specs=by_rows)
np.testing.assert_allclose(own(w, x).reshape(4, 3), by_row.reshape(4, 4, 3).sum(axis=1), rtol=1e-12)
print(len(jax.devices()), found[1].sharding.is_equivalent_to(rows, 2))
"""


def test_data_on_several_devices():
    assert on_four_devices(SHARDED) == ["4", "True"]
