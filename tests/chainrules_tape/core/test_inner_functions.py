"""Functions that a rule was given."""

import numpy as np
import pytest

from chainrules_py import default_rules
from chainrules_tape import InPlaceError
from chainrules_tape.core.config import TapeConfig

CONFIG = TapeConfig(default_rules)


def test_a_write_into_an_argument_is_refused():
    def writing(x):
        x[0] = 1.0
        return x

    with pytest.raises(InPlaceError, match="write into a copy"):
        CONFIG.rrule_via_ad(writing, np.ones(2))
