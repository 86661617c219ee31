"""How often steps along a curve are tried."""

import numpy as np
import pytest

from chainrules_tape import jacobian
from chainrules_tape.scipy.integrate import solve_ivp


@pytest.mark.parametrize("method", ["BDF", "LSODA"])
def test_the_first_steps_are_short_enough(method: str):
    """The slope is called in lanes once by the state, and once by what else it takes."""
    calls = []

    def hunt(t, y, p):
        calls.append(type(t) in (float, np.float64))
        prey, hunters = y
        return [p[0] * prey - p[1] * prey * hunters, p[1] * prey * hunters - hunters]

    def solved(p):
        options = {"method": method, "t_eval": np.linspace(0.0, 10.0, 21), "args": (p,)}
        return solve_ivp(hunt, (0.0, 10.0), np.array([10.0, 5.0]), rtol=1e-6, atol=1e-8, **options)

    found = jacobian(lambda p: solved(p).y, mode="forward")(np.array([1.1, 0.4]))
    assert found.shape == (2, 21, 2)
    assert calls.count(False) == 2
