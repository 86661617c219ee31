"""Sweeps over arrays of other libraries: pullbacks that are never called strictly are called by
their careful form.
"""

import numpy as np
import pytest

from chainrules_py import Array, primitive, rrule
from chainrules_tape import checkpoint, grad
from stand_ins.array_makers import MAKERS

X = np.array([0.3, 0.7])
LARGE = 2**18


@primitive
def scaled(x, s):
    """A function with a rule that is not this library's: such a rule may run what users wrote."""
    return np.sum(np.sin(x) * s)


@rrule.register(scaled)
def scaled_rrule(x: Array, s: object, *, xp):
    total = xp.sum(xp.sin(x))

    def scaled_pullback(y_bar):
        return y_bar * s * xp.cos(x), y_bar * total

    return total * s, scaled_pullback


def through_own_rule(x):
    return scaled(x, x[0]) + scaled(x, x[1])


def through_large_array(x):
    return np.sum(checkpoint(np.sin)(np.broadcast_to(x, (LARGE, 2)))) / LARGE


@pytest.mark.parametrize("make", [np.asarray, *MAKERS])
@pytest.mark.parametrize(
    ("program", "slope"),
    [
        (through_own_rule, lambda x: np.cos(x) * x.sum() + np.sin(x).sum()),
        (through_large_array, np.cos),
    ],
)
def test_gradients_through_pullbacks_that_are_never_strict(program, slope, make):
    x = make(X)
    found = grad(program)(x)
    assert type(found) is type(x)
    np.testing.assert_allclose(np.asarray(found), slope(X), rtol=1e-6)
