"""The test that `pytest_engine` collects, one of each sample."""

from typing import Any

from chainrules_py.testing.cases import Case
from chainrules_py.testing.conformance import run_engine_case, run_engine_case_in_lanes


def test_sample(engine_under_check: Any, engine_case: Case, pytestconfig: Any) -> None:
    """Check one sample of one function."""
    run_engine_case(engine_under_check, engine_case)
    if pytestconfig.getoption("engine_lanes"):
        run_engine_case_in_lanes(engine_under_check, engine_case)
