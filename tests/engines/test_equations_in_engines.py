"""SciPy's solvers, called in programs of each engine with a parameter in `args` or in a closure."""

import numpy as np
import pytest

from chainrules_tape.scipy import integrate
from engines_by_name import close, ways_of

RATE = 0.5
EXACT = -np.exp(-RATE)  # of exp(-rate t) at t = 1


def by_args(rate):
    def slope(t, y, rate):
        return -rate * y

    return integrate.solve_ivp(slope, (0.0, 1.0), np.array([1.0, 2.0]), args=(rate,)).y[0, -1]


def by_closure(rate):
    return integrate.solve_ivp(lambda t, y: -rate * y, (0.0, 1.0), np.array([1.0, 2.0])).y[0, -1]


@ways_of()
@pytest.mark.parametrize("program", [by_args, by_closure])
def test_slopes(engine, way, program):
    found = engine.tower(way, lambda x: program(x[0]))(engine.array(np.array([RATE])))
    close(found, [EXACT], 1e-3)
