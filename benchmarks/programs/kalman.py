"""The log-likelihood of a linear Gaussian state space model, by the Kalman filter: small linear
algebra in a loop.
"""

from typing import Any

import numpy as np

from benchmarks.programs.program import UNROLLED, Arrays, Program, normal

STATES, SEEN, TIMES = 8, 4, 50


def objective(xp: Any, parameters: Any, data: Any) -> Any:
    """Minus twice the log-likelihood of the observations, up to a constant."""
    transition, log_q, log_r = parameters
    observed, look, eye_states, eye_seen = data
    q, r = xp.exp(log_q) * eye_states, xp.exp(log_r) * eye_seen
    mean, covariance, total = eye_states[0], eye_states, 0.0
    for y in observed:
        mean = transition @ mean
        covariance = transition @ covariance @ xp.swapaxes(transition, 0, 1) + q
        cross = look @ covariance
        spread = cross @ xp.swapaxes(look, 0, 1) + r
        innovation = y - look @ mean
        gain = xp.linalg.solve(spread, cross)
        total = (
            total
            + xp.sum(innovation * xp.linalg.solve(spread, innovation))
            + xp.linalg.slogdet(spread)[1]
        )
        mean = mean + xp.swapaxes(gain, 0, 1) @ innovation
        covariance = covariance - xp.swapaxes(cross, 0, 1) @ gain
    return total


def inputs() -> tuple[Arrays, Arrays]:
    """A stable model and noise."""
    transition = 0.9 * np.linalg.qr(normal(STATES, STATES))[0]
    parameters = (transition, normal(STATES, scale=0.1), normal(SEEN, scale=0.1))
    return parameters, (normal(TIMES, SEEN), normal(SEEN, STATES), np.eye(STATES), np.eye(SEEN))


def kalman() -> Program:
    """The Kalman filter as a program to be differentiated."""
    return Program(
        "Kalman filter, 50 steps",
        objective,
        inputs,
        left_out={"mygrad": "it has no linear algebra", **UNROLLED},
    )
