"""A physical law in NumPy and a network in PyTorch, fitted together by an optimizer of SciPy.

A body cools by a law with two unknown numbers, and on top of that in a way that nobody has a law
for: a small network of PyTorch stands for it. The program is NumPy's; `from_torch` makes the
network one of its functions, and the tape differentiates both.
"""

from typing import Any

import numpy as np
import torch
from scipy.optimize import OptimizeResult, minimize

from chainrules_tape import value_and_grad
from chainrules_torch import from_torch, parameters_of

torch.manual_seed(0)
network = torch.nn.Sequential(
    torch.nn.Linear(1, 6), torch.nn.Tanh(), torch.nn.Linear(6, 1)
).double()
rest = from_torch(network)


def temperature(params: Any, times: Any) -> Any:
    """Newton's law of cooling, and what the network adds to it."""
    return (
        params["scale"] * np.exp(-params["rate"] * times)
        + rest(params["network"], times[:, None])[:, 0]
    )


def loss(params: Any, times: Any, measured: Any) -> Any:
    """The misfit, and a small price for what the law does not explain."""
    weights = sum(np.sum(w**2) for w in params["network"].values())
    return np.mean((temperature(params, times) - measured) ** 2) + 1e-4 * weights


def start() -> dict[str, Any]:
    """A first guess of all parameters."""
    return {"scale": 1.0, "rate": 1.0, "network": parameters_of(network)}


def measurements(seed: int = 0) -> tuple[Any, Any]:
    """Times, and temperatures of a body that is also warmed a little twice."""
    rng = np.random.default_rng(seed)
    times = np.linspace(0.0, 3.0, 40)
    return times, 2.0 * np.exp(-0.7 * times) + 0.2 * np.sin(4 * times) + 0.01 * rng.normal(size=40)


def flat(params: dict[str, Any]) -> Any:
    """All parameters in one vector, as SciPy wants them."""
    return np.concatenate(
        [[params["scale"], params["rate"]], *map(np.ravel, params["network"].values())]
    )


def unflat(vector: Any) -> dict[str, Any]:
    """The parameters in a vector."""
    layers, at = {}, 2
    for name, w in parameters_of(network).items():
        layers[name], at = vector[at : at + w.size].reshape(w.shape), at + w.size
    return {"scale": float(vector[0]), "rate": float(vector[1]), "network": layers}


def fit(times: Any, measured: Any, iterations: int = 200) -> OptimizeResult:
    """The parameters that explain the measurements."""

    def objective(vector: Any) -> tuple[Any, Any]:
        value, gradient = value_and_grad(loss)(unflat(vector), times, measured)
        return value, flat(gradient)

    return minimize(
        objective, flat(start()), jac=True, method="L-BFGS-B", options={"maxiter": iterations}
    )


def main() -> None:
    times, measured = measurements()
    found = fit(times, measured)
    print(f"loss {loss(start(), times, measured):.4f} -> {found.fun:.4f} in {found.nit} iterations")


if __name__ == "__main__":
    main()
