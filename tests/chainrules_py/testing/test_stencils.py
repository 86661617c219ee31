"""Large steps that agree by accident are not believed where small ones say otherwise."""

import numpy as np

from chainrules_py.testing.stencils import estimates


def test_a_staircase_is_not_mistaken_for_a_ramp():
    def staircase(t):
        return np.floor(64 * t[:, None] + 0.5)

    steps = 2.0 ** -np.arange(12)
    noise = np.full((12, 1), 1e-16)
    found, *_ = estimates(staircase(steps), staircase(-steps), np.zeros(1), noise, steps)
    assert found.value[0] == 0.0 or not found.error[0] < 1.0
