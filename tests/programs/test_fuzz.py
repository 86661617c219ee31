"""Random programs of the samples (`tests/shared/random_programs.py`), by ways of `product` that are drawn
for each: derivatives are the plain program's along a line.

Whatever this found is a row of the table of programs in `product`.
"""

import random
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings

from chainrules_py.errors import BatchingError
from chainrules_tape import NotCompiledWarning
from product.judge import Case, TooRoughError
from product.programs import Program
from product.ways import CHAINS, DERIVATIVES, Way, along
from random_programs import programs
from seeds_of_programs import groups

OF_LONG_PROGRAMS = [Way(name, along(DERIVATIVES[name])) for name in ("reverse", "forward")]
WAYS = [Way(name, along(derive)) for name, derive in DERIVATIVES.items()]
WAYS += [way for way in CHAINS if way.is_there]


def check(program, ways):
    """Check a program by ways; returns how many refuse, which a derivative that decides by a value may."""
    args = tuple(program.inputs)
    row = Program(
        repr(program), lambda *x: program(x), lambda *x: program.plain(x), args, frozenset()
    )
    case, refused = Case(row), 0
    for way in ways:
        try:
            way.check(case)
        except (BatchingError, TooRoughError):
            refused += 1
    return refused


def hold(chunk, most, count, ways_of):
    """Check so many programs of at most so many steps, other ones for each chunk."""
    numbers = []

    def test(program):
        if program.steps:
            ways = ways_of(random.Random(repr(program)))
            numbers.append((check(program, ways), len(ways)))

    hypothesis_test = settings(
        max_examples=count, deadline=None, database=None, suppress_health_check=[*HealthCheck]
    )(given(programs(most))(test))
    with (
        np.errstate(all="ignore"),
        warnings.catch_warnings(action="ignore", category=NotCompiledWarning),
    ):
        seed(chunk)(hypothesis_test)()
    refused, asked = map(sum, zip(*numbers, strict=True))
    assert refused <= asked / 5


@pytest.mark.parametrize("chunk", groups(60, ordinarily=0))
def test_long_programs(chunk):
    hold(chunk, 30, 100, lambda draw: OF_LONG_PROGRAMS)


@pytest.mark.parametrize("chunk", groups(60))
def test_programs(chunk):
    hold(chunk, 8, 50, lambda draw: draw.sample(WAYS, 4))
