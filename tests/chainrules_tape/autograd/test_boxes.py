"""How programs tell traced values from plain ones."""

import numpy as np

import chainrules_tape.numpy as tnp
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


def test_the_value_is_the_one_of_now():
    values = []

    def f(x):
        y = x.copy()
        view = y[1:]
        view[0] = 5.0
        values.extend((getval(y).tolist(), getval(tnp.zeros(2)).tolist()))
        return np.sum(y)

    assert grad(f)(np.ones(3)).tolist() == [1.0, 0.0, 1.0]
    assert values == [[1.0, 5.0, 1.0], [0.0, 0.0]]
