"""What rules say about linearity is what their functions do."""

import numpy as np
import pytest

from chainrules_py import default_rules
from chainrules_py.rules.rule import Linearity

ARRAYS = {
    np.matmul: (Linearity((True, True), together=False), (np.ndarray, np.ndarray)),
    np.where: (Linearity((False, True, True), together=True), (np.ndarray,) * 3),
    np.concatenate: (Linearity((True,), together=True), (list,)),
    np.reshape: (Linearity((True,), together=False, value_only=frozenset({"copy"})), (np.ndarray,)),
    np.sin: (None, (np.ndarray,)),
}


@pytest.mark.parametrize("primal", ARRAYS)
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_makers_say_it(primal, mode):
    expected, types = ARRAYS[primal]
    assert default_rules.rule_for(mode, primal, types).linear == expected
