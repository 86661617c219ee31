"""How many bicycles are hired, hour by hour: counts on a cluster, fitted where they lie.

Two hundred thousand counts stand in chunks in the memories of a cluster's workers. The likelihood
is written for NumPy; on Dask's arrays its gradient and its Hessian are graphs of tasks, which run
where the chunks are: only the parameters travel.
"""

import sys

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from dask.base import compute, persist
from distributed import Client
from scipy import optimize

from chainrules_tape import hessian, value_and_grad

NAMES = (
    "level",
    "cos 24 h",
    "sin 24 h",
    "cos 12 h",
    "sin 12 h",
    "week-end",
    "week-end cos 12 h",
    "warmth",
)
ROWS, CHUNKS, TRUTH = 50_000, 4, np.array([1.6, -0.9, -0.35, -0.5, 0.1, -0.15, 0.45, 0.3])


def features(hour, weekend, warmth, xp=np):
    """A row for each count: waves of a day and half a day, the week-end, and the temperature in
    units of ten degrees.
    """
    waves = [wave(k * np.pi * hour / 12) for k in (1, 2) for wave in (np.cos, np.sin)]
    return xp.stack([0 * hour + 1, *waves, weekend, weekend * waves[2], warmth], axis=1)


def observe():
    """All hours and their counts, made on the workers."""
    rng, sizes = da.random.default_rng(0), {"size": CHUNKS * ROWS, "chunks": ROWS}
    hour, warmth, weekend = (
        rng.uniform(0, 24, **sizes),
        rng.normal(0, 0.8, **sizes),
        (rng.random(**sizes) < 2 / 7) * 1.0,
    )
    x = features(hour, weekend, warmth, da).rechunk((ROWS, len(NAMES)))
    return x, rng.poisson(np.exp(x @ TRUTH), chunks=ROWS).astype(float)


def loss(w, x, counts):
    """Minus the mean logarithm of the Poisson likelihood, but for a constant."""
    return np.mean(np.exp(x @ w) - counts * (x @ w))


def fit(x, counts):
    """The effects and their standard deviations."""
    best = optimize.minimize(
        lambda w: compute(*value_and_grad(loss)(w, x, counts)), np.zeros(len(NAMES)), jac=True
    ).x
    (curvature,) = compute(hessian(loss)(best, x, counts))
    return best, np.sqrt(np.diag(np.linalg.inv(curvature)) / len(x))


def draw(best, deviations, x, counts, path):
    figure, (left, right) = plt.subplots(1, 2, width_ratios=[1.5, 1], layout="constrained")
    hours, grid = np.arctan2(x[:, 2], x[:, 1]) * 12 / np.pi % 24, np.linspace(0, 24, 200)
    for weekend, color, name in ((0.0, "C0", "working day"), (1.0, "C1", "week-end")):
        mild = (x[:, 5] == weekend) & (abs(x[:, 7]) < 0.1)
        means = [counts[mild & (hours // 1 == hour)].mean() for hour in range(24)]
        left.plot(np.arange(24) + 0.5, means, "o", ms=3.5, color=color)
        left.plot(
            grid,
            np.exp(features(grid, 0 * grid + weekend, 0 * grid) @ best),
            color=color,
            label=name,
        )
    left.set(
        xlabel="hour of the day", ylabel="bicycles an hour", xticks=range(0, 25, 6), ylim=(0, None)
    )
    left.legend(loc="upper left")
    right.errorbar((best - TRUTH) / deviations, NAMES, xerr=1.0, fmt="o", color="C0")
    right.axvline(0, color="gray", lw=0.8)
    right.set(xlabel="(fit − truth) / σ", xlim=(-4, 4))
    figure.savefig(path)


def analyse(picture=None):
    x, counts = persist(*observe())
    best, deviations = fit(x, counts)
    if picture:
        draw(best, deviations, *compute(x, counts), picture)
    return {"best": best, "deviations": deviations}


def main(picture=None):
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=":0"):
        return analyse(picture)


if __name__ == "__main__":
    result = main(*sys.argv[1:])
    for name, value, deviation, truth in zip(NAMES, *result.values(), TRUTH, strict=True):
        print(f"{name:<18}{value:9.4f} ± {deviation:.4f}   truth {truth}")
