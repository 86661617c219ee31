"""Compiled programs that raise what their function does not raise are errors in these tests, which
compile much that stays on the tape: a warning says so, and is tested by itself.
"""

from pathlib import Path

import pytest

from chainrules_programs.compiling.compile import settings

settings.faults_raise = True
HERE = Path(__file__).parent
UNTOLD = pytest.mark.filterwarnings("ignore::chainrules_tape.NotCompiledWarning")


def pytest_collection_modifyitems(items):
    """Let programs stay on the tape without a warning, unless a test asks for it."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(UNTOLD, append=False)
