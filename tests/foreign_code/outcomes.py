"""A plugin of pytest's: the tests of a package run while it is seen through, and their outcomes go
into a file.

The environment says which: `SEEN_THROUGH`, the packages (none: the tests run as they are), and
`OUTCOMES`, the file.
"""

import json
import os
from pathlib import Path

import pytest

from chainrules_tape import seen_through

outcomes: dict[str, str] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session):
    packages = os.environ["SEEN_THROUGH"].split()
    if not packages:
        return (yield)
    with seen_through(*packages):
        return (yield)


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        outcomes[report.nodeid] = report.outcome


def pytest_sessionfinish():
    Path(os.environ["OUTCOMES"]).write_text(json.dumps(outcomes))
