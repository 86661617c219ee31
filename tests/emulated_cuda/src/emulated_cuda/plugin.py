"""``pytest -p emulated_cuda.plugin``: the emulated device is there before any test module is
imported.

A test that asks for what this device does not have (a peer, a graph with copies from the host) is expected to
fail, and says so.
"""

from collections.abc import Generator
from typing import Any

import pytest

from emulated_cuda.installation import install

NOT_SUPPORTED = "cudaErrorNotSupported"


def pytest_configure() -> None:
    """Before the first test module imports CuPy."""
    install()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """What the device refuses is no failure of the test's."""
    report = yield
    if report.failed and call.excinfo is not None and NOT_SUPPORTED in str(call.excinfo.value):
        report.outcome, report.wasxfail = "skipped", "the emulated device does not support this"
    return report
