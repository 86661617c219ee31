"""``pytest -p emulated_cuda.plugin``: the emulated device is there before any test module is
imported.

A test that asks for what this device does not have (a peer, a graph with copies from the host) is
expected to fail, and says so.
"""

from collections.abc import Generator
from typing import Any

import pytest

from emulated_cuda.installation import install, missing

NOT_SUPPORTED = "cudaErrorNotSupported"


def install_for_tests() -> None:
    """Install the device; end the run, with what is missing, where it cannot be."""
    if reason := missing():
        raise pytest.UsageError(f"the emulated CUDA device cannot be installed: {reason}")
    install()


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Before a `conftest.py` imports CuPy."""
    install_for_tests()


def pytest_configure() -> None:
    """Where a `conftest.py` names this plugin, and no earlier hook was called."""
    install_for_tests()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """What the device refuses is no failure of the test's."""
    report = yield
    if report.failed and call.excinfo is not None and NOT_SUPPORTED in str(call.excinfo.value):
        report.outcome, report.wasxfail = "skipped", "the emulated device does not support this"
    return report
