import pytest

from chainrules_py import RuleTable, default_rules
from chainrules_py.testing import load_shipped

load_shipped()  # test modules make parameters of samples when they are imported


@pytest.fixture
def rules() -> RuleTable:
    return RuleTable(parent=default_rules, name="test")
