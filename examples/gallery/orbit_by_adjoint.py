"""A flight from the Earth's orbit to that of Mars with a small engine that always burns.

How must it be steered, so that it works as little as possible? The path solves a differential
equation, in which the thrust is a sum of cosines with sixteen coefficients. The derivatives of
where the flight ends come from the adjoint equation, solved backwards along the path. Lengths are
in astronomical units; a year is 2π.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Circle
from scipy import integrate, optimize

from chainrules_tape import grad, jacobian

MARS, DAYS, TERMS = 1.524, 420.0, 8
# on the Earth's circular orbit: the distance, the angle, and both velocities
START = np.array([1.0, 0.0, 0.0, 1.0])
TIME = DAYS * 2 * np.pi / 365.25
UNIT = 0.01 * (2 / TIME) ** 0.5 * np.array([0.5**0.5, *[1.0] * (TERMS - 1)])


def thrust(t, coefficients):
    """The acceleration away from the Sun and along the orbit."""
    return (UNIT * coefficients) @ np.cos(np.pi * np.multiply.outer(np.arange(TERMS), t / TIME))


def motion(t, state, coefficients):
    r, _, u, v = state
    outward, along = thrust(t, coefficients)  # and Newton's law in polar coordinates
    return [u, v / r, v**2 / r - 1 / r**2 + outward, along - u * v / r]


def flight(coefficients, times):
    """The states at some times, a column each."""
    return integrate.solve_ivp(
        motion, (0.0, TIME), START, t_eval=times, args=(coefficients,), rtol=1e-6, atol=1e-7
    ).y


def cost(x):
    """Half the integral of the squared thrust, in units of 10⁻⁴."""
    return 0.5 * np.sum(x**2)  # cosines are orthogonal, and `UNIT` makes them of length 0.01


def miss(x):
    """How far the end of the flight is from the circular orbit of Mars: in distance and in both
    velocities.
    """
    r, _, u, v = flight(x.reshape(2, TERMS), np.array([TIME]))[:, -1]
    return np.stack([r - MARS, u, v - MARS**-0.5])


def draw(coefficients, path):
    figure, (left, right) = plt.subplots(1, 2, width_ratios=[1, 1.3], layout="constrained")
    times = np.linspace(0, TIME, 200)
    r, angle, _, _ = flight(coefficients, times)
    # in mm/s²: the unit is the pull of the Sun on the Earth
    outward, along = 5.93 * thrust(times, coefficients)
    for radius, name, color, shift in ((1.0, "Earth", "C0", -0.18), (MARS, "Mars", "C1", 0.05)):
        left.add_patch(Circle((0, 0), radius, fill=False, lw=0.9, color=color, alpha=0.8))
        left.text(0, radius + shift, name, ha="center", color=color)
    left.plot(0, 0, "o", color="#e3b505")
    place, push = np.exp(1j * angle) * [r, outward + 1j * along]
    left.plot(place.real, place.imag, color="C2")
    left.quiver(
        *(part[::12] for part in (place.real, place.imag, push.real, push.imag)),
        color="C3",
        width=0.006,
        scale=1.6,
    )
    left.axis("equal")
    left.axis("off")
    right.plot(
        times / TIME * DAYS,
        np.transpose([outward, along]),
        label=["away from the Sun", "along the orbit"],
    )
    right.set(xlabel="day of the flight", ylabel="acceleration (mm/s²)")
    right.legend()
    figure.savefig(path)


def main(picture=None):
    """Find the cheapest thrust; return its coefficients, its cost and by how much Mars is missed."""
    reach = {"type": "eq", "fun": miss, "jac": jacobian(miss)}
    found = optimize.minimize(
        cost, np.zeros(2 * TERMS), jac=grad(cost), constraints=[reach], method="SLSQP"
    )
    if picture:
        draw(found.x.reshape(2, TERMS), picture)
    return {
        "coefficients": found.x.reshape(2, TERMS),
        "cost": found.fun / 1e4,
        "miss": miss(found.x),
    }


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
