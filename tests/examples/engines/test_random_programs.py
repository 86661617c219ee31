"""Random programs (`tests/shared/random_programs.py`), differentiated by the engines of the guide, have
the derivatives of differences. MyGrad's tensors take no part: programs call NumPy on their values.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings

from chainrules_py.testing import Layout, directional, random_tangent
from random_programs import Program, flat, programs

ENGINES = ["around_rrule", "reverse", "forward", "program"]
DEEPEST = {"around_rrule": 0, "reverse": 1}  # containers that an engine opens


def total(parts: list[Any]) -> Any:
    """A real number of all results of a program."""
    return sum(np.sum(np.real(part) * 0.7 + np.imag(part) * 0.3) for part in parts)


def run_by(engine: ModuleType, program: Program, inputs: tuple[Any, ...]) -> Any:
    """The number that a program comes to, by calls of an engine."""
    values = list(inputs)
    for primal, _, feeds, options, kept in program.steps:
        args = tuple(feed(values) for feed in feeds)
        parts = flat(engine.call(primal, args, options))
        values += [parts[place] * scale for place, scale in kept]
    return total(values[len(inputs) :])


def depth(x: Any) -> int:
    """How deep containers are nested."""
    return 1 + max(map(depth, x), default=0) if isinstance(x, list | tuple) else 0


def depth_of(program: Program) -> int:
    """How deep the arguments and results of its steps are nested."""
    values, found = list(program.inputs), 0
    for primal, _, feeds, options, kept in program.steps:
        args = [feed(values) for feed in feeds]
        y = primal(*args, **options)
        found = max(found, depth(y), *map(depth, args))
        values += [flat(y)[place] * scale for place, scale in kept]
    return found


def slope_by(engine: ModuleType, f: Callable[..., Any], x: list[Any], x_dot: list[Any]) -> float:
    """The derivative of a function along a direction."""
    if hasattr(engine, "jvp"):
        return float(engine.jvp(f, tuple(x), tuple(x_dot))[1])
    bars = engine.vjp(f, *x)[1](1.0)
    return float(sum(np.sum(bar * dot) for bar, dot in zip(bars, x_dot, strict=True)))


def check(engine: ModuleType, program: Program) -> None:
    """Compare a derivative with differences of the plain program."""
    layout = Layout(program.inputs)
    rng = np.random.default_rng(0)
    x_dot = layout.restore(layout.tangent_vector(random_tangent(rng, program.inputs)))
    oracle = directional(lambda x: total(program.plain(x)), program.inputs, x_dot)
    found = slope_by(engine, lambda *x: run_by(engine, program, x), program.inputs, x_dot)
    if oracle.exists.all():
        size = max(1.0, float(np.max(np.abs(oracle.value))))
        assert abs(found - oracle.value[0]) <= 1e-6 * size + 100 * oracle.error[0]


@pytest.mark.parametrize(
    "chunk", [0, *(pytest.param(chunk, marks=pytest.mark.long) for chunk in range(1, 20))]
)
@pytest.mark.parametrize("name", ENGINES)
def test_random_programs(name, chunk, load):
    engine = load(f"engines/{name}")

    @settings(max_examples=20, deadline=None, database=None, suppress_health_check=[*HealthCheck])
    @given(programs(10))
    def run(program):
        if program.steps and depth_of(program) <= DEEPEST.get(name, 2):
            check(engine, program)

    with np.errstate(all="ignore"):
        seed(chunk)(run)()
