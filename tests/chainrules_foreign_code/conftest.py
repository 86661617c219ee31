"""Tests of the scope in which other people's modules are seen through, on a package that stands for
theirs.
"""

import sys

import pytest


@pytest.fixture(autouse=True)
def later_is_not_imported():
    """Each test imports `strangers.later` for the first time."""
    sys.modules.pop("strangers.later", None)
