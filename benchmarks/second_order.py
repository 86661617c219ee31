"""Forward mode and second order: directional derivatives and Hessian-vector products, in units of
the gradient and of peers.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.measure import ratio
from benchmarks.titles import titled
from chainrules_tape import grad, hvp, jvp

SIZE = 10
X, DIRECTION = np.linspace(0.5, 1.5, SIZE), np.ones(SIZE)
WEIGHTS = np.random.default_rng(0).normal(size=(SIZE, SIZE)) / 3

Function = Callable[[Any, Any], Any]


def chain(xp: Any, x: Any) -> Any:
    """100 × (sin, multiply)."""
    for _ in range(100):
        x = xp.sin(x) * 1.01
    return xp.sum(x)


def layers(xp: Any, x: Any) -> Any:
    """Ten layers of ten."""
    weights = xp.asarray(WEIGHTS)
    for _ in range(10):
        x = xp.tanh(xp.matmul(x, weights))
    return xp.sum(x * x)


PROGRAMS: dict[str, Function] = {"chain": chain, "layers": layers}


def hvp_by_autograd(program: Function) -> Callable[[], Any]:
    """Make the product by HIPS autograd, reverse over reverse."""
    import autograd
    import autograd.numpy as anp

    product = autograd.hessian_vector_product(lambda x: program(anp, x))
    return lambda: product(X, DIRECTION)


def hvp_by_torch(program: Function) -> Callable[[], Any]:
    """Make the product by PyTorch, eager, on one thread."""
    import torch

    torch.set_num_threads(1)
    x, direction = torch.tensor(X), torch.tensor(DIRECTION)
    return lambda: torch.autograd.functional.hvp(lambda x: program(torch, x), x, direction)[1]


PEERS = {"autograd": hvp_by_autograd, "torch": hvp_by_torch}


class Derivatives:
    """Measure directional derivatives and Hessian-vector products in units of our own gradient."""

    params = tuple(PROGRAMS)
    param_names = ("program",)

    def setup(self, name: str) -> None:
        program = PROGRAMS[name]
        self.function = lambda x: program(np, x)
        self.gradient = grad(self.function)
        slope = np.vdot(self.gradient(X), DIRECTION)
        np.testing.assert_allclose(self.push()[1], slope, rtol=1e-8)

    def push(self) -> Any:
        return jvp(self.function, (X,), (DIRECTION,))

    def product(self) -> Any:
        return hvp(self.function, X, DIRECTION)

    @titled("jvp / gradient", "ratio")
    def track_jvp(self, name: str) -> float:
        return ratio(self.push, lambda: self.gradient(X))

    @titled("Hessian-vector product / gradient", "ratio")
    def track_hvp(self, name: str) -> float:
        return ratio(self.product, lambda: self.gradient(X))


class Products:
    """Measure Hessian-vector products against peers."""

    params = (tuple(PROGRAMS), tuple(PEERS))
    param_names = ("program", "peer")

    def setup(self, name: str, peer: str) -> None:
        if find_spec(peer) is None:
            raise NotImplementedError(f"{peer} is not installed")
        program = PROGRAMS[name]
        self.ours = lambda: hvp(lambda x: program(np, x), X, DIRECTION)
        self.theirs = PEERS[peer](program)
        np.testing.assert_allclose(self.ours(), np.asarray(self.theirs()), rtol=1e-8)

    @titled("Hessian-vector product / peer", "ratio")
    def track_ratio(self, name: str, peer: str) -> float:
        return ratio(self.ours, self.theirs)
