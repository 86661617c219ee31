"""200 explicit Euler steps of y' = tanh(A y + b) with 3-vectors: a loop of tiny operations, as
simulations have.
"""

from typing import Any

import numpy as np

from benchmarks.programs.program import UNROLLED, Arrays, Program, normal

STEPS, STEP = 200, 0.05


def objective(xp: Any, parameters: Any, data: Any) -> Any:
    """The squared length at the end."""
    a, b, y = parameters
    for _ in range(STEPS):
        y = y + STEP * xp.tanh(xp.matmul(a, y) + b)
    return xp.sum(y * y)


def by_hand(parameters: Arrays, data: Arrays) -> tuple[Any, Arrays]:
    """The adjoint recursion."""
    a, b, y = parameters
    kept = []
    for _ in range(STEPS):
        slope = np.tanh(a @ y + b)
        kept.append((y, slope))
        y = y + STEP * slope
    a_bar, b_bar, y_bar = np.zeros_like(a), np.zeros_like(b), 2 * y
    for before, slope in reversed(kept):
        inner_bar = STEP * y_bar * (1 - slope * slope)
        a_bar += inner_bar[:, None] * before
        b_bar += inner_bar
        y_bar = y_bar + inner_bar @ a
    return np.sum(y * y), (a_bar, b_bar, y_bar)


def ode() -> Program:
    """Euler's method as a program to be differentiated."""
    return Program(
        "ODE, 200 steps",
        objective,
        lambda: ((normal(3, 3), normal(3), normal(3, seed=1)), ()),
        by_hand,
        UNROLLED,
    )
