"""Tests of the scope in which other people's modules are seen through, on a package that stands for
theirs. Compiled programs that raise what their function does not raise are errors.
"""

import sys

import pytest

from chainrules_programs.compiling.compile import settings

settings.faults_raise = True


@pytest.fixture(autouse=True)
def later_is_not_imported():
    """Each test imports `strangers.later` for the first time."""
    sys.modules.pop("strangers.later", None)
