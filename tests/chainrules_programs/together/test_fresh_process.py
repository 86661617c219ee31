"""The first recording of a process is that of all others, whatever is loaded meanwhile."""

from processes import printed

PROGRAM = """
import numpy as np
from chainrules_tape import compiled, value_and_grad

def loss(x):
    columns = x[:, None] * np.ones((3, 3))
    return np.sum(np.linalg.solve(columns.T + np.diag(x), np.ones(3)))

step = compiled(value_and_grad(loss))
step(np.array([1.0, 2.0, 3.0])), step(np.array([1.0, 2.5, 3.0]))
assert step.count_of_programs() == 1, step.explain()
"""


def test_two_calls_of_a_fresh_process_are_compiled():
    printed(PROGRAM)
