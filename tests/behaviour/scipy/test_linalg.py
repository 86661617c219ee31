"""scipy.linalg: the kit over every function with a rule; stacks; published identities."""

import pytest

from chainrules_py import default_rules
from chainrules_py.testing import load_shipped
from chainrules_py.testing.pytest_cases import parametrize_all

linalg = pytest.importorskip("scipy.linalg")
load_shipped()
default_rules.load_all()
PRIMALS = [
    *(primal for primal in default_rules_primals() if home(primal) == "scipy.linalg"),
]
