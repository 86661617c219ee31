"""A leaf spring that gives way as little as it can: how thick must a steel strip be, and where?

A strip is clamped at one end and bends far down under a load at the other. Its shape is what solves the equations of
equilibrium, each joint's moment against the load's lever. The solver is SciPy's, and nobody looks into it: `implicit_function`
differentiates the equation that it solves. With that gradient the steel is moved to where it helps most, and none is added.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from scipy import optimize

from chainrules_py import implicit_function
from chainrules_tape import value_and_grad

PARTS = 40
PART = 1.0 / PARTS  # of a strip of one metre
STIFFNESS = 200e9 * 0.05 / 12  # of steel, for a strip 5 cm wide, times the cube of its thickness
THICKNESS = 0.005
LOAD = 100.0  # newton


def middles(x: Any) -> Any:
    """The means of neighbours, the clamped end (where the strip is level) before them."""
    return 0.5 * (x + np.concatenate([np.zeros(1), x[:-1]]))


def imbalance(angles: Any, thickness: Any, load: Any) -> Any:
    """Moment of the bent steel less moment of the load, part by part; `angles` are those of the ends of the parts."""
    steps = PART * np.cos(middles(angles))
    lever = np.cumsum(steps[::-1])[::-1] - 0.5 * steps
    curvature = (angles - np.concatenate([np.zeros(1), angles[:-1]])) / PART
    return STIFFNESS * thickness**3 * curvature - load * lever


@implicit_function(residual=imbalance)
def bent(thickness: Any, load: Any) -> Any:
    """The angles of the strip at rest."""
    return optimize.fsolve(imbalance, np.zeros(PARTS), args=(thickness, load), xtol=1e-10)


def drop(thickness: Any, load: Any) -> Any:
    """By how many metres the loaded end comes down."""
    return PART * np.sum(np.sin(middles(bent(thickness, load))))


def thicknesses(shape: Any) -> Any:
    """Thicknesses in proportion to a shape, of the weight of the even strip."""
    return THICKNESS * shape / np.mean(shape)


def best_shape(load: float) -> Any:
    """The thicknesses with the smallest drop."""
    even = drop(thicknesses(np.ones(PARTS)), load)

    def loss(shape: Any) -> Any:
        return drop(thicknesses(shape), load) / even

    bounds = optimize.Bounds(0.1, 3.0)
    options = {"ftol": 1e-10, "gtol": 1e-7}
    found = optimize.minimize(value_and_grad(loss), np.ones(PARTS), jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return thicknesses(found.x)


def draw(strips: dict[str, Any], load: float, path: str) -> None:
    """Draw the strips under their load, five times as thick as they are, and their thicknesses."""
    import matplotlib.pyplot as plt

    plt.style.use(Path(__file__).with_name("gallery.mplstyle"))
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.0), width_ratios=[1.9, 1])
    place = (np.arange(PARTS) + 0.5) * PART
    for (name, thickness), color in zip(strips.items(), ("C1", "C0"), strict=True):
        angles = middles(bent(thickness, load))
        steps = PART * np.array([np.cos(angles), -np.sin(angles)])
        middle = np.cumsum(steps, axis=1) - 0.5 * steps
        side = 2.5 * thickness * np.array([np.sin(angles), np.cos(angles)])
        left.fill(*np.concatenate([middle + side, (middle - side)[:, ::-1]], axis=1), color=color, alpha=0.8, lw=0)
        end = middle[:, -1]
        left.annotate("", end - [0, 0.12], end, arrowprops={"arrowstyle": "-|>", "color": color})
        right.plot(place, 1e3 * thickness, color=color, label=name)
    right.plot(place, 7.5 * np.sqrt(1 - place), ":", color="#7d7d7d", label="√(distance to the load)")
    left.axvline(0, color="#7d7d7d", lw=3)
    left.set(
        aspect="equal", ylim=(-0.48, 0.06), xlabel="m", ylabel="m", title=f"under {load:.0f} N (drawn five times as thick)"
    )
    right.set(xlabel="place (m)", ylabel="thickness (mm)", ylim=(0, None))
    right.legend(loc="lower left")
    figure.savefig(path)


def main(picture: str | None = None, load: float = LOAD) -> dict[str, Any]:
    """Shape the strip; return its thicknesses, and the drop of its end before and after."""
    even, best = np.full(PARTS, THICKNESS), best_shape(load)
    if picture:
        draw({"even": even, "best": best}, load, picture)
    return {"best": best, "before": drop(even, load), "after": drop(best, load)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", help="the file for the picture")
    result = main(**vars(parser.parse_args()))
    print(f"drop of the end: {result['before']:.3f} m even, {result['after']:.3f} m in the best shape")
