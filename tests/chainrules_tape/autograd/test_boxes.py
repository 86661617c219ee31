"""How programs tell traced values from plain ones."""

import numpy as np

from chainrules_tape.autograd import builtins, grad
from chainrules_tape.autograd.boxes import ArrayBox, getval, isbox
from chainrules_tape.autograd.tracer import Box


def test_traced_values_are_boxes():
    seen = []

    def f(x):
        seen.append((isbox(x), isinstance(x, ArrayBox), isinstance(x, Box)))
        seen.append((isbox(getval(x)), builtins.isinstance(x, np.ndarray), builtins.type(x)))
        return np.sum(x)

    grad(f)(np.ones(2))
    assert seen == [(True, True, True), (False, True, np.ndarray)]
    assert not isbox(np.ones(2))


def test_the_value_beneath_all_levels():
    values = []

    def f(x):
        values.append(getval(x))
        return x**3

    assert grad(grad(f))(2.0) == 12.0
    assert [float(value) for value in values] == [2.0]
    assert type(values[0]) in (float, np.float64)
