"""A flight from the Earth's orbit to that of Mars with a small engine that always burns.

How must the thrust be steered, so that the least of it is used? The path solves a differential equation; the thrust in it
is a sum of cosines with sixteen coefficients. The derivatives of where the flight ends come from the adjoint equation,
solved backwards along the path. Its price does not grow with the number of coefficients, and an optimiser with constraints
needs nothing else. Lengths are in astronomical units; a year is 2π.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from chainrules_tape import grad, jacobian
from chainrules_tape.scipy import integrate, optimize

MARS = 1.524
DAYS = 420.0
TIME = DAYS * 2 * np.pi / 365.25
TERMS = 8
UNIT = 0.01 * (2 / TIME) ** 0.5 * np.array([0.5**0.5, *[1.0] * (TERMS - 1)])
ACCELERATION = 5.93  # mm/s²: that of the Sun at a distance of one


def thrust(t: Any, coefficients: Any) -> Any:
    """The acceleration away from the Sun and along the orbit."""
    return (UNIT * coefficients) @ np.cos(np.pi * np.multiply.outer(np.arange(TERMS), t / TIME))


def motion(t: float, state: Any, coefficients: Any) -> Any:
    """The slopes of the distance, the angle, and both velocities (Newton's law in polar coordinates)."""
    r, _, u, v = state
    outward, along = thrust(t, coefficients)
    return [u, v / r, v**2 / r - 1 / r**2 + outward, along - u * v / r]


def flight(coefficients: Any, times: Any) -> Any:
    """The states at some times, a column each, from the Earth's circular orbit on."""
    start = np.array([1.0, 0.0, 0.0, 1.0])
    return integrate.solve_ivp(motion, (0.0, TIME), start, t_eval=times, args=(coefficients,), rtol=1e-6, atol=1e-7).y


def cost(x: Any) -> Any:
    """Half the integral of the squared thrust, in units of 10⁻⁴."""
    return 0.5 * np.sum(x**2)  # cosines are orthogonal, and `UNIT` makes them of length 0.01


def miss(x: Any) -> Any:
    """How far the end of the flight is from the circular orbit of Mars: in distance and in both velocities."""
    r, _, u, v = flight(x.reshape(2, TERMS), np.array([TIME]))[:, -1]
    return np.stack([r - MARS, u, v - MARS**-0.5])


def draw(coefficients: Any, path: str) -> None:
    """Draw the flight with its thrust as arrows, and the thrust by time."""
    import matplotlib.pyplot as plt

    plt.style.use(Path(__file__).with_name("gallery.mplstyle"))
    figure, (left, right) = plt.subplots(1, 2, width_ratios=[1, 1.3])
    times = np.linspace(0, TIME, 200)
    r, angle, _, _ = flight(coefficients, times)
    outward, along = ACCELERATION * thrust(times, coefficients)
    circle = np.linspace(0, 2 * np.pi, 200)
    for radius, name, color, shift in ((1.0, "Earth", "C0", -0.18), (MARS, "Mars", "C1", 0.05)):
        left.plot(radius * np.cos(circle), radius * np.sin(circle), lw=0.9, color=color, alpha=0.8)
        left.text(0, radius + shift, name, ha="center", color=color)
    left.plot(0, 0, "o", color="#e3b505")
    turn = np.exp(1j * angle)
    z, push = r * turn, (outward + 1j * along) * turn
    left.plot(z.real, z.imag, color="C2")
    left.quiver(*(part[::12] for part in (z.real, z.imag, push.real, push.imag)), color="C3", width=0.006, scale=1.6)
    left.set_aspect("equal")
    left.axis("off")
    right.plot(times / TIME * DAYS, outward, label="away from the Sun")
    right.plot(times / TIME * DAYS, along, label="along the orbit")
    right.set(xlabel="day of the flight", ylabel="acceleration (mm/s²)")
    right.legend()
    figure.savefig(path)


def main(picture: str | None = None) -> dict[str, Any]:
    """Find the cheapest thrust; return its coefficients, its cost and by how much Mars is missed."""
    reach = {"type": "eq", "fun": miss, "jac": jacobian(miss)}
    found = optimize.minimize(cost, np.zeros(2 * TERMS), jac=grad(cost), constraints=[reach], method="SLSQP")
    if picture:
        draw(found.x.reshape(2, TERMS), picture)
    return {"coefficients": found.x.reshape(2, TERMS), "cost": found.fun / 1e4, "miss": miss(found.x), "steps": found.nit}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", help="the file for the picture")
    result = main(**vars(parser.parse_args()))
    print(f"cost {result['cost']:.6f}, end of the flight beside the orbit of Mars by {result['miss']}, {result['steps']} steps")
