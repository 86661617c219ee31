"""The flight ends on the orbit of Mars, for as little thrust as Pontryagin's principle allows."""

import numpy as np
import pytest

integrate = pytest.importorskip("scipy.integrate")


def conditions(t, z):
    """The equations of motion and of the costates (Pontryagin 1962): the thrust is minus the
    costate of the velocity.
    """
    r, u, v, to_r, to_u, to_v = z
    return np.stack(
        [
            u,
            v**2 / r - 1 / r**2 - to_u,
            -to_v - u * v / r,
            to_u * (v**2 / r**2 - 2 / r**3) - to_v * u * v / r**2,
            to_v * v / r - to_r,
            to_v * u / r - 2 * to_u * v / r,
        ]
    )


def ends(first, last):
    return np.array(
        [first[0] - 1, first[1], first[2] - 1, last[0] - 1.524, last[1], last[2] - 1.524**-0.5]
    )


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


def test_hardly_any_thrust_is_cheaper(program, result):
    t = np.linspace(0, program.TIME, 60)
    guess = np.stack(
        [1 + 0.524 * t / t[-1], 0.05 + 0 * t, 1 - 0.19 * t / t[-1], *0 * t * np.ones((3, 1))]
    )
    optimum = integrate.solve_bvp(conditions, ends, t, guess, tol=1e-8, max_nodes=20000)
    assert optimum.success
    least = 0.5 * integrate.trapezoid(
        np.sum(optimum.sol(np.linspace(0, program.TIME, 4000))[4:] ** 2, axis=0),
        dx=program.TIME / 3999,
    )
    assert least * (1 - 1e-4) < result["cost"] < 1.001 * least
