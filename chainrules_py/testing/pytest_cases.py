"""Samples as pytest parameters; the only module here that imports pytest.

from chainrules_py.testing.pytest_cases import parametrize_rules

@parametrize_rules(my_solver, my_kernel)
def test_rules(case):
    case.run()
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pytest

from chainrules_py.testing.cases import Case, cases_of
from chainrules_py.testing.conformance import engine_cases
from chainrules_py.testing.settings import Settings


@dataclass(frozen=True)
class BothModes:
    """The cases of one sample in all modes, as one test, as most of the work is shared."""

    cases: tuple[Case, ...]

    @property
    def name(self) -> str:
        """``numpy.sum-2x3-axis=0-options-float32``."""
        return _without_mode(self.cases[0])

    def run(self) -> None:
        """Check the call in each mode; raises what is wrong with the first that fails."""
        for case in self.cases:
            case.run()


def parametrize_rules(
    *primals: Any, settings: Settings | None = None, dtypes: Iterable[str] | None = None
) -> pytest.MarkDecorator:
    """Make one test per primal, sample and dtype; a primal without samples is an error."""
    chosen = settings or Settings()
    return _parameters(
        case for primal in primals for case in cases_of(primal, settings=chosen, dtypes=dtypes)
    )


def parametrize_engine(
    primals: Iterable[Any] | None = None, *, settings: Settings | None = None
) -> pytest.MarkDecorator:
    """One test per sample for `run_engine_case(engine, case)`, in the parameter `case`."""
    found = list(engine_cases(primals, settings=settings))
    return pytest.mark.parametrize("case", found, ids=list(map(_without_mode, found)))


def _parameters(found: Iterable[Case]) -> pytest.MarkDecorator:
    both = [BothModes(tuple(group)) for _, group in groupby(found, key=lambda case: case.sample)]
    return pytest.mark.parametrize("case", both, ids=[each.name for each in both])


def _without_mode(case: Case) -> str:
    return case.name.removesuffix(f"-{case.mode}")
