"""Samples are loaded before test modules are imported, and each test may have a table of rules of
its own.
"""

import pytest

from chainrules_py import RuleTable, default_rules
from chainrules_py.testing import load_shipped

collect_ignore = ["newer_numpy.py"]  # it changes the NumPy of the interpreter that imports it

load_shipped()  # test modules make parameters of samples when they are imported


@pytest.fixture
def rules() -> RuleTable:
    return RuleTable(parent=default_rules, name="test")
