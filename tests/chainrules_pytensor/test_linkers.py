"""Our operation is compiled by PyTensor's linkers of Numba and JAX, without a warning."""

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest

from chainrules_pytensor import to_pytensor

X = np.array([0.8, 0.4, 1.7, 0.9])


def running_maximum(x, k):
    y = x.copy()
    for i in range(1, len(y)):
        if y[i] < y[i - 1]:
            y[i] = y[i - 1] * np.cos(y[i])
    return y * x[0] ** k


def graph():
    x, k = pt.tensor("x", dtype="float64", shape=(4,)), pt.dscalar("k")
    cost = (to_pytensor(running_maximum)(x, k) ** 2).sum() + to_pytensor(np.tanh)(x).sum()
    slopes = pytensor.grad(cost, [x, k])
    return [x, k], [cost, *slopes, pytensor.grad(slopes[0].sum(), x)]


def expected():
    inputs, outputs = graph()
    mode = pytensor.compile.Mode(linker="py", optimizer="fast_compile")
    return pytensor.function(inputs, outputs, mode=mode)(X, 1.5)


@pytest.fixture(params=["NUMBA", "JAX"])
def mode(request):
    if request.param == "NUMBA":
        yield request.param
        return
    with pytest.importorskip("jax", reason="jax is not installed (extra: jax)").enable_x64(True):
        yield request.param


# what PyTensor 3.3.8 makes of elementwise operations and sums: of ours Numba compiles nothing
@pytest.mark.filterwarnings('ignore:Cannot cache compiled function "')
def test_compiled(mode):
    inputs, outputs = graph()
    found = pytensor.function(inputs, outputs, mode=mode)(X, 1.5)
    for one, other in zip(found, expected(), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8)


def test_jax_differentiates_what_pytensor_made_of_it():
    jax = pytest.importorskip("jax", reason="jax is not installed (extra: jax)")
    from pytensor.compile.mode import get_mode
    from pytensor.graph.fg import FunctionGraph
    from pytensor.link.jax.dispatch import jax_funcify

    inputs, (cost, *_) = graph()
    fgraph = FunctionGraph(inputs, [cost], clone=True)
    get_mode("JAX").optimizer.rewrite(fgraph)
    with jax.enable_x64(True):
        function = jax_funcify(fgraph)
        slope = jax.jit(jax.grad(lambda x: function(x, 1.5)[0]))(X)
    np.testing.assert_allclose(slope, expected()[1], rtol=1e-8)
