"""The two modes in which refusals are asked for."""

import numpy as np
import pytest

from chainrules_tape import grad, jvp

X = np.array([0.5, 1.5])


@pytest.fixture(params=["reverse", "forward"])
def differentiate(request):
    """Differentiate a function at a vector."""
    if request.param == "reverse":
        return lambda f: grad(f)(X)
    return lambda f: jvp(f, (X,), (X,))
