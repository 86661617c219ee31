"""What XLA has to do for our gradient of a program, next to what it has to do for JAX's own.

Counted are operations, bytes moved, and calls of LAPACK, in which neither of the other two is
counted.
"""

import os
import re
from collections import Counter

import jax
import numpy as np
import pytest

from benchmarks.programs import PROGRAMS
from chainrules_tape import value_and_grad

# All of the benchmark but other sizes of the same programs, and the LSTM, which takes XLA minutes;
# two take it seconds.
NAMES = (
    *("chain, size 100", "Gaussian mixture"),
    *("bundle adjustment", "perceptron, batch 32, widths 64"),
    *("FFT deconvolution", "sparse indexing, 100 reads"),
    *(
        pytest.param(name, marks=pytest.mark.slow)
        for name in ("ODE, 200 steps", "Kalman filter, 50 steps")
    ),
)


A = np.random.default_rng(0).standard_normal((20, 20)) + 5 * np.eye(20)
FUNCTIONS = {
    "solve": lambda xp, a: xp.linalg.solve(a, a[0]),
    "slogdet": lambda xp, a: xp.linalg.slogdet(a)[1],
    "cholesky": lambda xp, a: xp.linalg.cholesky(a @ a.T),
    "qr": lambda xp, a: xp.linalg.qr(a)[0],
    "eigh": lambda xp, a: xp.linalg.eigh(a + a.T)[1],
    "svd": lambda xp, a: xp.linalg.svd(a)[2],
    "einsum": lambda xp, a: xp.einsum("ij,jk,kl->il", a, a, a),
    "convolve": lambda xp, a: xp.convolve(a[0], a[1]),
    "fft": lambda xp, a: xp.abs(xp.fft.fft(a)),
    "cumsum": lambda xp, a: xp.cumsum(a, axis=0),
    "interp": lambda xp, a: xp.interp(a[0], np.arange(20.0), a[1]),
    "take": lambda xp, a: xp.take(a, np.array([1, 3, 3]), axis=0),
}
MORE = {"interp": 2.2}  # which has NumPy's values beside infinities and nan, and JAX's has not


@pytest.mark.one_in(3)
@pytest.mark.usefixtures("double_precision")
@pytest.mark.parametrize("name", NAMES)
def test_compiled_it_costs_no_more_than_jaxs_own_gradient(name):
    program = PROGRAMS[name]
    parameters, data = program.inputs()

    def ours(*values):
        return value_and_grad(
            lambda *q: program.objective(np, q, data), argnums=tuple(range(len(values)))
        )(*values)

    def theirs(*values):
        return jax.value_and_grad(lambda q: program.objective(jax.numpy, q, data))(values)

    costs, expected = costs_of(ours, parameters), costs_of(theirs, parameters)
    for kind, cost in costs.items():
        assert cost <= 1.05 * expected[kind], kind


@pytest.mark.one_in(4)
@pytest.mark.usefixtures("double_precision")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_compiled_a_function_costs_about_what_it_costs_in_jax(name):
    """Some formulas are others than JAX's, of as many products or a few more."""
    function = FUNCTIONS[name]
    costs = costs_of(value_and_grad(lambda a: np.sum(function(np, a) ** 2)), [A])
    expected = costs_of(
        jax.value_and_grad(lambda a: jax.numpy.sum(function(jax.numpy, a) ** 2)), [A]
    )
    for kind, cost in costs.items():
        allowed = 1 if kind.startswith("lapack") else MORE.get(name, 1.4)
        assert cost <= allowed * expected[kind], kind


@pytest.mark.parametrize("shape", [(3,), (3, 2)])
def test_a_system_and_its_adjoint_need_one_factorisation(shape):
    a, b = np.eye(3, dtype=np.float32), np.ones(shape, np.float32)
    gradient = jax.jit(value_and_grad(lambda a, b: np.sum(np.linalg.solve(a, b) ** 2), (0, 1)))
    assert gradient.lower(a, b).compile().as_text().count("getrf") == 1


@pytest.mark.parametrize("decompose", [np.linalg.cholesky, lambda a: np.linalg.qr(a)[1]])
def test_triangular_factors_are_not_factored(decompose):
    gradient = jax.jit(value_and_grad(lambda a: np.sum(decompose(a))))
    assert "getrf" not in gradient.lower(np.eye(3, dtype=np.float32)).compile().as_text()


def costs_of(gradient, values):
    """How much of each kind of cost a compiled gradient has, fused as it is outside of tests."""
    is_off = "xla_cpu_use_fusion_emitters" in os.environ.get("XLA_FLAGS", "")
    options = {"xla_cpu_use_fusion_emitters": True} if is_off else None
    compiled = jax.jit(gradient).lower(*values).compile(options)
    counted = compiled.cost_analysis()
    calls = Counter(re.findall(r'custom_call_target="(lapack_\w+)"', compiled.as_text()))
    return {"flops": counted["flops"], "bytes accessed": counted["bytes accessed"], **calls}
