"""Which measurements decide a fit: the gradient of each of them, all computed at once.

An enzyme turns a substrate over at the rate of Michaelis and Menten. One of the measured rates is
wrong. At the fit the gradients of all measurements add up to zero; each of them, divided by the
Hessian, says how far the parameters move if that measurement is left out (Cook, 1977).
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from chainrules_tape import grad, hessian, vmap

TRUTH = np.array([2.0, 0.8])  # the largest rate, and the concentration of half of it
CONCENTRATIONS = np.array([0.1, 0.15, 0.2, 0.3, 0.5, 0.8, 1.2, 2.0, 3.0, 4.5, 6.0, 8.0])
WRONG = 9  # the measurement that went wrong


def rate(parameters, concentration):
    """The rate at which the substrate is turned over."""
    largest, half = parameters
    return largest * concentration / (half + concentration)


def error(parameters, concentration, measured):
    """Half the squared error of one measurement."""
    return 0.5 * (rate(parameters, concentration) - measured) ** 2


def loss(parameters, concentrations, rates):
    """The sum of the errors of all measurements."""
    return np.sum(vmap(error, in_axes=(None, 0, 0))(parameters, concentrations, rates))


def fit(concentrations, rates):
    """The best parameters, by Newton's method."""
    parameters = TRUTH.copy()
    for _ in range(10):
        slope = grad(loss)(parameters, concentrations, rates)
        parameters = parameters - np.linalg.solve(
            hessian(loss)(parameters, concentrations, rates), slope
        )
    return parameters


def shifts(parameters, concentrations, rates):
    """How far the parameters move if a measurement is left out, for each of them."""
    gradients = vmap(grad(error), in_axes=(None, 0, 0))(parameters, concentrations, rates)
    return np.linalg.solve(hessian(loss)(parameters, concentrations, rates), gradients.T).T


def draw(rates, best, moves, refits, path):
    """Draw the fit, and what each measurement does to it."""
    figure, (left, right) = plt.subplots(1, 2, width_ratios=[3, 2], layout="constrained")
    grid = np.linspace(0.0, 8.5, 200)
    sizes = 20 + 900 * np.abs(moves[:, 1])
    left.plot(grid, rate(best, grid), color="C0", label="fit")
    left.plot(grid, rate(TRUTH, grid), color="gray", ls=":", label="truth")
    left.scatter(CONCENTRATIONS, rates, sizes, color="C1", alpha=0.7, label="size: its influence")
    left.set(xlabel="concentration (mmol/l)", ylabel="rate (µmol/s)", ylim=(0, None))
    left.legend(loc="lower right")
    right.axline((0, 0), slope=1, color="gray", ls=":")
    right.plot(refits[:, 1] - best[1], moves[:, 1], "o", color="C1")
    right.set(xlabel="shift of the half rate, fitted again", ylabel="by its gradient")
    figure.savefig(path)


def main(picture=None):
    """Fit measured rates; return the fit, the shifts, and the fits without each measurement."""
    noise = 0.03 * np.random.default_rng(4).normal(size=CONCENTRATIONS.size)
    rates = rate(TRUTH, CONCENTRATIONS) + noise
    rates[WRONG] -= 0.35
    best = fit(CONCENTRATIONS, rates)
    moves = shifts(best, CONCENTRATIONS, rates)
    others = [np.arange(CONCENTRATIONS.size) != left_out for left_out in range(rates.size)]
    refits = np.stack([fit(CONCENTRATIONS[kept], rates[kept]) for kept in others])
    if picture:
        draw(rates, best, moves, refits, picture)
    return {"rates": rates, "best": best, "moves": moves, "refits": refits}


if __name__ == "__main__":
    result = main(*sys.argv[1:])
    for concentration, move in zip(CONCENTRATIONS, result["moves"], strict=True):
        print(f"without {concentration:4.2f} mmol/l the half rate moves by {move[1]:+.3f}")
