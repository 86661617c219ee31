"""Many examples at once: Jacobians, Hessians and per-example gradients, in units of the best NumPy
that one can write by hand and of peers.

By hand are all derivatives written out, on arrays with all examples or all columns in them. Each
derivative is measured as it is called, and `compiled`: recorded once, and run as straight NumPy.
Second derivatives at many points are measured as a program of XLA's, too.
"""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.cases import (
    Measured,
    Ratios,
    in_units_of_each,
    measured_cases,
    ratios_of,
)
from benchmarks.measure import peak_bytes, ratio
from benchmarks.programs.mixture import objective
from benchmarks.targets import CHUNK
from benchmarks.titles import titled
from chainrules_py.rules.rule import Mode
from chainrules_tape import compiled, grad, hessian, hvp, jacobian, vmap

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
    nothing, eye = xp.asarray(np.zeros((k, 1))), xp.asarray(np.eye(d))
    return objective(xp, parameters, (xp.asarray(points), xp.asarray(place), nothing, eye))


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
    found += (MU - LAMBDA * log_j)[:, None, None, None, None] * turned
    for i in range(3):
        for j in range(3):
            found[:, i, j, i, j] += MU
    return found


def installed(library: str) -> bool:
    """Tell whether a peer can be imported."""
    return find_spec(library) is not None


def both_forms(derivative: Any, *args: Any) -> dict[str, Run]:
    """A derivative of ours as it is called, and compiled."""
    return {"ours": partial(derivative, *args), "compiled": partial(compiled(derivative), *args)}


def checked(candidates: dict[str, Run], **tolerance: Any) -> dict[str, Run]:
    """Candidates, all of which give what is computed by hand."""
    expected = candidates["by hand"]()
    for name, run in candidates.items():
        np.testing.assert_allclose(run(), expected, **tolerance, err_msg=name)
    return candidates


def ratios_of_both(candidates: dict[str, Run]) -> Ratios:
    """Our derivative in units of each other candidate, and "compiled / " each in those."""
    own = in_units_of_each("ours", candidates)
    others = {name: run for name, run in candidates.items() if name != "ours"}
    ratios = in_units_of_each("compiled", others)
    return {**own, **{f"compiled / {name}": figure for name, figure in ratios.items()}}


def whole_jacobian(mode: Mode) -> dict[str, Run]:
    """Our Jacobian of two layers of a hundred, and that by hand, which are compared first."""
    ours = both_forms(jacobian(partial(perceptron, np), mode=mode), X)
    return checked({**ours, "by hand": perceptron_by_hand}, rtol=1e-9)


def ratios_of_jacobian(mode: Mode) -> Ratios:
    """Our Jacobian in units of each peer's."""
    candidates = whole_jacobian(mode)
    if installed("torch"):
        candidates["torch"] = by_torch(lambda func: func.jacrev, perceptron, X)
    if installed("jax"):
        candidates["jax"] = by_jax(lambda jax: jax.jacrev, perceptron, X)
    return ratios_of_both(candidates)


class Jacobian:
    """Measure the Jacobian of two layers of a hundred."""

    params = ("forward", "reverse")
    param_names = ("mode",)

    def setup_cache(self) -> Measured:
        return measured_cases(ratios_of_jacobian, self.params)

    setup_cache.timeout = 300  # type: ignore[attr-defined]

    def setup(self, measured: Measured, mode: Mode) -> None:
        self.ratios = ratios_of(measured, mode)

    @titled("perceptron Jacobian / by hand", "ratio")
    def track_by_hand(self, measured: Measured, mode: str) -> float:
        return self.ratios["by hand"]

    @titled("perceptron Jacobian / torch jacrev", "ratio")
    def track_torch(self, measured: Measured, mode: str) -> float:
        return self.ratios.get("torch", np.nan)

    @titled("perceptron Jacobian / jit jacrev", "ratio")
    def track_jax(self, measured: Measured, mode: str) -> float:
        return self.ratios.get("jax", np.nan)

    @titled("compiled Jacobian / by hand", "ratio")
    def track_compiled_by_hand(self, measured: Measured, mode: str) -> float:
        return self.ratios["compiled / by hand"]

    @titled("compiled Jacobian / torch jacrev", "ratio")
    def track_compiled_torch(self, measured: Measured, mode: str) -> float:
        return self.ratios.get("compiled / torch", np.nan)

    @titled("compiled Jacobian / jit jacrev", "ratio")
    def track_compiled_jax(self, measured: Measured, mode: str) -> float:
        return self.ratios.get("compiled / jax", np.nan)


class PerExample:
    """Measure the gradients of a loss in the weights, one for each example."""

    def setup(self) -> None:
        gradients = vmap(grad(partial(example_loss, np)), in_axes=(None, 0, 0))
        ours = both_forms(gradients, W, EXAMPLES, TARGETS)
        self.runs = checked({**ours, "by hand": example_gradients_by_hand}, rtol=1e-9)

    @titled("per-example gradients / by hand", "ratio")
    def track_by_hand(self) -> float:
        return ratio(self.runs["ours"], self.runs["by hand"])

    @titled("compiled example gradients / by hand", "ratio")
    def track_compiled_by_hand(self) -> float:
        return ratio(self.runs["compiled"], self.runs["by hand"])


