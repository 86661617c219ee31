"""Programs after all passes compute the tape's numbers, and what they computed before bit for bit."""

import traceback

import numpy as np
import pytest

from benchmarks.programs import OWN, PROGRAMS
from chainrules_programs.compiling.executable import executable
from chainrules_programs.compiling.passes import optimized
from chainrules_programs.recording.record import record
from chainrules_tape import grad, value_and_grad
from chainrules_tape.core.trees import flatten
from replaying import replay

IN_BLOCKS = "chain, size 1000000"  # whose sums have other last bits: see `test_blocked`
SLOW = {"LSTM, 1024 characters", "Kalman filter, 50 steps"}


def assert_same_bits(found, expected):
    found, expected = flatten(found)[0], flatten(expected)[0]
    assert len(found) == len(expected)
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_array_equal(x, y, strict=True)
        assert type(x) is type(y)


def of_benchmark(program):
    """The gradient of a program, and its parameters."""
    params, data = program.inputs()

    def objective(*params):
        return program.objective(np, params, data)

    return value_and_grad(objective, argnums=tuple(range(len(params)))), params


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long) if name in SLOW else name
        for name in dict.fromkeys([*OWN, *PROGRAMS])
        if name != IN_BLOCKS
    ],
)
def test_benchmark_programs(name):
    gradient, params = of_benchmark({**OWN, **PROGRAMS}[name])
    program, value = record(gradient, params)
    run = executable(optimized(program))
    others = [x * 1.01 for x in params]
    assert_same_bits(run(*params), value)
    assert_same_bits(run(*others), replay(program, others))
    tape = flatten(gradient(*others))[0]
    for x, y in zip(flatten(run(*others))[0], tape, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-12 * np.max(np.abs(y)))


def test_zero_meets_infinity():
    def f(x):
        return np.sum(np.where(x > 0, np.sqrt(x), 0.0))

    run = executable(optimized(record(grad(f), (np.ones(3),))[0]))
    np.testing.assert_array_equal(run(np.full(3, 4.0)), np.full(3, 0.25))
    with pytest.raises(FloatingPointError), np.errstate(divide="ignore"):
        run(np.zeros(3))


def test_tracebacks_show_the_line():
    run = executable(optimized(record(lambda x: np.linalg.inv(x), (np.eye(2),))[0]))
    with pytest.raises(np.linalg.LinAlgError) as caught:
        run(np.zeros((2, 2)))
    text = "".join(traceback.format_exception(caught.value))
    assert "np_linalg_inv(x)" in text
