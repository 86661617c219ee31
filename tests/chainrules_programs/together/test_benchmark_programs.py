"""The programs of the benchmarks, recorded under `value_and_grad`, and run again on other numbers."""

from functools import partial

import numpy as np
import pytest

from benchmarks.programs import OWN, PROGRAMS
from chainrules_tape import value_and_grad
from recorded_calls import check_recording

LARGE = ("1000000", "10000 points")
LATER = ("LSTM",)


def parameters():
    for name, program in {**OWN, **PROGRAMS}.items():
        if not any(part in name for part in LARGE):
            later = any(part in name for part in LATER)
            yield pytest.param(program, id=name, marks=pytest.mark.long if later else ())


def nearby(x):
    return x * 1.001 if x.dtype.kind == "f" else x


@pytest.mark.parametrize("program", [*parameters()])
def test_benchmark_programs(program):
    parameters, data = program.inputs()
    function = value_and_grad(partial(program.objective, np))
    others = tuple(map(nearby, parameters)), tuple(map(nearby, data))
    check_recording(function, (parameters, data), others, tolerance=1e-10)
