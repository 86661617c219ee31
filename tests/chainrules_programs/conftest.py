"""Compiled programs that raise what their function does not raise are errors in these tests."""

import pytest

from chainrules_programs.compiling.compile import settings
from chainrules_programs.recording import repetitions

settings.faults_raise, settings.patience = True, float("inf")


@pytest.fixture
def loops(monkeypatch):
    """The loops that are made."""
    made, make = [], repetitions._Body.loop

    def loop(body):
        found = make(body)
        made.extend([] if found is None else [found])
        return found

    monkeypatch.setattr(repetitions._Body, "loop", loop)
    return made
