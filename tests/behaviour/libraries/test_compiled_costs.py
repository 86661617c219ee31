"""What XLA has to do for our gradient of a program, next to what it has to do for JAX's own: operations, and bytes moved."""

import numpy as np
import pytest

from benchmarks.programs import PROGRAMS
from chainrules_tape import value_and_grad

jax = pytest.importorskip("jax")

# All of the benchmark but other sizes of the same programs, and the LSTM, which takes XLA minutes; two take it seconds.
NAMES = (
    *("chain, size 100", "Gaussian mixture", "bundle adjustment", "perceptron, batch 32, widths 64"),
    *("FFT deconvolution", "sparse indexing, 100 reads"),
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("ODE, 200 steps", "Kalman filter, 50 steps")),
)


@pytest.mark.usefixtures("double_precision")
@pytest.mark.parametrize("name", NAMES)
def test_compiled_it_costs_no_more_than_jaxs_own_gradient(name):
    program = PROGRAMS[name]
    parameters, data = program.inputs()

    def ours(*values):
        return value_and_grad(lambda *q: program.objective(np, q, data), argnums=tuple(range(len(values))))(*values)

    def theirs(*values):
        return jax.value_and_grad(lambda q: program.objective(jax.numpy, q, data))(values)

    costs, expected = (jax.jit(gradient).lower(*parameters).compile().cost_analysis() for gradient in (ours, theirs))
    for kind in ("flops", "bytes accessed"):
        assert costs[kind] <= 1.05 * expected[kind], kind
