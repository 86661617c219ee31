"""What PyTorch loads for its forward mode, and compiles in a way that it deprecates, is loaded
before warnings are errors.
"""

import warnings
from importlib.util import find_spec

import pytest

from chainrules_py import RuleTable, default_rules

if find_spec("torch") is not None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch._decomp.decompositions_for_jvp

        torch.set_num_threads(1)


@pytest.fixture
def rules():
    """A table of its own for each test, on top of the rules that there are."""
    return RuleTable(parent=default_rules, name="a test")
