"""Calls of `numpy.diff` that NumPy refuses, which its body has to refuse, too."""

import numpy as np
import pytest

from chainrules_tape import grad


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: np.diff(x, -1), "non-negative"),
        (lambda x: np.diff(x, axis=1), "out of bounds"),
        (lambda x: np.diff(np.reshape(x[:1], ())), "at least one dimensional"),
    ],
    ids=["a negative order", "an axis that is not there", "no axis"],
)
def test_calls_that_numpy_refuses(f, message):
    with pytest.raises(ValueError, match=message):
        grad(lambda x: np.sum(f(x)))(np.ones(3))
