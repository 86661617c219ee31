"""Loops of small steps: what simulations, filters and recurrent networks do.

Each is a step, which NumPy repeats in a loop and JAX in `lax.scan`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.programs.program import Arrays, normal

STEPS = 200


@dataclass(frozen=True)
class LoopProgram:
    """A real function of parameters: `begin`, then `step` for each of the rows, then `end`.

    `by_hand(*parameters)` is its value and gradients as a person writes them in NumPy.
    """

    name: str
    parameters: Callable[[], Arrays]
    begin: Callable[..., Any]
    step: Callable[..., Any]
    end: Callable[..., Any]
    rows: Any = None
    by_hand: Callable[..., Any] | None = None

    def in_numpy(self) -> Callable[..., Any]:
        """The function, written for NumPy."""
        begin, step, end, rows = self.begin, self.step, self.end, self.rows

        def function(*parameters: Any) -> Any:
            state = begin(np, parameters)
            for k in range(STEPS):
                state = step(np, parameters, state, None if rows is None else rows[k])
            return end(np, state)

        return function

    def in_jax(self, *parameters: Any) -> Any:
        """The function, written for JAX."""
        import jax.numpy as jnp
        from jax.lax import scan

        def step(state: Any, row: Any) -> tuple[Any, None]:
            return self.step(jnp, parameters, state, row), None

        rows = None if self.rows is None else jnp.asarray(self.rows)
        state, _ = scan(step, self.begin(jnp, parameters), rows, STEPS)
        return self.end(jnp, state)


# The Runge-Kutta method of four stages for four variables

STEP = 0.01


def slopes(xp: Any, p: Any, y: Any) -> Any:
    """A predator, its prey, and an oscillator."""
    return xp.stack(
        [
            p[0] * y[0] - p[1] * y[0] * y[1],
            p[2] * y[0] * y[1] - p[3] * y[1],
            y[3],
            -y[2] * p[0],
        ]
    )


def runge_kutta_step(xp: Any, parameters: Any, y: Any, row: None) -> Any:
    """One step of the classical method."""
    _, p = parameters
    k1 = slopes(xp, p, y)
    k2 = slopes(xp, p, y + STEP / 2 * k1)
    k3 = slopes(xp, p, y + STEP / 2 * k2)
    k4 = slopes(xp, p, y + STEP * k3)
    return y + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def slopes_pulled_back(p: Any, y: Any, bar: Any) -> tuple[Any, Any]:
    """The cotangents of the variables and the parameters."""
    y_bar = np.array(
        [
            (p[0] - p[1] * y[1]) * bar[0] + p[2] * y[1] * bar[1],
            (p[2] * y[0] - p[3]) * bar[1] - p[1] * y[0] * bar[0],
            -p[0] * bar[3],
            bar[2],
        ]
    )
    product = y[0] * y[1]
    p_bar = np.array(
        [y[0] * bar[0] - y[2] * bar[3], -product * bar[0], product * bar[1], -y[1] * bar[1]]
    )
    return y_bar, p_bar


def runge_kutta_by_hand(y: Any, p: Any) -> tuple[Any, Arrays]:
    """The adjoint recursion over the stages."""
    kept = []
    for _ in range(STEPS):
        k1 = slopes(np, p, y)
        y2 = y + STEP / 2 * k1
        k2 = slopes(np, p, y2)
        y3 = y + STEP / 2 * k2
        k3 = slopes(np, p, y3)
        y4 = y + STEP * k3
        kept.append((y, y2, y3, y4))
        y = y + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + slopes(np, p, y4))
    value, y_bar, p_bar = np.sum(y * y), 2 * y, np.zeros_like(p)
    for y1, y2, y3, y4 in reversed(kept):
        y4_bar, of_4 = slopes_pulled_back(p, y4, STEP / 6 * y_bar)
        y3_bar, of_3 = slopes_pulled_back(p, y3, STEP / 3 * y_bar + STEP * y4_bar)
        y2_bar, of_2 = slopes_pulled_back(p, y2, STEP / 3 * y_bar + STEP / 2 * y3_bar)
        y1_bar, of_1 = slopes_pulled_back(p, y1, STEP / 6 * y_bar + STEP / 2 * y2_bar)
        y_bar = y_bar + y1_bar + y2_bar + y3_bar + y4_bar
        p_bar += of_1 + of_2 + of_3 + of_4
    return value, (y_bar, p_bar)


RUNGE_KUTTA = LoopProgram(
    "Runge-Kutta, 4 variables",
    lambda: (np.array([1.0, 0.5, 0.2, 0.3]), np.array([1.1, 0.4, 0.3, 0.9])),
    lambda xp, parameters: parameters[0],
    runge_kutta_step,
    lambda xp, y: xp.sum(y * y),
    by_hand=runge_kutta_by_hand,
)


# Five bodies by leapfrog


def accelerations(xp: Any, x: Any) -> Any:
    """Those by gravity, softened."""
    apart = x[:, None, :] - x[None, :, :]
    squares = xp.sum(apart * apart, -1) + 0.01
    return -xp.sum(apart / (squares * xp.sqrt(squares))[..., None], 1)


def leapfrog_step(xp: Any, parameters: Any, state: Any, row: None) -> Any:
    """Half a kick, a drift, and half a kick."""
    x, v, a = state
    v = v + STEP / 2 * a
    x = x + STEP * v
    a = accelerations(xp, x)
    return x, v + STEP / 2 * a, a


LEAPFROG = LoopProgram(
    "leapfrog, 5 bodies",
    lambda: (normal(5, 3), normal(5, 3, seed=1)),
    lambda xp, parameters: (*parameters, accelerations(xp, parameters[0])),
    leapfrog_step,
    lambda xp, state: xp.sum(state[0] * state[0]) + xp.sum(state[1] * state[1]),
)


# The Kalman filter, four states of which two are seen

LOOK = np.eye(2, 4)


def filter_step(xp: Any, parameters: Any, state: Any, seen: Any) -> Any:
    """Predict, compare, correct."""
    transition, noise, error = parameters
    mean, covariance, total = state
    look = xp.asarray(LOOK)
    mean = transition @ mean
    covariance = transition @ covariance @ transition.T + noise @ noise.T
    spread = look @ covariance @ look.T + error @ error.T
    innovation = seen - look @ mean
    gain = xp.linalg.solve(spread, look @ covariance).T
    total = total + innovation @ xp.linalg.solve(spread, innovation)
    total = total + xp.linalg.slogdet(spread)[1]
    return mean + gain @ innovation, covariance - gain @ look @ covariance, total


KALMAN = LoopProgram(
    "Kalman filter, 4 states",
    lambda: (0.9 * np.eye(4) + normal(4, 4, scale=0.02), 0.3 * np.eye(4), 0.5 * np.eye(2)),
    lambda xp, parameters: (xp.zeros(4), xp.eye(4), 0.0),
    filter_step,
    lambda xp, state: state[2],
    rows=normal(STEPS, 2),
)


# A recurrent network of eight units


def recurrent_step(xp: Any, parameters: Any, state: Any, x: Any) -> Any:
    """The next state, and the square of an error."""
    recurrent, into, bias, out = parameters
    hidden, total = state
    hidden = xp.tanh(recurrent @ hidden + into @ x + bias)
    return hidden, total + (out @ hidden - 1) ** 2


def recurrent_by_hand(recurrent: Any, into: Any, bias: Any, out: Any) -> tuple[Any, Arrays]:
    """Backpropagation through time."""
    hidden, total, kept = np.zeros(8), 0.0, []
    for x in NETWORK.rows:
        before, hidden = hidden, np.tanh(recurrent @ hidden + into @ x + bias)
        error = out @ hidden - 1
        total = total + error * error
        kept.append((before, hidden, error, x))
    bars = tuple(map(np.zeros_like, (recurrent, into, bias, out)))
    recurrent_bar, into_bar, bias_bar, out_bar = bars
    hidden_bar = np.zeros(8)
    for before, hidden, error, x in reversed(kept):
        out_bar += 2 * error * hidden
        inner_bar = (hidden_bar + 2 * error * out) * (1 - hidden * hidden)
        recurrent_bar += inner_bar[:, None] * before
        into_bar += inner_bar[:, None] * x
        bias_bar += inner_bar
        hidden_bar = inner_bar @ recurrent
    return total, bars


NETWORK = LoopProgram(
    "recurrent network, 8 units",
    lambda: (normal(8, 8, scale=0.3), normal(8, 4), normal(8), normal(8, seed=1)),
    lambda xp, parameters: (xp.zeros(8), 0.0),
    recurrent_step,
    lambda xp, state: state[1],
    rows=normal(STEPS, 4),
    by_hand=recurrent_by_hand,
)

PROGRAMS: Sequence[LoopProgram] = (RUNGE_KUTTA, LEAPFROG, KALMAN, NETWORK)
LOOPS = {program.name: program for program in PROGRAMS}
