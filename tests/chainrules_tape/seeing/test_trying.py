"""A trial says of a call whether it is differentiated as it stands, and what is in the way."""

import numpy as np

from chainrules_tape import LostGradientError, stop_gradient
from chainrules_tape.seeing.trying import report, tried


def test_arrays_and_several_results():
    assert tried(lambda x, y: ({"a": np.sin(x) * y}, [x]), [[1.0, 2.0], 3.0], []).is_right
    assert tried(lambda x: x * x, [np.array([1.0, 2.0])], []).is_right


def test_all_obstacles_are_listed():
    def f(x):
        first = np.array([x, 1.0]).sum()
        return first + float(x)

    trial = tried(f, [0.7], [])
    start = f.__code__.co_firstlineno
    assert [(found.line - start, found.file) for found in trial.obstacles] == [(1, __file__), (2, __file__)]
    assert "float(x)" in trial.obstacles[1].construct


def test_an_iteration_that_compares():
    def bisection(a):
        low, high = 0.0, 2.0
        while high - low > 1e-12:
            middle = (low + high) / 2
            low, high = (middle, high) if middle * middle < a else (low, middle)
        return low + 0 * a

    trial = tried(bisection, [2.0], [])
    assert isinstance(trial.error, LostGradientError)
    assert "implicit_function" in report(trial)


def test_an_iteration_that_stops_early():
    def halves(a):
        x = 1.0
        while abs(x * x - a) > 0.1:
            x = (x + stop_gradient(a / x)) / 2
        return x + 0.1 * a

    trial = tried(halves, [2.0], [])
    assert not trial.is_right
