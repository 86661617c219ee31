"""Many examples at once: Jacobians, Hessians and per-example gradients, in units of the best NumPy
that one can write by hand and of peers.

By hand are all derivatives written out, on arrays with all examples or all columns in them. `loop`
is what a Jacobian took before lanes: one sweep per row or column.
"""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.programs.mixture import objective

Run = Callable[[], Any]
RNG = np.random.default_rng(0)

WIDTH = 100  # of all three layers
W1, W2 = (RNG.normal(size=(WIDTH, WIDTH)) / 10 for _ in range(2))
B1, B2 = (RNG.normal(size=WIDTH) for _ in range(2))
X = RNG.normal(size=WIDTH)

BATCH, FEATURES = 256, 64
W = RNG.normal(size=(FEATURES, FEATURES)) / 8
EXAMPLES, TARGETS = (RNG.normal(size=(BATCH, FEATURES)) for _ in range(2))

COMPONENTS, DIMENSION = 10, 3  # of the mixture, which has 100 parameters then
BELOW = DIMENSION * (DIMENSION - 1) // 2
PARAMETERS = 0.3 * RNG.normal(size=COMPONENTS * (1 + 2 * DIMENSION + BELOW))

MATERIALS = 100_000
MU, LAMBDA = 1.0, 2.0
DEFORMATIONS = np.eye(3) + 0.1 * RNG.normal(size=(MATERIALS, 3, 3))


# Peers: how each of them makes these derivatives, compiled or not, on one thread


def torch_functions() -> Any:
    """Import PyTorch and its function transforms."""
    import torch

    torch.set_num_threads(1)
    return torch


def by_torch(transform: Callable[[Any], Any], program: Any, *arrays: Any) -> Run:
    """Make a call of a transform of PyTorch's, eager."""
    torch = torch_functions()
    transformed = transform(torch.func)(partial(program, torch))
    tensors = [torch.tensor(array) for array in arrays]
    return lambda: transformed(*tensors)


def by_jax(transform: Callable[[Any], Any], program: Any, *arrays: Any) -> Run:
    """Make a call of a transform of JAX's, compiled."""
    import jax

    jax.config.update("jax_enable_x64", True)
    transformed = jax.jit(transform(jax)(partial(program, jax.numpy)))
    constants = [jax.numpy.asarray(array) for array in arrays]
    return lambda: transformed(*constants).block_until_ready()


BY = {"torch": by_torch, "jax": by_jax}


def require(peer: str) -> None:
    """Skip where a peer is not installed."""
    if peer in BY and find_spec(peer) is None:
        raise NotImplementedError(f"{peer} is not installed")


# Programs


def perceptron(xp: Any, x: Any) -> Any:
    """Two layers of a hundred."""
    w1, b1, w2, b2 = (xp.asarray(part) for part in (W1, B1, W2, B2))
    return w2 @ xp.tanh(w1 @ x + b1) + b2


def perceptron_by_hand() -> Any:
    """Compute the Jacobian in one product of matrices."""
    h = np.tanh(W1 @ X + B1)
    return (W2 * (1 - h * h)) @ W1


def example_loss(xp: Any, w: Any, x: Any, target: Any) -> Any:
    """The squared error of one example."""
    error = xp.tanh(w @ x) - target
    return xp.sum(error * error)


def example_gradients_by_hand() -> Any:
    """Compute all gradients as outer products."""
    h = np.tanh(EXAMPLES @ W.T)
    a_bar = 2 * (h - TARGETS) * (1 - h * h)
    return a_bar[:, :, None] * EXAMPLES[:, None, :]


def mixture(xp: Any, x: Any, points: Any) -> Any:
    """The negative log-posterior of a Gaussian mixture, of one vector of parameters."""
    k, d = COMPONENTS, DIMENSION
    place = np.full((d, d), BELOW)
    place[np.tril_indices(d, -1)] = np.arange(BELOW)
    ends = np.cumsum([k, k * d, k * d])
    parameters = (
        x[: ends[0]],
        x[ends[0] : ends[1]].reshape(k, d),
        x[ends[1] : ends[2]].reshape(k, d),
        x[ends[2] :].reshape(k, BELOW),
    )
    return objective(
        xp, parameters, (points, place, xp.asarray(np.zeros((k, 1))), xp.asarray(np.eye(d)))
    )


def energy(xp: Any, f: Any) -> Any:
    """The energy of a neo-Hookean material in a deformation gradient."""
    log_j = xp.log(xp.linalg.det(f))
    return MU / 2 * (xp.sum(f * f) - 3) - MU * log_j + LAMBDA / 2 * log_j * log_j


def elasticity_by_hand() -> Any:
    """Compute the second derivatives at all points, by the inverse of the deformation."""
    f = DEFORMATIONS
    inverse = np.linalg.inv(f)
    log_j = np.log(np.linalg.det(f))
    flat = inverse.swapaxes(1, 2).reshape(-1, 9)
    found = LAMBDA * (flat[:, :, None] * flat[:, None, :]).reshape(-1, 3, 3, 3, 3)
    turned = inverse[:, None, :, :, None] * inverse.swapaxes(1, 2)[:, :, None, None, :]
    found += (MU - LAMBDA * log_j)[:, None, None, None, None] * turned.swapaxes(2, 3).swapaxes(3, 4)
    for i in range(3):
        for j in range(3):
            found[:, i, j, i, j] += MU
    return found
