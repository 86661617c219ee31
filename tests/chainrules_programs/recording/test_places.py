"""Each step has the user's line, and its value the variable that it is assigned to."""

import inspect

import numpy as np

from chainrules_programs.recording.record import record
from chainrules_tape import grad

X = np.array([0.5, 1.5, 2.0])


def function(x):
    hidden = np.tanh(x)
    total = 0.0
    for entry in (hidden[0], hidden[1] * 2):
        total += entry * entry
    return np.mean(total * hidden)


LINES, START = inspect.getsourcelines(function)


def line_of(text):
    return START + next(k for k, line in enumerate(LINES) if text in line)


def test_lines_of_steps():
    program, _ = record(function, (X,))
    places = [step.place for step in program.steps]
    assert {file for file, _ in places} == {__file__}
    assert places[0][1] == line_of("np.tanh")
    assert places[-1][1] == line_of("return")


def test_lines_beneath_a_derivative():
    program, _ = record(grad(function), (X,))
    assert program.steps[0].place == (__file__, line_of("np.tanh"))
    pulled = [step for step in program.steps if getattr(step, "strict", False)]
    assert pulled
    assert all(step.place is None for step in pulled)
    here = [step for step in program.steps if step.place and step.place[1] > line_of("return")]
    assert here == []  # sums of cotangents belong to no line


def test_variables():
    for each in (function, grad(function)):
        program, _ = record(each, (X,))
        names = [step.results.name for step in program.steps[:8]]
        assert names[0] == "hidden"
        assert names.count("total") == 2
        assert names[1] is None
