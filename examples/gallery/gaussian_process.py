"""The day of a star, from its brightness on scattered nights.

Spots turn with a star, and come and go, so that its brightness nearly repeats itself. A Gaussian
process says so by five numbers, among them the period. The gradient of its likelihood by all of
them, through a Cholesky factor, finds the best ones in a few steps, the Hessian says how well the
period is known, and the process fills in the nights that nobody observed.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy import linalg, optimize

from chainrules_tape import hessian, value_and_grad

NAMES = ("amplitude (mmag)", "life of a spot (d)", "period (d)", "roughness", "noise (mmag)")
TRUTH, START = np.array([12.0, 35.0, 11.3, 1.5, 2.0]), np.array([6.0, 20.0, 10.0, 1.0, 4.0])


def kernel(between, parameters):
    """The covariance of the brightness at two times, by the days between them: the star turns, its
    spots come and go.
    """
    amplitude, life, period, roughness, _ = parameters
    return amplitude**2 * np.exp(
        -0.5 * (between / life) ** 2 - roughness * np.sin(np.pi * between / period) ** 2
    )


def covariance(times, parameters):
    """The covariance of all measurements, with their noise."""
    return kernel(times[:, None] - times, parameters) + parameters[4] ** 2 * np.eye(times.size)


def loss(logs, times, brightness):
    """Minus the logarithm of the likelihood, by the logarithms of the parameters."""
    factor = np.linalg.cholesky(covariance(times, np.exp(logs)))
    white = linalg.solve_triangular(factor, brightness, lower=True)
    return (
        0.5 * np.sum(white**2)
        + np.sum(np.log(np.diag(factor)))
        + 0.5 * times.size * np.log(2 * np.pi)
    )


def observe():
    """A hundred measurements of a star in two seasons."""
    rng = np.random.default_rng(1)
    times = np.sort(np.concatenate([rng.uniform(0, 55, 60), rng.uniform(75, 120, 40)]))
    return times, np.linalg.cholesky(covariance(times, TRUTH)) @ rng.normal(size=times.size)


def predict(new, times, brightness, parameters):
    """The brightness at other times, and its standard deviation."""
    both = kernel(new[:, None] - times, parameters)
    weights = np.linalg.solve(covariance(times, parameters), both.T)
    return brightness @ weights, np.sqrt(parameters[0] ** 2 - np.sum(weights.T * both, axis=1))


def draw(times, brightness, best, deviations, path):
    """Draw the measurements and the process that goes through them."""
    figure, panel = plt.subplots(layout="constrained")
    grid = np.linspace(-3, 130, 500)
    mean, spread = predict(grid, times, brightness, best)
    panel.plot(grid, mean, label="Gaussian process, ±2σ")
    panel.fill_between(grid, mean - 2 * spread, mean + 2 * spread, color="C0", alpha=0.3, lw=0)
    panel.errorbar(
        times, brightness, best[4], fmt=".", color="C1", elinewidth=0.8, label="measurements"
    )
    title = f"the star turns in {best[2]:.2f} ± {best[2] * deviations[2]:.2f} days"
    panel.set(xlabel="time (days)", ylabel="brightness (mmag)", xlim=(-3, 130), title=title)
    panel.legend(loc="upper right")
    figure.savefig(path)


def main(picture=None):
    """Fit the process; return its parameters, and the standard deviations of their logarithms."""
    times, brightness = observe()
    found = optimize.minimize(
        value_and_grad(loss), np.log(START), args=(times, brightness), jac=True, method="BFGS"
    )
    deviations = np.sqrt(np.diag(np.linalg.inv(hessian(loss)(found.x, times, brightness))))
    if picture:
        draw(times, brightness, np.exp(found.x), deviations, picture)
    return {"best": np.exp(found.x), "deviations": deviations, "loss": found.fun}


if __name__ == "__main__":
    result = main(*sys.argv[1:])
    for name, value, truth, deviation in zip(
        NAMES, result["best"], TRUTH, result["deviations"], strict=True
    ):
        print(f"{name:<20}{value:8.2f} ± {value * deviation:.2f}   truth {truth}")
