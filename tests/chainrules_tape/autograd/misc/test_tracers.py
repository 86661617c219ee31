"""Programs that are recorded once."""

import numpy as np

from chainrules_tape.autograd import grad
from chainrules_tape.autograd.misc import const_graph


def test_a_program_is_recorded_and_is_right_where_it_branches():
    calls = []

    def f(x, y, scale):
        calls.append(x)
        return scale * (np.sin(x) if y > 0 else np.cos(y))

    g = const_graph(grad(f, 1), 0.5, scale=2.0)
    assert [g(2.0), g(3.0)] == [0.0, 0.0]
    assert np.allclose(g(-2.0), 2.0 * np.sin(2.0))


def test_calls_after_the_first_ones_do_not_run_the_function():
    class Counted:
        calls = 0

    def f(x, y):
        Counted.calls += 1
        return x * np.exp(y)

    g = const_graph(lambda x, y: f(x, y), np.ones(2))
    found = [g(np.full(2, float(i))) for i in range(5)]
    assert np.allclose(found, np.exp(np.arange(5.0))[:, None] * np.ones(2))
