"""Radau's formula along the solution of any method, for the derivatives of initial value problems.

The linear problem of a derivative (`linear_steps`) needs the solution at the stages of a step, and
where the step begins, for the estimate of the error. They are read from the solver's interpolant.
The error is estimated as Radau does (E. Hairer, G. Wanner, Solving Ordinary Differential Equations
II, IV.8), and a step whose error is too large is divided.

The steps of methods of low order are short: a step here goes over four of them, or over two of the
others, but not over more, because what they are short for should not be missed. With few unknowns
five stages serve, of order nine, for which such steps are hardly ever too long; with many the
matrix of all stages would cost more than the steps that it saves.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy import integrate, special

from chainrules_py.rulesets.formulas.implicit_functions import unconverged
from chainrules_py.rulesets.scipy.integrate.linear_steps import Formula, LinearSteps

FEW = 12  # unknowns for which five stages cost less than three
CHECKED = 5  # at about so many points slopes in lanes are held against those of one point
OF_LOW_ORDER = ("RK23", "BDF", "LSODA")


@cache
def radau(stages: int) -> Formula:
    """Radau's formula with an odd number of stages, one of them at the end of the step.

    Its other stages are at the roots of a Jacobi polynomial.
    """
    inner = special.roots_jacobi(stages - 1, 1.0, 0.0)[0]
    nodes = np.append((1.0 + inner) / 2.0, 1.0)
    powers = np.arange(stages)
    moments = nodes[:, None] ** powers
    matrix = nodes[:, None] * moments / (powers + 1.0) @ np.linalg.inv(moments)
    found = np.linalg.eigvals(matrix)
    real = found[np.argmin(np.abs(found.imag))].real  # the only one

    # of another formula, which weighs the slope where the step begins by that eigenvalue
    other = np.linalg.solve(moments.T, 1.0 / (powers + 1.0) - real * (powers == 0))
    return Formula(
        matrix=np.pad(matrix, ((1, 0), (1, 0))),
        nodes=np.append(0.0, nodes),
        last=np.append(0.0, matrix[-1]),
        errors=np.append(1.0, (other - matrix[-1]) / real),
        order=stages,
        filter=1.0 / real,
    )


class Steps:
    """Steps of Radau's method along a solution; the times where it is read are among the nodes."""

    def __init__(self, nodes, size: int, points_at: Callable[[Any], Any]) -> None:
        self.nodes, self.points_at = nodes, points_at
        self.formula = radau(5 if size <= FEW else 3)
        stages = self.formula.nodes
        self.times = (nodes[:-1, None] + np.diff(nodes)[:, None] * stages).reshape(-1)
        self.known = slice(None, None, stages.size * (1 + nodes.size // CHECKED))
        self.points = points_at(self.times)

    @property
    def entries(self) -> int:
        """How many entries the Jacobians at all points have."""
        return int(self.points.size * self.points.shape[1])

    def linear(self, jacobians, times) -> LinearSteps:
        """The linear problem on these steps, read at some times."""
        h = np.diff(self.nodes)
        forward = 1.0 if self.nodes[-1] >= self.nodes[0] else -1.0
        owner = np.searchsorted(forward * self.nodes, forward * times)
        return LinearSteps(
            self.formula, h, jacobians.reshape((h.size, -1, *jacobians.shape[1:])), owner
        )

    def divided(self, parts) -> "Steps":
        """Steps of which some are divided."""
        nodes = []
        for t, h, count in zip(self.nodes, np.diff(self.nodes) / parts, parts, strict=False):
            if t + 0.1 * h == t:
                got = f"no step is short enough for the derivative of the solution at t = {t}"
                raise unconverged(integrate.solve_ivp, got)
            nodes.append(t + h * np.arange(count))
        every = np.append(np.concatenate(nodes), self.nodes[-1])
        return Steps(every, self.points.shape[1], self.points_at)


def steps_along(ends, size: int, points_at, times, solver) -> Steps | None:
    """The first steps along a solution, from those of its solver, up to the last time that is read;
    None if that is the first time.
    """
    last = np.abs(times - ends[0]).max(initial=0.0)
    ahead = ends[:: 4 if solver in OF_LOW_ORDER else 2]
    nodes = np.unique(np.concatenate([ahead[np.abs(ahead - ends[0]) <= last], times]))
    every = nodes if ends[-1] >= ends[0] else nodes[::-1]
    return Steps(every, size, points_at) if every.size > 1 else None
