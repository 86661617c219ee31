"""A boundary value problem by shooting: aim, integrate the differential equation, correct the aim
by Newton's method.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_tape import jacobian

State = Any


def runge_kutta(slope: Callable[[State], State], state: State, dt: float, steps: int) -> State:
    """The state after some steps of the classical method of fourth order (Kutta, 1901)."""
    for _ in range(steps):
        k1 = slope(state)
        k2 = slope(state + 0.5 * dt * k1)
        k3 = slope(state + 0.5 * dt * k2)
        k4 = slope(state + dt * k3)
        state = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return state


def flight(state: State) -> State:
    """A ball (x, y, vx, vy) with drag: the slope of its state."""
    velocity = state[2:]
    drag = 0.1 * np.sqrt(np.sum(velocity**2)) * velocity
    return np.concatenate([velocity, np.array([0.0, -9.81]) - drag])


def landing(velocity: Any, time: float, steps: int) -> Any:
    """Where a ball thrown from the origin is after a time."""
    return runge_kutta(flight, np.concatenate([np.zeros(2), velocity]), time / steps, steps)[:2]


def loss(velocity: Any, target: Any, time: float, steps: int) -> Any:
    """Half the squared distance from the target."""
    return 0.5 * np.sum((landing(velocity, time, steps) - target) ** 2)


def problem() -> tuple[Any, ...]:
    """A first aim, where the ball has to be, and when."""
    return np.array([5.0, 8.0]), np.array([12.0, 1.0]), 1.5, 40


def newton(
    velocity: Any, target: Any, *flight_plan: Any, steps: int = 6
) -> tuple[Any, list[float]]:
    """The aim that hits, and by how much each aim before it missed."""
    misses = []
    for _ in range(steps):
        miss = landing(velocity, *flight_plan) - target
        misses.append(float(np.linalg.norm(miss)))
        velocity = velocity - np.linalg.solve(jacobian(landing)(velocity, *flight_plan), miss)
    return velocity, misses


def main() -> None:
    velocity, misses = newton(*problem())
    print("missed by", *(f"{miss:.1e}" for miss in misses))
    print("velocity", velocity)


if __name__ == "__main__":
    main()
