"""The engines of Python's numbers pass the check of engines on all samples of numbers: dual numbers
to second order, that in the style of micrograd to first.
"""

from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest

from chainrules_py.engines import FlatValue
from chainrules_py.testing import Settings, load_shipped
from chainrules_py.testing.cases import Case
from chainrules_py.testing.conformance import engine_cases, run_engine_case

NUMBERS = (float, int, np.floating)


@pytest.fixture
def engine(load: Callable[[str], ModuleType]) -> ModuleType:
    return load("engines/dual_numbers")


def is_of_numbers(case: Case) -> bool:
    """Whether a call takes numbers and returns a real number or several."""
    if not all(isinstance(arg, NUMBERS) for arg in case.sample.args):
        return False
    value = FlatValue.of(case.primal(*case.sample.args, **case.sample.options))
    return all(isinstance(leaf, float) for leaf in value.leaves)


load_shipped()
CASES = [case for case in engine_cases(dtypes=["float64"]) if is_of_numbers(case)]
FIRST = Settings(second_order="off")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_samples_of_numbers(case: Case, engine: ModuleType):
    run_engine_case(engine, case)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_samples_of_numbers_as_micrograd_does(case: Case, load: Callable[[str], ModuleType]):
    run_engine_case(load("engines/micrograd"), replace(case, settings=FIRST))


def test_there_are_many_functions_of_numbers():
    assert len({case.primal for case in CASES}) > 20
    assert 70 <= len(CASES) < 170  # as docs/engine_author.md says
