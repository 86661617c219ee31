"""The log-likelihood of a linear dynamical system by the Kalman filter (Kalman, 1960),
differentiated in all its parameters.
"""

from typing import Any

import numpy as np

from chainrules_tape import value_and_grad


def loss(parameters: dict[str, Any], observations: Any) -> Any:
    """The negative log-likelihood; `process` and `measurement` are square roots of the noise
    covariances.
    """
    transition, emission = parameters["transition"], parameters["emission"]
    process = parameters["process"] @ parameters["process"].T
    measurement = parameters["measurement"] @ parameters["measurement"].T
    mean, covariance = np.zeros(len(transition)), np.eye(len(transition))
    total = 0.0
    for observation in observations:
        surprise = observation - emission @ mean
        spread = emission @ covariance @ emission.T + measurement
        gain = np.linalg.solve(spread, emission @ covariance).T
        total = total + 0.5 * (
            surprise @ np.linalg.solve(spread, surprise) + np.linalg.slogdet(spread)[1]
        )
        mean = transition @ (mean + gain @ surprise)
        covariance = (
            transition @ (covariance - gain @ emission @ covariance) @ transition.T + process
        )
    return total + 0.5 * observations.size * np.log(2 * np.pi)


def problem(seed: int = 0, steps: int = 8) -> tuple[Any, ...]:
    """A damped rotation, observed through two noisy sensors."""
    rng = np.random.default_rng(seed)
    parameters = {
        "transition": 0.9 * np.array([[np.cos(0.4), -np.sin(0.4)], [np.sin(0.4), np.cos(0.4)]]),
        "emission": np.array([[1.0, 0.2], [0.1, 0.8]]),
        "process": np.array([[0.3, 0.0], [0.1, 0.3]]),
        "measurement": np.array([[0.5, 0.0], [0.1, 0.4]]),
    }
    state, observations = np.array([2.0, 0.0]), []
    for _ in range(steps):
        observations.append(
            parameters["emission"] @ state + parameters["measurement"] @ rng.normal(size=2)
        )
        state = parameters["transition"] @ state + parameters["process"] @ rng.normal(size=2)
    return parameters, np.array(observations)


def main() -> None:
    parameters, observations = problem(steps=25)
    truth = loss(parameters, observations)
    parameters = {**parameters, "transition": 0.5 * np.eye(2)}
    for step in range(21):
        value, slopes = value_and_grad(loss)(parameters, observations)
        parameters = {
            **parameters,
            "transition": parameters["transition"] - 0.01 * slopes["transition"],
        }
        if step % 5 == 0:
            print(f"step {step}: {value:.3f} (with the true transition: {truth:.3f})")


if __name__ == "__main__":
    main()
