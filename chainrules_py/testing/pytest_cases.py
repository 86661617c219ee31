"""Samples as pytest parameters; the only module here that imports pytest.

from chainrules_py.testing.pytest_cases import parametrize_rules

@parametrize_rules(my_solver, my_kernel)
def test_rules(case):
    case.run()
"""

from collections.abc import Iterable
from typing import Any

import pytest

from chainrules_py.testing.cases import cases, cases_of
from chainrules_py.testing.conformance import engine_cases
from chainrules_py.testing.settings import Settings


def parametrize_rules(
    *primals: Any, settings: Settings | None = None, dtypes: Iterable[str] | None = None
) -> pytest.MarkDecorator:
    """One test per primal, sample, dtype and mode, in the parameter `case`; a primal without samples is an error."""
    chosen = settings or Settings()
    found = [case for primal in primals for case in cases_of(primal, settings=chosen, dtypes=dtypes)]
    return pytest.mark.parametrize("case", found, ids=[case.name for case in found])


def parametrize_all(primals: Iterable[Any], settings: Settings | None = None) -> pytest.MarkDecorator:
    """One test per primal, sample, dtype and mode; primals without samples are left to a test of `unsampled`."""
    found = list(cases(primals, settings=settings))
    return pytest.mark.parametrize("case", found, ids=[case.name for case in found])


def parametrize_engine(primals: Iterable[Any] | None = None, *, settings: Settings | None = None) -> pytest.MarkDecorator:
    """One test per sample for `run_engine_case(engine, case)`, in the parameter `case`."""
    found = list(engine_cases(primals, settings=settings))
    return pytest.mark.parametrize("case", found, ids=[case.name.removesuffix("-reverse") for case in found])
