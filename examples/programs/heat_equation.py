"""Find the temperature at the start from the one at the end: the heat equation forward in time, its
gradient backward.
"""

from typing import Any

import numpy as np

from chainrules_tape import grad


def cooled(start: Any, conductivity: Any, steps: int) -> Any:
    """The rod after some explicit Euler steps, its ends at zero; `conductivity` sits between
    neighbours.
    """
    temperature = start
    for _ in range(steps):
        flow = conductivity * np.diff(np.pad(temperature, 1, mode="constant"))
        temperature = temperature + np.diff(flow)
    return temperature


def loss(parameters: dict[str, Any], measured: Any, steps: int) -> Any:
    """The misfit at the end, and a little of the roughness of the start."""
    misfit = cooled(parameters["start"], parameters["conductivity"], steps) - measured
    return 0.5 * np.sum(misfit**2) + 5e-6 * np.sum(np.diff(parameters["start"]) ** 2)


def problem(seed: int = 0, size: int = 12, steps: int = 20) -> tuple[Any, ...]:
    """A guess of zero, and what was measured after a hot spot had spread."""
    rng = np.random.default_rng(seed)
    conductivity = rng.uniform(0.1, 0.3, size + 1)
    place = np.linspace(0, 1, size)
    measured = cooled(np.exp(-(((place - 0.4) / 0.1) ** 2)), conductivity, steps)
    return {"start": 0.1 * rng.normal(size=size), "conductivity": conductivity}, measured, steps


def main() -> None:
    parameters, *data = problem()
    start = parameters["start"]
    for step in range(401):
        start = start - 1.0 * grad(loss)({**parameters, "start": start}, *data)["start"]
        if step % 100 == 0:
            print(f"step {step}: {loss({**parameters, 'start': start}, *data):.2e}")
    print("temperature at the start:", np.round(start, 2))


if __name__ == "__main__":
    main()
