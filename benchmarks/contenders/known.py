"""The programs on which libraries are compared for readers: sizes and kinds that many people have."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.programs.chain import chain
from benchmarks.programs.logistic import logistic
from benchmarks.programs.loops import KALMAN, NETWORK, RUNGE_KUTTA, STEPS, LoopProgram
from benchmarks.programs.mixture import large_mixture
from benchmarks.programs.perceptron import perceptron
from benchmarks.programs.program import Program, normal

SIDE = 32
CELLS = SIDE * SIDE


@dataclass(frozen=True)
class Known:
    """A program for the value and gradient of which everybody is asked, as readers call it.

    `loop` has the step of a loop for libraries that have loops of their own. A `system` is asked
    for its sparse Jacobian in place of a gradient.
    """

    name: str
    program: Program | None = None
    loop: LoopProgram | None = None
    system: Callable[[Any, Any], Any] | None = None


def unrolled(loop: LoopProgram) -> Program:
    """The program of a loop that Python runs."""
    rows = () if loop.rows is None else (loop.rows,)
    begin, step, end, by_hand = loop.begin, loop.step, loop.end, loop.by_hand

    def objective(xp: Any, parameters: Any, data: Any) -> Any:
        state = begin(xp, parameters)
        for k in range(STEPS):
            state = step(xp, parameters, state, data[0][k] if data else None)
        return end(xp, state)

    return Program(
        loop.name,
        objective,
        lambda: (loop.parameters(), rows),
        None if by_hand is None else lambda parameters, _: by_hand(*parameters),
    )


def looped(name: str, loop: LoopProgram) -> Known:
    """A loop, in both forms."""
    return Known(name, unrolled(loop), loop)


def brusselator(xp: Any, w: Any) -> Any:
    """The rates of a chemical clock in each cell of a periodic grid."""
    u, v = w[:CELLS], w[CELLS:]
    clock = u * u * v
    du = 1.0 + clock - 4.4 * u + 0.1 * around(xp, u)
    dv = 3.4 * u - clock + 0.1 * around(xp, v)
    return xp.concatenate([du, dv])


def around(xp: Any, x: Any) -> Any:
    """The sum of the four neighbours, less four times the cell."""
    grid = xp.reshape(x, (SIDE, SIDE))
    rolled = [xp.roll(grid, shift, axis) for axis in (0, 1) for shift in (1, -1)]
    return xp.reshape(rolled[0] + rolled[1] + rolled[2] + rolled[3] - 4.0 * grid, (CELLS,))


def point() -> Any:
    """Concentrations of a system, all of them positive."""
    return np.exp(normal(2 * CELLS, scale=0.3))


def direction() -> Any:
    """What matrices are multiplied by before they are compared."""
    return normal(2 * CELLS, seed=1)


KNOWN = {
    known.name: known
    for known in (
        Known("100 sines of 100 numbers", chain(100)),
        Known("logistic regression, 100,000 rows", logistic(100_000)),
        Known("Gaussian mixture, 10,000 points", large_mixture()),
        Known("perceptron, batch of 32", perceptron()),
        looped("ODE, 200 Runge-Kutta steps", RUNGE_KUTTA),
        looped("Kalman filter, 200 steps", KALMAN),
        looped("recurrent network, 200 steps", NETWORK),
        Known("sparse Jacobian, 2,048 unknowns", system=brusselator),
    )
}
