"""Radau's formula along the solution of another method, for the derivatives of implicit solvers.

The linear problem of a derivative (`linear_steps`) needs the solution at the stages of a step, and
where the step begins, for the estimate of the error. They are read from the solver's interpolant.
The error is estimated as Radau does (E. Hairer, G. Wanner, Solving Ordinary Differential Equations
II, IV.8), and a step whose error is too large is divided.

The steps of BDF and of LSODA are shorter, as their formulas are of lower order: a step here goes over
four of them, but not over more, because what they are short for should not be missed. With few
unknowns five stages serve, of order nine, for which such steps are hardly ever too long; with many
the matrix of all stages would cost more than the steps that it saves.
"""

from functools import cache

import numpy as np
from scipy import integrate, special

from chainrules_py.rulesets.scipy.integrate.explicit_methods import Method
from chainrules_py.rulesets.scipy.integrate.steps_at_once import Steps, require_long

FEW = 12  # unknowns for which five stages cost less than three


@cache
def radau(stages: int) -> Method:
    """Radau's formula of an odd number of stages: as exact as can be with one of them at the end.

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
    return Method(
        solver=integrate.Radau,
        matrix=np.pad(matrix, ((1, 0), (1, 0))),
        nodes=(0.0, *nodes),
        end=stages + 1,
        last=np.array([0.0, *matrix[-1]]),
        errors=(np.array([1.0, *((other - matrix[-1]) / real)]),),
        order=stages,
        between=None,
        filter=1.0 / real,
    )


# by method: over how many of its steps one goes here
TOGETHER = {"Radau": 1, "BDF": 4, "LSODA": 4}
TOGETHER |= {getattr(integrate, name): count for name, count in TOGETHER.items()}


CHECKED = 5  # at about so many points slopes in lanes are held against those of one point


class StepsAlong(Steps):
    """Steps of Radau along a curve, between nodes among which are the times where it is read."""

    takes_loops = True

    def __init__(self, method: Method, curve, nodes, slope_at) -> None:
        self.method, self.curve, self.nodes, self.slope_at = method, curve, nodes, slope_at
        times = nodes[:-1, None] + np.diff(nodes)[:, None] * np.array(method.nodes)
        self.times = times.reshape(-1)
        self.points = curve(self.times).T
        self.known = slice(None, None, len(method.nodes) * (1 + nodes.size // CHECKED))
        at_nodes = zip(self.times[self.known], self.points[self.known], strict=True)
        self.slopes = np.array([slope_at(t, y) for t, y in at_nodes])

    def reads(self, times) -> tuple[np.ndarray, np.ndarray]:
        """At nodes."""
        forward = 1.0 if self.nodes[-1] >= self.nodes[0] else -1.0
        owner = np.searchsorted(forward * self.nodes, forward * times)
        return owner, np.zeros((times.size, len(self.method.nodes)))

    def divided(self, parts) -> "StepsAlong":
        """Steps of which some are divided."""
        h = np.diff(self.nodes) / parts
        for t, short in zip(self.nodes, h, strict=False):
            require_long(t, short)
        inner = [
            t + short * np.arange(count)
            for t, short, count in zip(self.nodes, h, parts, strict=False)
        ]
        nodes = np.append(np.concatenate(inner), self.nodes[-1])
        return StepsAlong(self.method, self.curve, nodes, self.slope_at)


def steps_along(curve, times, together: int, slope_at) -> StepsAlong:
    """The first steps along a curve, up to the last of some times; they go over so many of the
    solver's `together`.
    """
    last = np.abs(times - curve.ts[0]).max(initial=0.0)
    ahead = curve.ts[::together]
    nodes = np.concatenate([ahead[np.abs(ahead - curve.ts[0]) <= last], times])
    every = np.unique(nodes) if curve.ts[-1] >= curve.ts[0] else np.unique(nodes)[::-1]
    is_of_high_order = together > 1 and curve(curve.ts[0]).size <= FEW
    return StepsAlong(radau(5 if is_of_high_order else 3), curve, every, slope_at)
