"""Radau's formula along the solution of another method, for the derivatives of implicit solvers.

The linear problem of a derivative (`linear_steps`) needs the solution at three points of a step, and
where the step begins, for the estimate of the error. They are read from the solver's interpolant.
The error is estimated as Radau does (E. Hairer, G. Wanner, Solving Ordinary Differential Equations
II, IV.8), and a step whose error is too large is divided.

The steps of BDF and of LSODA are shorter, as their formulas are of lower order: a step here goes over
four of them, but not over more, because what they are short for should not be missed.
"""

import numpy as np
from scipy import integrate

from chainrules_py.rulesets.scipy.integrate.explicit_methods import Method
from chainrules_py.rulesets.scipy.integrate.steps_at_once import Steps, require_long

ROOT = 6**0.5
NODES = ((4 - ROOT) / 10, (4 + ROOT) / 10, 1.0)
MATRIX = np.array(
    [
        [(88 - 7 * ROOT) / 360, (296 - 169 * ROOT) / 1800, (-2 + 3 * ROOT) / 225],
        [(296 + 169 * ROOT) / 1800, (88 + 7 * ROOT) / 360, (-2 - 3 * ROOT) / 225],
        [(16 - ROOT) / 36, (16 + ROOT) / 36, 1 / 9],
    ]
)
# of the stages in the estimate of the error
ERRORS = np.array([-13 - 7 * ROOT, -13 + 7 * ROOT, -1]) / 3
RADAU = Method(
    solver=integrate.Radau,
    matrix=np.pad(MATRIX, ((1, 0), (1, 0))),
    nodes=(0.0, *NODES),
    end=4,
    last=np.array([0.0, *MATRIX[-1]]),
    errors=(np.array([1.0, *(ERRORS @ MATRIX)]),),
    order=3,
    between=None,
    filter=3 + 3 ** (2 / 3) - 3 ** (1 / 3),  # the real eigenvalue of the inverse of the matrix
)
# by method: over how many of its steps one goes here
TOGETHER = {"Radau": 1, "BDF": 4, "LSODA": 4}
TOGETHER |= {getattr(integrate, name): count for name, count in TOGETHER.items()}


CHECKED = 5  # at about so many points slopes in lanes are held against those of one point


class StepsAlong(Steps):
    """Steps of Radau along a curve, between nodes among which are the times where it is read."""

    method = RADAU
    takes_loops = True

    def __init__(self, curve, nodes, slope_at) -> None:
        self.curve, self.nodes, self.slope_at = curve, nodes, slope_at
        times = nodes[:-1, None] + np.diff(nodes)[:, None] * np.array(RADAU.nodes)
        self.times = times.reshape(-1)
        self.points = curve(self.times).T
        self.known = slice(None, None, len(RADAU.nodes) * (1 + nodes.size // CHECKED))
        at_nodes = zip(self.times[self.known], self.points[self.known], strict=True)
        self.slopes = np.array([slope_at(t, y) for t, y in at_nodes])

    def reads(self, times) -> tuple[np.ndarray, np.ndarray]:
        """At nodes."""
        forward = 1.0 if self.nodes[-1] >= self.nodes[0] else -1.0
        owner = np.searchsorted(forward * self.nodes, forward * times)
        return owner, np.zeros((times.size, len(RADAU.nodes)))

    def divided(self, parts) -> "StepsAlong":
        """Steps of which some are divided."""
        h = np.diff(self.nodes) / parts
        for t, short in zip(self.nodes, h, strict=False):
            require_long(t, short)
        inner = [
            t + short * np.arange(count)
            for t, short, count in zip(self.nodes, h, parts, strict=False)
        ]
        return StepsAlong(
            self.curve, np.append(np.concatenate(inner), self.nodes[-1]), self.slope_at
        )


def steps_along(curve, times, together: int, slope_at) -> StepsAlong:
    """The first steps along a curve, up to the last of some times; they go over so many of the
    solver's `together`.
    """
    last = np.abs(times - curve.ts[0]).max(initial=0.0)
    ahead = curve.ts[::together]
    nodes = np.concatenate([ahead[np.abs(ahead - curve.ts[0]) <= last], times])
    every = np.unique(nodes) if curve.ts[-1] >= curve.ts[0] else np.unique(nodes)[::-1]
    return StepsAlong(curve, every, slope_at)