class Mixture:
    """The Hessian of a Gaussian mixture of 100 parameters, which is checked first."""

    def __init__(self, points: int) -> None:
        data = np.random.default_rng(1).normal(size=(points, DIMENSION))
        self.program = partial(mixture, points=data)
        self.function = partial(self.program, np)
        self.ours = partial(hessian(self.function), PARAMETERS)
        np.testing.assert_allclose(self.ours(), self.by_columns(), rtol=1e-8, atol=1e-8)

    def by_columns(self) -> Any:
        units = np.eye(len(PARAMETERS))
        return np.stack([hvp(self.function, PARAMETERS, unit) for unit in units])

    def memory(self) -> float:
        """Peak memory with a limit, in units of the limit."""
        limit = 2**24
        limited = hessian(self.function, max_bytes=limit)
        return peak_bytes(partial(limited, PARAMETERS)) / limit


def ratios_of_mixture(points: int) -> Ratios:
    """Our Hessian in units of that by columns and of PyTorch's, and its memory."""
    case = Mixture(points)
    candidates: dict[str, Run] = {"ours": case.ours, "by columns": case.by_columns}
    if installed("torch"):
        candidates["torch"] = by_torch(lambda func: func.hessian, case.program, PARAMETERS)
    return {**in_units_of_each("ours", candidates), "memory": case.memory()}


class MixtureHessian:
    """Measure the Hessian of a Gaussian mixture of 100 parameters."""

    params = (20, 200)
    param_names = ("points",)

    def setup_cache(self) -> Measured:
        return measured_cases(ratios_of_mixture, self.params)

    setup_cache.timeout = 300  # type: ignore[attr-defined]

    def setup(self, measured: Measured, points: int) -> None:
        self.ratios = ratios_of(measured, points)

    @titled("mixture Hessian / column by column", "ratio")
    def track_by_columns(self, measured: Measured, points: int) -> float:
        return self.ratios["by columns"]

    @titled("mixture Hessian / torch", "ratio")
    def track_torch(self, measured: Measured, points: int) -> float:
        return self.ratios.get("torch", np.nan)

    @titled("mixture Hessian memory / limit", "ratio")
    def track_memory(self, measured: Measured, points: int) -> float:
        return self.ratios["memory"]


def elasticity(chunk_size: int) -> dict[str, Run]:
    """Our second derivatives at all points, so many at a time, and at all points at once; and those
    by hand. They are compared first.
    """
    second = hessian(partial(energy, np))
    ours = both_forms(vmap(second, chunk_size=chunk_size), DEFORMATIONS)
    ours["at once"] = partial(vmap(second), DEFORMATIONS)
    return checked({**ours, "by hand": elasticity_by_hand}, rtol=1e-8, atol=1e-8)


def ratios_of_elasticity(chunk_size: int) -> Ratios:
    """Our second derivatives in units of those by hand and of JAX's."""
    candidates = elasticity(chunk_size)
    at_once = ratio(candidates.pop("at once"), candidates["by hand"])
    if not installed("jax"):
        return {**ratios_of_both(candidates), "at once": at_once}
    second = by_jax(lambda jax: lambda f: jax.vmap(jax.hessian(f)), energy, DEFORMATIONS)
    by_xla = compiled(vmap(hessian(partial(energy, np))), to="jax")
    run = partial(by_xla, DEFORMATIONS)
    run()  # records, as does the second call, which is compared
    peers = {"by hand": candidates["by hand"], "jax": second}
    checked({**peers, "to jax": run}, rtol=1e-8, atol=1e-8)
    to_jax = {f"to jax / {name}": ratio(run, peer) for name, peer in peers.items()}
    candidates["jax"] = second
    return {**ratios_of_both(candidates), **to_jax, "at once": at_once}


class Elasticity:
    """Measure the second derivatives of a hyperelastic energy at many points, in chunks."""

    params = (CHUNK,)
    param_names = ("chunk_size",)

    def setup_cache(self) -> Measured:
        return measured_cases(ratios_of_elasticity, self.params)

    setup_cache.timeout = 300  # type: ignore[attr-defined]

    def setup(self, measured: Measured, chunk_size: int) -> None:
        self.ratios = ratios_of(measured, chunk_size)

    @titled("elasticity, 100,000 points / by hand", "ratio")
    def track_by_hand(self, measured: Measured, chunk_size: int) -> float:
        return self.ratios["by hand"]

    @titled("elasticity, 100,000 points / jit vmap", "ratio")
    def track_jax(self, measured: Measured, chunk_size: int) -> float:
        return self.ratios.get("jax", np.nan)

    @titled("elasticity, all at once / by hand", "ratio")
    def track_at_once(self, measured: Measured, chunk_size: int) -> float:
        return self.ratios["at once"]

    @titled("compiled elasticity / by hand", "ratio")
    def track_compiled_by_hand(self, measured: Measured, chunk_size: int) -> float:
        return self.ratios["compiled / by hand"]

    @titled("elasticity compiled to JAX / by hand", "ratio")
    def track_to_jax_by_hand(self, measured: Measured, chunk_size: int) -> float:
        return self.ratios.get("to jax / by hand", np.nan)

    @titled("elasticity compiled to JAX / jit vmap", "ratio")
    def track_to_jax(self, measured: Measured, chunk_size: int) -> float:
        return self.ratios.get("to jax / jax", np.nan)

    @titled("compiled elasticity / jit vmap", "ratio")
    def track_compiled_jax(self, measured: Measured, chunk_size: int) -> float:
        return self.ratios.get("compiled / jax", np.nan)
