"""A plug-in of pytest: the conformance of an engine as one call.

    pytest -p chainrules_py.testing.pytest_engine --engine my_package.engine -k "numpy.linalg"

Each sample of the table is a test; `--engine-order 1` leaves second derivatives out, and
`--engine-lanes` runs each for many examples, too. No entry point
loads it: one would import this library into every run of pytest in an environment that has it.
"""

from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from chainrules_py.testing.conformance import engine_cases
from chainrules_py.testing.settings import Settings

TESTS = Path(__file__).with_name("engine_samples.py")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare what the command line takes."""
    group = parser.getgroup("chainrules", "derivative rules")
    group.addoption("--engine", metavar="MODULE", help="an engine to check: vjp, jvp, or both")
    group.addoption(
        "--engine-order",
        type=int,
        choices=(1, 2),
        default=2,
        help="check derivatives up to this order (default: 2)",
    )
    group.addoption(
        "--engine-lanes", action="store_true", help="check the engine's vmap(f, in_axes), too"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Collect the samples, beside the files that were named or in the place of all that there are."""
    if config.getoption("engine"):
        named = config.args_source is pytest.Config.ArgsSource.ARGS
        config.args = [*(config.args if named else ()), str(TESTS)]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test of each sample."""
    if "engine_case" in metafunc.fixturenames:
        order = metafunc.config.getoption("engine_order")
        settings = Settings(second_order="required" if order == 2 else "off")
        found = list(engine_cases(settings=settings))
        names = [case.name.removesuffix("-reverse") for case in found]
        metafunc.parametrize("engine_case", found, ids=names)


@pytest.fixture(scope="session")
def engine_under_check(pytestconfig: pytest.Config) -> ModuleType:
    """The engine that the command line names."""
    return import_module(str(pytestconfig.getoption("engine")))
