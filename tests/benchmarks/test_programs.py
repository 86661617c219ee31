"""Each program's gradient, by every engine that is installed, against finite differences of the
program itself.
"""

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from benchmarks.comparison import as_numpy
from benchmarks.engines import BY_HAND, ENGINES, OURS
from benchmarks.programs import LARGE_CHAIN, PROGRAMS
from benchmarks.programs.logistic import logistic
from benchmarks.programs.program import Program

# JAX compiles each program once: seconds for a loop. One program shows that its arrays are converted.
COMPILING = {"jax-jit", "ours under jax.jit"}
CASES = [
    pytest.param(program, engine, id=f"{program.name}-{name}")
    for program in PROGRAMS.values()
    for name, engine in ENGINES.items()
    if program is not LARGE_CHAIN and (name not in COMPILING or program.name == "chain, size 1")
]
CASES += [(logistic(100), ENGINES[name]) for name in (BY_HAND, OURS)]


def directional_difference(program: Program, directions: list[Any], step: float = 1e-6) -> float:
    """The central difference of the program along directions of its parameters."""
    parameters, data = program.inputs()
    ahead, behind = (
        program.objective(
            np,
            tuple(p + sign * step * d for p, d in zip(parameters, directions, strict=True)),
            data,
        )
        for sign in (1, -1)
    )
    return float(ahead - behind) / (2 * step)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("program", "engine"), CASES)
def test_gradient_is_the_derivative_of_the_program(
    program: Program, engine, monkeypatch: pytest.MonkeyPatch
):
    lstm = import_module("benchmarks.programs.lstm")  # the function has its name, too
    monkeypatch.setattr(lstm, "CHARACTERS", 64)  # a thousand are for clocks
    if (reason := engine.reason_to_leave_out(program)) is not None:
        pytest.skip(reason)
    parameters, data = program.inputs()
    rng = np.random.default_rng(1)
    directions = [rng.standard_normal(parameter.shape) for parameter in parameters]
    value, gradients = engine.gradient(program)()
    slope = sum(float(np.sum(as_numpy(g) * d)) for g, d in zip(gradients, directions, strict=True))
    np.testing.assert_allclose(as_numpy(value), program.objective(np, parameters, data), rtol=1e-10)
    np.testing.assert_allclose(slope, directional_difference(program, directions), rtol=1e-4)
