"""The flight ends on the orbit of Mars, by an integrator of SciPy's."""

import numpy as np
import pytest

integrate = pytest.importorskip("scipy.integrate")


def test_the_flight_ends_on_the_orbit_of_mars(program, result):
    def motion(t, z):
        position, speed = z[:2], z[2:]
        outward = position / np.linalg.norm(position)
        push = program.thrust(t, result["coefficients"])
        return [
            *speed,
            *(
                push[0] * outward
                + push[1] * np.array([-outward[1], outward[0]])
                - outward / (position @ position)
            ),
        ]

    solved = integrate.solve_ivp(
        motion, (0.0, program.TIME), [1.0, 0, 0, 1.0], method="DOP853", rtol=1e-10, atol=1e-12
    )
    position, speed = solved.y[:2, -1], solved.y[2:, -1]
    assert np.isclose(np.linalg.norm(position), 1.524, atol=1e-4)
    assert np.isclose(np.linalg.norm(speed), 1.524**-0.5, atol=1e-4)
    assert np.isclose(position @ speed, 0.0, atol=1e-4)
