"""The engines of the guide pass the check of engines over every sample: one around `rrule` for first
derivatives, the others to second order. One sample of forty is run at once, the others in `long`.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from chainrules_py import NoRuleError
from chainrules_py.testing import Settings, load_shipped
from chainrules_py.testing.cases import Case
from chainrules_py.testing.conformance import engine_cases, run_engine_case

FIRST = Settings(second_order="off")
ENGINES = {"around_rrule": FIRST, "reverse": Settings(), "forward": Settings()}

load_shipped()


def cases_of(name: str) -> list[Any]:
    """The samples of an engine; most of them wait for the long tests."""
    cases = engine_cases(dtypes=["float64"], settings=ENGINES[name])
    return [
        pytest.param(name, case, marks=() if k % 40 == 7 else pytest.mark.long, id=case.name)
        for k, case in enumerate(cases)
    ]


@pytest.mark.parametrize(("name", "case"), [param for name in ENGINES for param in cases_of(name)])
def test_every_sample(name: str, case: Case, load: Callable[[str], ModuleType]) -> None:
    with np.errstate(all="ignore"):  # at ends of domains NumPy warns, and these engines let it
        run_engine_case(load(f"engines/{name}"), case)


@pytest.mark.parametrize("name", ENGINES)
def test_a_value_that_is_used_often(name, load):
    engine, x, x_dot = load(f"engines/{name}"), np.array([0.5, 1.5]), np.array([2.0, -1.0])

    def program(x):
        for _ in range(3):
            x = np.sin(x) * x + x * x[::-1]
        return np.sum(x * x)

    step = 1e-6
    slope = (program(x + step * x_dot) - program(x - step * x_dot)) / (2 * step)
    if hasattr(engine, "jvp"):
        assert engine.jvp(program, (x,), (x_dot,))[1] == pytest.approx(slope)
    else:
        assert engine.vjp(program, x)[1](1.0)[0] @ x_dot == pytest.approx(slope)


def differentiate(engine: ModuleType, program: Callable[[Any], Any]) -> None:
    """Run a program on traced values of an engine."""
    x = np.array([3.0, 1.0, 2.0])
    if hasattr(engine, "vjp"):
        engine.vjp(program, x)
    else:
        engine.jvp(program, (x,), (x,))


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "copyto": lambda x: np.copyto(x * 1.0, 2.0),
    "put": lambda x: np.put(np.zeros(3), [0, 1, 2], x),
    "putmask": lambda x: np.putmask(np.zeros(3), [True] * 3, x),
    "fill_diagonal": lambda x: np.fill_diagonal(np.outer(x, x), 0.0),
    "add.at": lambda x: np.add.at(np.zeros(3), [0, 1, 2], x),
}


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_programs_that_write_are_refused(program, name, load):
    with pytest.raises((NoRuleError, TypeError)):
        differentiate(load(f"engines/{name}"), program)


@pytest.mark.parametrize("name", ENGINES)
def test_a_write_through_another_name_is_refused(name, load):
    def program(x):
        y = x * 1.0
        z = y
        z *= 2.0
        return np.sum(y)

    with pytest.raises(TypeError, match="other names of x"):
        differentiate(load(f"engines/{name}"), program)
