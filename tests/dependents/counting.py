"""A plugin of pytest's: the outcomes of the tests go into a file, which `OUTCOMES` names, with the
reasons of those that failed, and how long each took.
"""

import json
import os
from pathlib import Path

found: dict[str, list[object]] = {}


def pytest_runtest_logreport(report):
    """Note a test that was called, or did not come so far."""
    if report.when == "call" or report.outcome != "passed":
        crash = getattr(report.longrepr, "reprcrash", None)
        reason = crash.message.splitlines()[0] if crash and crash.message else ""
        found[report.nodeid] = [report.outcome, report.duration, reason[:300]]


def pytest_sessionfinish():
    """Write the file."""
    Path(os.environ["OUTCOMES"]).write_text(json.dumps(found))
