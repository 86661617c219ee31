"""Compiled programs that raise what their function does not raise are errors in these tests."""

import pytest

from chainrules_programs.compiling.compile import settings
from chainrules_programs.recording import repetitions

settings.faults_raise, settings.patience = True, float("inf")


@pytest.fixture
def loops(monkeypatch):
    """The loops that are made."""
    made, make = [], repetitions._Search.loop

    def loop(search, *period):
        found = make(search, *period)
        made.extend([] if found is None else [found])
        return found

    monkeypatch.setattr(repetitions._Search, "loop", loop)
    return made
