"""What XLA has to do for our gradient of a program, next to what it has to do for JAX's own.

Counted are operations, bytes moved, and calls of LAPACK, in which neither of the other two is counted.
"""

import re
from collections import Counter

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

    costs, expected = (costs_of(jax.jit(gradient).lower(*parameters).compile()) for gradient in (ours, theirs))
    for kind, cost in costs.items():
        assert cost <= 1.05 * expected[kind], kind


def costs_of(compiled):
    """How much of each kind of cost there is."""
    counted = compiled.cost_analysis()
    calls = Counter(re.findall(r'custom_call_target="(lapack_\w+)"', compiled.as_text()))
    return {"flops": counted["flops"], "bytes accessed": counted["bytes accessed"], **calls}
