"""What the first call of a kind finds, where an operand is none."""

import numpy as np
import pytest

from chainrules_py.errors import TangentTypeError
from chainrules_py.tangents import ZERO
from chainrules_tape import grad, jvp, vmap


def test_a_special_tangent_is_no_index():
    x = np.ones((2, 2))
    for run in (grad, vmap, lambda f: lambda x: jvp(f, (x,), (x,))):
        with pytest.raises(TangentTypeError):
            run(lambda x: x[ZERO])(x)
