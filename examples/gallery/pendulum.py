"""The acceleration of gravity from a pendulum, with the budget of its uncertainty.

A ball swings on a wire. Length, diameter, periods and amplitudes are measured, each with its own
doubt; the doubts of the thermometer and the scale are shared by all runs. The formula is written as
one writes it for numbers; `examples/engines/uncertain.py` is an engine on the table of rules.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import ellipk

sys.path.insert(0, str(Path(__file__).parents[1] / "engines"))
from uncertain import uncertain

TRUTH = 9.8067
AMPLITUDES = np.deg2rad([4.0, 8.0, 12.0, 16.0, 20.0, 24.0])
SWINGS = 20  # that the stopwatch times in each run


def period(length, gravity, amplitude):
    """The exact period, by the complete elliptic integral."""
    return 4 * np.sqrt(length / gravity) * ellipk(np.sin(amplitude / 2) ** 2)


def measured(rng):
    """What the laboratory writes down: values with their deviations, by source."""
    wire = uncertain(0.9905, 0.0004, name="scale")
    warmth = uncertain(3.0, 0.5, name="thermometer")  # above that of the scale
    ball = uncertain(0.0380, 0.00005, name="calliper")
    length = wire * (1 + 1.2e-5 * warmth) + ball / 2
    true = period(0.9905 * (1 + 3.6e-5) + 0.019, TRUTH, AMPLITUDES)
    times = SWINGS * true + rng.normal(0, 0.02, len(true))
    angles = AMPLITUDES + rng.normal(0, 0.006, len(true))
    return (
        length,
        uncertain(times, 0.02, name="stopwatch") / SWINGS,
        uncertain(angles, 0.006, name="protractor"),
    )


def gravity(length, times, amplitudes):
    """Gravity from each run."""
    return 16 * length * (ellipk(np.sin(amplitudes / 2) ** 2) / times) ** 2


def weighted_mean(values):
    """The mean by the inverse of the covariances, which the runs share in part."""
    weights = np.linalg.solve(values.covariance(), np.ones(len(values.value)))
    return np.sum(weights * values) / np.sum(weights)


def draw(runs, best, path):
    """Draw what each run gives, with and without the amplitude, and whose doubt the result is."""
    figure, (left, right) = plt.subplots(1, 2, width_ratios=[2, 1], layout="constrained")
    degrees = np.rad2deg(AMPLITUDES)
    small = 1 / (ellipk(np.sin(AMPLITUDES / 2) ** 2) * 2 / np.pi) ** 2
    left.errorbar(degrees, runs.value, runs.std, fmt="o", label="each run, ±σ")
    left.plot(degrees, runs.value * small, "x", color="gray", label="as for small amplitudes")
    left.axhspan(best.value - best.std, best.value + best.std, alpha=0.35, lw=0, label=f"{best}")
    left.axhline(TRUTH, color="black", lw=0.8, ls="--", label="true")
    left.set(xlabel="amplitude (degrees)", ylabel="gravity (m/s²)")
    left.legend(loc="lower left")
    budget = best.budget()
    right.barh(list(budget), [100 * share for share in budget.values()])
    right.invert_yaxis()
    right.set(xlabel="share of the variance (%)")
    figure.savefig(path)


def main(picture=None):
    """Weigh the runs, and draw them."""
    runs = gravity(*measured(np.random.default_rng(3)))
    best = weighted_mean(runs)
    print(f"gravity {best} m/s², mostly by the {next(iter(best.budget()))}")
    if picture:
        draw(runs, best, picture)
    return {"runs": runs, "best": best}


if __name__ == "__main__":
    main(*sys.argv[1:])
