from collections.abc import Iterator

import pytest

from chainrules_py import RuleTable, default_rules
from chainrules_py.testing import load_shipped

load_shipped()  # test modules make parameters of samples when they are imported


@pytest.fixture
def rules() -> Iterator[RuleTable]:
    yield RuleTable(parent=default_rules, name="test")
