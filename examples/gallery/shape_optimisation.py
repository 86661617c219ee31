"""A leaf spring that gives way as little as it can: how thick must a steel strip be, and where?

A strip is clamped at one end and bends far down under a load at the other. SciPy's solver finds its
shape; `implicit_function` differentiates the equation that it solves. By that gradient the steel is
moved to where it helps most, and none is added.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy import optimize

from chainrules_py import implicit_function
from chainrules_tape import value_and_grad

# of a strip of one metre; in metres, newtons
PARTS, PART, THICKNESS, LOAD = 40, 1 / 40, 0.005, 100.0
STIFFNESS = 200e9 * 0.05 / 12  # of steel, for a strip 5 cm wide, times the cube of its thickness


def middles(angles):
    """The angles of the middles of the parts; the strip is level at its clamped end."""
    return 0.5 * (angles + np.concatenate([np.zeros(1), angles[:-1]]))


def imbalance(angles, thickness, load):
    """Moment of the bent steel less moment of the load, part by part; `angles` are those of the
    ends of the parts.
    """
    steps, curvature = PART * np.cos(middles(angles)), np.diff(angles, prepend=0.0) / PART
    lever = np.cumsum(steps[::-1])[::-1] - 0.5 * steps
    return STIFFNESS * thickness**3 * curvature - load * lever


@implicit_function(residual=imbalance)
def bent(thickness, load):
    """The angles of the strip at rest."""
    return optimize.fsolve(imbalance, np.zeros(PARTS), args=(thickness, load), xtol=1e-10)


def drop(thickness, load):
    """By how many metres the loaded end comes down."""
    return PART * np.sum(np.sin(middles(bent(thickness, load))))


def best_shape(load):
    """The thicknesses with the smallest drop, of the weight of the even strip."""
    even = drop(np.full(PARTS, THICKNESS), load)
    loss = value_and_grad(lambda shape: drop(THICKNESS * shape / np.mean(shape), load) / even)
    options = {
        "method": "L-BFGS-B",
        "bounds": optimize.Bounds(0.1, 3.0),
        "options": {"ftol": 1e-10, "gtol": 1e-7},
    }
    shape = optimize.minimize(loss, np.ones(PARTS), jac=True, **options).x
    return THICKNESS * shape / np.mean(shape)


def draw(strips, load, path):
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(8.4, 3.0), width_ratios=[1.9, 1], layout="constrained"
    )
    place = (np.arange(PARTS) + 0.5) * PART
    for (name, thickness), color in zip(strips.items(), ("C1", "C0"), strict=True):
        angles = middles(bent(thickness, load))
        x, y = np.cumsum(PART * np.cos(angles)) - PART / 2, np.cumsum(PART * -np.sin(angles))
        across, up = 2.5 * thickness * np.sin(angles), 2.5 * thickness * np.cos(angles)
        left.fill(
            [*x + across, *(x - across)[::-1]],
            [*y + up, *(y - up)[::-1]],
            color=color,
            alpha=0.8,
            lw=0,
        )
        left.annotate(
            "",
            (x[-1], y[-1] - 0.12),
            (x[-1], y[-1]),
            arrowprops={"arrowstyle": "-|>", "color": color},
        )
        right.plot(place, 1e3 * thickness, color=color, label=name)
    right.plot(place, 7.5 * np.sqrt(1 - place), ":", color="gray", label="√(distance to the load)")
    left.axvline(0, color="gray", lw=3)
    left.set(
        aspect="equal",
        ylim=(-0.48, 0.06),
        xlabel="m",
        ylabel="m",
        title=f"under {load:.0f} N, five times as thick",
    )
    right.set(xlabel="place (m)", ylabel="thickness (mm)", ylim=(0, None))
    right.legend(loc="lower left")
    figure.savefig(path)


def main(picture=None, *, load=LOAD):
    """Shape the strip; return its thicknesses, and the drop of its end before and after."""
    even, best = np.full(PARTS, THICKNESS), best_shape(load)
    if picture:
        draw({"even": even, "best": best}, load, picture)
    return {"best": best, "before": drop(even, load), "after": drop(best, load)}


if __name__ == "__main__":
    result = main(*sys.argv[1:])
    print(
        f"drop of the end: {result['before']:.3f} m even, {result['after']:.3f} m in the best shape"
    )
