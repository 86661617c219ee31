"""The inside of a plate from a few thermometers: where it conducts heat well, and where badly.

Nine heaters warm a plate in turn, its rim is kept cold, and 36 thermometers read the temperature.
Which conductivity, cell by cell, explains what they read? The temperatures solve a linear system
that the conductivities make up. The gradient by all of them costs about as much as solving that
system once more, and with it a quasi-Newton method finds the plate.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm
from scipy import optimize

from chainrules_tape import value_and_grad

SIZE = 18  # cells along an edge
CELLS = np.arange(SIZE * SIZE).reshape(SIZE, SIZE)
# of neighbours
PAIRS = np.concatenate([np.stack([a[1:], a[:-1]], -1).reshape(-1, 2) for a in (CELLS, CELLS.T)])
DROPS = np.eye(SIZE * SIZE)[PAIRS[:, 0]] - np.eye(SIZE * SIZE)[PAIRS[:, 1]]
RIM = np.pad(np.zeros((SIZE - 2, SIZE - 2)), 1, constant_values=2.0).ravel()
HEATERS = np.eye(SIZE * SIZE)[:, CELLS[3::5, 3::5].ravel()]
THERMOMETERS = CELLS[1::3, 1::3].ravel()
NOISE = 0.003  # of a thermometer, beside temperatures of up to 0.5


def temperatures(logs):
    """The temperature of each cell (rows) for each heater (columns), from the logarithms of the
    conductivities.
    """
    conductivity = np.exp(logs)
    one, other = conductivity[PAIRS[:, 0]], conductivity[PAIRS[:, 1]]
    between = 2 * one * other / (one + other)
    system = DROPS.T @ (between[:, None] * DROPS) + np.diag(RIM * conductivity)
    return np.linalg.solve(system, HEATERS)


def loss(logs, readings):
    """The misfit in units of the noise, and a price for each step between neighbours."""
    misfit = (temperatures(logs)[THERMOMETERS] - readings) / NOISE
    return 0.5 * np.sum(misfit**2) + np.sum(np.sqrt((DROPS @ logs) ** 2 + 0.01))


def plate():
    """The logarithms of a conductivity: with a piece of metal and one of cork in it."""
    y, x = np.mgrid[:SIZE, :SIZE] / (SIZE - 1)
    metal, cork = np.hypot(x - 0.3, y - 0.35) < 0.17, np.hypot(x - 0.68, y - 0.65) < 0.2
    return np.log(np.where(metal, 5.0, np.where(cork, 0.2, 1.0))).ravel()


def draw(truth, found, path):
    """Draw the true plate, the temperatures for one heater, and the plate that was found."""
    figure, panels = plt.subplots(1, 3, figsize=(8.4, 2.9), layout="constrained")
    for panel, logs, title in (
        (panels[0], truth, "true conductivity"),
        (panels[2], found, "found from the readings"),
    ):
        image = panel.imshow(
            np.exp(logs).reshape(SIZE, SIZE), cmap="RdBu_r", norm=LogNorm(0.2, 5.0)
        )
        panel.set(title=title)
    figure.colorbar(
        image, ax=panels[2], ticks=[0.2, 0.5, 1, 2, 5], format="%g", shrink=0.8
    ).minorticks_off()
    warmth = panels[1].imshow(temperatures(truth)[:, 4].reshape(SIZE, SIZE), cmap="inferno")
    figure.colorbar(warmth, ax=panels[1], shrink=0.8)
    panels[1].plot(THERMOMETERS % SIZE, THERMOMETERS // SIZE, ".", ms=4, color="#4fd1c5")
    panels[1].set(title="temperature, one heater on")
    for panel in panels:
        panel.axis("off")
    figure.savefig(path)


def main(picture=None):
    """Read the thermometers and find the plate; return it beside the true one."""
    truth = plate()
    readings = temperatures(truth)[THERMOMETERS] + NOISE * np.random.default_rng(0).normal(
        size=(36, 9)
    )
    options = {"jac": True, "method": "L-BFGS-B", "options": {"maxiter": 120}}
    found = optimize.minimize(value_and_grad(loss), 0.0 * truth, args=(readings,), **options).x
    if picture:
        draw(truth, found, picture)
    misfit = np.sqrt(np.mean((temperatures(found)[THERMOMETERS] - readings) ** 2)) / NOISE
    return {"truth": truth, "found": found, "misfit": misfit, "readings": readings}


if __name__ == "__main__":
    result = main(*sys.argv[1:])
    likeness = np.corrcoef(result["truth"], result["found"])[0, 1]
    print(
        f"misfit in units of the noise: {result['misfit']:.2f}; correlation with the truth:"
        f" {likeness:.3f}"
    )
