"""The energy of a gamma line, fitted to the counts of a detector, with its uncertainty.

A spectrum of caesium-137 near 662 keV: a line of Gaussian shape on a sloping background, with
Poisson noise in each channel. The gradient and the Hessian of the likelihood are those of the
function as it is written. Newton's method finds the best parameters with both, and the inverse of
the Hessian is their covariance; the Jacobian of the curve takes it to the curve's own uncertainty.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy import optimize

from chainrules_tape import grad, hessian, jacobian

WIDTH = 3.0  # of a channel, in keV
ENERGIES = np.arange(580.0, 746.0, WIDTH)
# counts in the line, its energy, its width; the background and its slope
TRUTH = np.array([2000.0, 661.66, 8.5, 40.0, -0.12])
START = np.array([1500.0, 655.0, 10.0, 30.0, 0.0])


def spectrum(parameters, energies):
    """The expected counts in each channel."""
    area, energy, sigma, level, slope = parameters
    line = np.exp(-0.5 * ((energies - energy) / sigma) ** 2) / (np.sqrt(2 * np.pi) * sigma)
    return WIDTH * area * line + level + slope * (energies - 662.0)


def loss(parameters, counts):
    """Minus the logarithm of the Poisson likelihood, but for a constant."""
    expected = spectrum(parameters, ENERGIES)
    return np.sum(expected - counts * np.log(expected))


def fit(counts):
    """The best parameters and their covariance."""
    found = optimize.minimize(
        loss, START, args=(counts,), jac=grad(loss), hess=hessian(loss), method="trust-exact"
    )
    return found.x, np.linalg.inv(hessian(loss)(found.x, counts))


def draw(counts, best, covariance, path):
    """Draw the spectrum with the fitted curve, and what is known of the line's energy and width."""
    figure, (left, right) = plt.subplots(1, 2, width_ratios=[2, 1], layout="constrained")
    grid = np.linspace(ENERGIES[0], ENERGIES[-1], 400)
    curve, slopes = spectrum(best, grid), jacobian(spectrum)(best, grid)
    spread = np.sqrt(np.einsum("ni,ij,nj->n", slopes, covariance, slopes))
    left.errorbar(
        ENERGIES, counts, np.sqrt(counts), fmt=".", color="gray", elinewidth=0.8, label="counts"
    )
    left.plot(grid, curve, color="C0", label="fit, ±2σ")
    left.fill_between(grid, curve - 2 * spread, curve + 2 * spread, color="C0", alpha=0.35, lw=0)
    left.set(xlabel="energy (keV)", ylabel=f"counts per {WIDTH:.0f} keV", ylim=(0, None))
    left.legend(loc="upper left")
    angles = np.linspace(0, 2 * np.pi, 100)
    circle = np.linalg.cholesky(covariance[1:3, 1:3]) @ [np.cos(angles), np.sin(angles)]
    for k in (1, 2):
        right.plot(*(best[1:3, None] + k * circle), color="C0", alpha=1 / k, label=f"{k}σ")
    right.plot(*TRUTH[1:3], "x", color="C1", label="truth")
    right.set(xlabel="energy of the line (keV)", ylabel="its width σ (keV)")
    right.locator_params(axis="x", nbins=3)
    right.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    figure.savefig(path)


def main(picture=None):
    """Fit a spectrum; return the parameters, their covariance and the counts."""
    counts = np.random.default_rng(0).poisson(spectrum(TRUTH, ENERGIES)).astype(float)
    best, covariance = fit(counts)
    if picture:
        draw(counts, best, covariance, picture)
    return {"best": best, "covariance": covariance, "counts": counts}


if __name__ == "__main__":
    result = main(*sys.argv[1:])
    errors = np.sqrt(np.diag(result["covariance"]))
    for name, value, error in zip(
        ("area", "energy", "width", "level", "slope"), result["best"], errors, strict=True
    ):
        print(f"{name:<7}{value:10.3f} ± {error:.3f}")
