"""Check what a rule says at ties and kinks, where a derivative may not exist."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from chainrules_py.testing.coordinates import Vector
from chainrules_py.testing.failures import Diagnosis
from chainrules_py.testing.finite_differences import Derivative
from chainrules_py.testing.random_tangents import random_direction, seeded
from chainrules_py.testing.tolerances import mismatch
from chainrules_py.testing.trial import Trial

Parts = dict[int, Vector]  # by position of the argument
GROUPS = 7  # of coordinates, into which a direction is divided


@lru_cache(maxsize=64)  # both modes ask
def differentiable(trial: Trial) -> NDArray[np.bool_]:
    """The output coordinates with a derivative that is linear in the direction.

    The median of three equal numbers has a two-sided derivative in every direction (the median of
    the directions), and yet is not differentiable: the derivatives along two directions do not add
    up to that along their sum.
    """
    whole = trial.oracle
    if not trial.settings.conventions:
        return whole.exists
    found = [whole, *(trial.oracle_along(part) for part in _groups(trial))]
    slack = 10 * sum(each.error for each in found) + trial.tolerance.floor
    agree = ~mismatch(
        sum((each.value for each in found[1:]), np.zeros(trial.output.size)),
        trial.oracle.value,
        1e-5,
        slack,
    )
    return np.asarray(np.logical_and.reduce([each.exists for each in found]) & agree)


def _groups(trial: Trial) -> list[Parts]:
    """The direction as the sum of some that share no coordinate, nor the same one of two arguments.

    Of two random summands one in three has the medians of three add up by chance. Along a single
    coordinate it is zero.
    """
    parts: list[Parts] = []
    for first in range(GROUPS):
        part = {index: np.zeros_like(trial.directions[index]) for index in trial.active}
        for index in trial.active:
            own = slice((first + index) % GROUPS, None, GROUPS)
            part[index][own] = trial.directions[index][own]
        parts.append(part)
    return [part for part in parts if any(direction.any() for direction in part.values())]


def check_between(trial: Trial, y_dot: Vector, exists: NDArray[np.bool_]) -> None:
    """Check that a tangent lies between the slopes where there is no derivative.

    The slopes of a convex or concave function are its one-sided derivatives. For others, such as a
    minimum of absolute values, the derivatives at points nearby count as well (Clarke, Optimization
    and Nonsmooth Analysis, 1983).
    """
    kinks = np.flatnonzero(
        ~exists & np.isfinite(trial.oracle.left) & np.isfinite(trial.oracle.right)
    )
    slopes = np.array([trial.oracle.left, trial.oracle.right])
    nearby = _oracles_nearby(trial, 1e-3, 64)
    while (outside := _outside(trial, y_dot, slopes, kinks)).size and (found := next(nearby, None)):
        # each costs an oracle, so no more than it takes
        slopes = np.concatenate([slopes, found.value[None]])
    for index in outside[:1]:
        low, high = np.nanmin(slopes[:, index]), np.nanmax(slopes[:, index])
        sentence = (
            f"{y_dot[index]:.6g} is not between the one-sided derivatives {low:.6g} and {high:.6g}"
        )
        raise trial.failure("tie", "forward", Diagnosis("tie", sentence))


def _outside(
    trial: Trial, y_dot: Vector, slopes: Vector, kinks: NDArray[np.intp]
) -> NDArray[np.intp]:
    """The kinks at which the tangent is smaller or larger than every slope."""
    low, high = np.nanmin(slopes[:, kinks], axis=0), np.nanmax(slopes[:, kinks], axis=0)
    slack = trial.tolerance.oracle * (1 + np.maximum(np.abs(low), np.abs(high)))
    return np.asarray(kinks[~((low - slack <= y_dot[kinks]) & (y_dot[kinks] <= high + slack))])


def _oracles_nearby(trial: Trial, distance: float, count: int) -> Iterator[Derivative]:
    """Compute the derivatives at random points very near; nan where there is none."""
    rng = seeded("nearby", seed=trial.settings.seed)
    for _ in range(count):
        step = {i: distance * random_direction(rng, trial.layouts[i].size) for i in trial.active}
        yield trial.oracle_along(dict(enumerate(trial.directions)), shift=step)


def conditioning(trial: Trial) -> Vector:
    """Measure how much the derivative changes when the arguments move by their roundoff.

    More accuracy nobody can ask of a rule.
    """
    eps = trial.tolerance.floor / 50
    # double precision: the oracle cannot see such changes, and the tolerances are wide enough
    if eps < 1e-10:
        return np.zeros_like(trial.oracle.value)
    changes = [
        np.abs(found.value - trial.oracle.value) for found in _oracles_nearby(trial, 8 * eps, 4)
    ]
    return np.asarray(np.nan_to_num(np.max(changes, axis=0), nan=np.inf))
