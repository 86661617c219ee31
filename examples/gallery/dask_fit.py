"""How many bicycles are hired, hour by hour: counts on a cluster, fitted where they lie.

Two hundred thousand counts stand in chunks in the memories of the workers of a Dask cluster. The likelihood is written for
NumPy; on Dask's arrays its gradient is one more graph of tasks, which runs where the chunks are, and only eight numbers
travel. So does the Hessian, which says how well each effect is known.
"""

import argparse
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
from dask.base import compute, persist
from distributed import Client, LocalCluster
from scipy import optimize

from chainrules_tape import hessian, value_and_grad

NAMES = ("level", "cos 24 h", "sin 24 h", "cos 12 h", "sin 12 h", "week-end", "week-end cos 12 h", "warmth")
TRUTH = np.array([1.6, -0.9, -0.35, -0.5, 0.1, -0.15, 0.45, 0.3])
ROWS, CHUNKS = 50_000, 4


def features(hour: Any, weekend: Any, warmth: Any, xp: Any = np) -> Any:
    """A row for each count: waves of a day and half a day, the week-end, and the temperature in units of ten degrees."""
    day, half = 2 * np.pi * hour / 24, 4 * np.pi * hour / 24
    waves = [np.cos(day), np.sin(day), np.cos(half), np.sin(half)]
    return xp.stack([0 * hour + 1, *waves, weekend, weekend * np.cos(half), warmth], axis=1)


def observe() -> tuple[Any, Any]:
    """All hours and their counts, made on the workers."""
    rng: Any = da.random.default_rng(0)
    sizes = {"size": CHUNKS * ROWS, "chunks": ROWS}
    hour, warmth, weekend = rng.uniform(0, 24, **sizes), rng.normal(0, 0.8, **sizes), (rng.random(**sizes) < 2 / 7) * 1.0
    x = features(hour, weekend, warmth, da).rechunk((ROWS, len(NAMES)))
    return x, rng.poisson(np.exp(x @ TRUTH), chunks=ROWS).astype(float)


def loss(w: Any, x: Any, counts: Any) -> Any:
    """Minus the mean logarithm of the Poisson likelihood, but for a constant."""
    logs = x @ w
    return np.mean(np.exp(logs) - counts * logs)


def fit(x: Any, counts: Any) -> tuple[Any, Any]:
    """The effects and their standard deviations."""

    def step(w: Any) -> Any:
        return compute(*value_and_grad(loss)(w, x, counts))

    best = optimize.minimize(step, np.zeros(len(NAMES)), jac=True, method="BFGS", options={"gtol": 1e-5}).x
    (curvature,) = compute(hessian(loss)(best, x, counts))
    return best, np.sqrt(np.diag(np.linalg.inv(curvature)) / len(x))


def draw(best: Any, deviations: Any, x: Any, counts: Any, path: str) -> None:
    """Draw the rate by hour with the means of the counts of mild hours, and the errors of the effects."""
    import matplotlib.pyplot as plt

    plt.style.use(Path(__file__).with_name("gallery.mplstyle"))
    figure, (left, right) = plt.subplots(1, 2, width_ratios=[1.5, 1])
    x, counts = compute(x, counts)
    hours = np.arctan2(x[:, 2], x[:, 1]) * 12 / np.pi % 24
    grid = np.linspace(0, 24, 200)
    for weekend, color, name in ((0.0, "C0", "working day"), (1.0, "C1", "week-end")):
        mild = (x[:, 5] == weekend) & (abs(x[:, 7]) < 0.1)
        middle = np.arange(24) + 0.5
        means = [counts[mild & (hours // 1 == h)].mean() for h in range(24)]
        left.plot(middle, means, "o", ms=3.5, color=color)
        left.plot(grid, np.exp(features(grid, 0 * grid + weekend, 0 * grid) @ best), color=color, label=name)
    left.set(xlabel="hour of the day", ylabel="bicycles an hour", xticks=range(0, 25, 6), ylim=(0, None))
    left.legend(loc="upper left")
    right.errorbar((best - TRUTH) / deviations, NAMES, xerr=1.0, fmt="o", color="C0")
    right.axvline(0, color="#7d7d7d", lw=0.8)
    right.set(xlabel="(fit − truth) / σ", xlim=(-4, 4))
    figure.savefig(path)


def analyse(picture: str | None = None) -> dict[str, Any]:
    """Make the counts and fit them where Dask computes just now; return the effects and their standard deviations."""
    x, counts = persist(*observe())
    best, deviations = fit(x, counts)
    if picture:
        draw(best, deviations, x, counts, picture)
    return {"best": best, "deviations": deviations}


def main(picture: str | None = None) -> dict[str, Any]:
    """Do it on a cluster of two processes."""
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster):
        return analyse(picture)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", help="the file for the picture")
    result = main(**vars(parser.parse_args()))
    for name, value, deviation, truth in zip(NAMES, *result.values(), TRUTH, strict=True):
        print(f"{name:<18}{value:9.4f} ± {deviation:.4f}   truth {truth}")
