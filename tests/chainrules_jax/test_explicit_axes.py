"""Gradients of products on meshes of four devices, whose axes are explicit or automatic."""

import pytest

from chainrules_jax.explicit_axes import without_repeats
from stand_ins.jax_calls import on_four_devices

ON_DEVICES = """
import sys
import jax, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec
from chainrules_jax import to_jax
from chainrules_tape import grad, hvp

jax.config.update("jax_enable_x64", True)
kind = getattr(AxisType, sys.argv[1])
mesh = jax.make_mesh((2, 2), ("a", "b"), axis_types=(kind, kind))
rng = np.random.default_rng(0)
x, w, matrix = rng.normal(size=(16, 4)), rng.normal(size=4), rng.normal(size=(4, 4))

def regression(w, x):
    return np.sum(np.log(np.cosh(x @ w))) + 0.1 * np.sum(w**2)

def network(matrix, x):
    return np.sum(np.tanh(np.tanh(x @ matrix) @ matrix) ** 2)

def contracted(matrix, x):
    return np.sum(np.einsum("ni,ij->nj", x, matrix) ** 3) + np.sum(np.tensordot(x, matrix, 1) ** 2)

def on_mesh(value, axes):
    return jax.device_put(value, NamedSharding(mesh, PartitionSpec(*axes)))

def compare(function, p, rows):
    data, parameters = on_mesh(x, rows), on_mesh(p, ())
    slopes = jax.jit(grad(function, argnums=(0, 1)))(parameters, data)
    for got, wanted in zip(slopes, grad(function, argnums=(0, 1))(p, x)):
        np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-12)
    assert slopes[0].sharding.is_fully_replicated, slopes[0].sharding       # as the parameters are

for function, p in ((regression, w), (network, matrix), (contracted, matrix)):
    compare(function, p, ("a",))
compare(network, matrix, (("a", "b"),))
data, parameters, ones = on_mesh(x, ("a",)), on_mesh(w, ()), on_mesh(np.ones(4), ())
np.testing.assert_allclose(grad(regression)(parameters, data), grad(regression)(w, x), rtol=1e-10)
curved = jax.jit(lambda w, x, v: hvp(lambda w: regression(w, x), w, v))(parameters, data, ones)
np.testing.assert_allclose(curved, hvp(lambda w: regression(w, x), w, np.ones(4)), rtol=1e-10)

matmul = to_jax(np.matmul)
y = rng.normal(size=(4, 8))
for rows, columns in ((("b", "a"), ("a", None)), (("a",), (None, "a"))):
    slopes = jax.jit(jax.grad(lambda x, y: (matmul(x, y) ** 2).sum(), (0, 1)))(
        on_mesh(x, rows), on_mesh(y, columns)
    )
    np.testing.assert_allclose(slopes[0], 2 * x @ y @ y.T, rtol=1e-10)
    np.testing.assert_allclose(slopes[1], 2 * x.T @ x @ y, rtol=1e-10)
print(len(jax.devices()))
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ["Explicit", "Auto"])
def test_parameters_everywhere_and_data_by_rows(kind):
    assert on_four_devices(ON_DEVICES, kind) == ["4"]


@pytest.mark.parametrize(
    ("axes", "expected"),
    [
        (["a", "b"], ["a", "b"]),
        (["a", "a"], ["a", None]),
        ([None, None], [None, None]),
        ([("a", "b"), "b"], [("a", "b"), None]),
    ],
)
def test_no_axis_of_a_mesh_comes_twice(axes, expected):
    assert without_repeats(axes) == expected
