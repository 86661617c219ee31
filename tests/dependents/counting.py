"""A plugin of pytest's: the outcomes of the tests go into a file, which `OUTCOMES` names, with the
seconds of the processor that each took, and the reasons of those that failed.

Tests that draw random numbers draw the same on both engines.
"""

import json
import os
import random
import time
from pathlib import Path

import numpy as np
import pytest

found: dict[str, list[object]] = {}
seconds: dict[str, float] = {}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup():
    """Begin each test with the same random numbers, in whatever order the tests run."""
    random.seed(0)
    np.random.seed(0)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Take the time of a test: the processor's, because a machine may be shared."""
    begin = time.process_time()
    try:
        return (yield)
    finally:
        seconds[item.nodeid] = time.process_time() - begin


def pytest_runtest_logreport(report):
    """Note a test that was called, or did not come so far."""
    if report.when == "call" or report.outcome != "passed":
        crash = getattr(report.longrepr, "reprcrash", None)
        reason = crash.message.splitlines()[0] if crash and crash.message else ""
        taken = seconds.get(report.nodeid, 0.0)
        found[report.nodeid] = [report.outcome, taken, reason[:300]]


def pytest_sessionfinish():
    """Write the file."""
    Path(os.environ["OUTCOMES"]).write_text(json.dumps(found), encoding="utf-8")
