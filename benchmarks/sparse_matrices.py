"""Sparse Jacobians in units of one evaluation, and sparse Hessians in units of one Hessian-vector
product: detection, evaluation, and evaluation with the guard.

An evaluation here is as fast as NumPy is, in arrays that the processor has at hand. Seven colours
are eight evaluations at least, one for the value and one for each direction.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.cases import Measured, Ratios, in_units_of, measured_cases, ratios_of
from benchmarks.measure import ratio
from benchmarks.titles import titled
from chainrules_tape import grad, hessian, hvp, jacobian

Array = Any
SIDE = 300
CELLS = 10_000


def heat(u: Array) -> Array:
    """Second differences between fixed ends."""
    return np.concatenate([u[:1], u[2:] - 2.0 * u[1:-1] + u[:-2], u[-1:]])


def by_roll(u: Array) -> Array:
    """Reaction and diffusion on a periodic grid."""
    v = u.reshape(SIDE, SIDE)
    around = np.roll(v, 1, 0) + np.roll(v, -1, 0) + np.roll(v, 1, 1) + np.roll(v, -1, 1)
    return (around - 4.0 * v + v - v * v * v).ravel()


def by_pad(u: Array) -> Array:
    """Reaction and diffusion on a grid with a cold rim."""
    v = u.reshape(SIDE, SIDE)
    p = np.pad(v, 1)
    around = p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2]
    return (around - 4.0 * v + v - v * v * v).ravel()


def brusselator(w: Array) -> Array:
    """The rates of a chemical clock in each cell of a ring."""
    u, v = w[:CELLS], w[CELLS:]
    clock = u * u * v
    du = 1.0 + clock - 4.0 * u + 0.1 * on_ring(u)
    dv = 3.0 * u - clock + 0.1 * on_ring(v)
    return np.concatenate([du, dv])


def on_ring(x: Array) -> Array:
    """Second differences on a ring."""
    p = np.concatenate([x[-1:], x, x[:1]])
    return p[2:] - 2.0 * p[1:-1] + p[:-2]


def rosenbrock(x: Array) -> Array:
    """A chain of variables."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def arrow_and_chain(x: Array) -> Array:
    """One variable with all others, and neighbours."""
    return np.sum(np.sin(x[0] * x[1:])) + np.sum((x[2:] - x[1:-1]) ** 4)


def membrane(x: Array) -> Array:
    """The area of a stretched membrane on a grid."""
    v = x.reshape(100, 100)
    down, right = np.diff(v, axis=0)[:, :-1], np.diff(v, axis=1)[:-1]
    return np.sum(np.sqrt(1.0 + down * down + right * right))


SYSTEMS: dict[str, tuple[Callable[[Array], Array], int]] = {
    "heat, 100,000": (heat, 100_000),
    "grid by roll, 300 x 300": (by_roll, SIDE * SIDE),
    "grid by pad, 300 x 300": (by_pad, SIDE * SIDE),
    "Brusselator, 20,000": (brusselator, 2 * CELLS),
}
ENERGIES: dict[str, Callable[[Array], Array]] = {
    "Rosenbrock": rosenbrock,
    "arrow and chain": arrow_and_chain,
    "membrane": membrane,
}


class System:
    """A system of equations, its pattern and its Jacobian, which are checked first."""

    def __init__(self, name: str) -> None:
        from chainrules_tape import sparsity

        self.function, size = SYSTEMS[name]
        self.x = np.random.default_rng(0).normal(size=size)
        self.pattern = sparsity(self.function, self.x)
        self.derivative = jacobian(self.function, sparse=self.pattern)
        direction = np.random.default_rng(1).normal(size=size)
        step = 1e-6 * direction
        slope = (self.function(self.x + step) - self.function(self.x - step)) / 2e-6
        np.testing.assert_allclose(self.derivative(self.x) @ direction, slope, atol=1e-5)

    def value(self) -> Any:
        return self.function(self.x)

    def detect(self) -> Any:
        from chainrules_tape import sparsity

        return sparsity(self.function, self.x)

    def evaluate(self) -> Any:
        from chainrules_py import default_rules
        from chainrules_sparse.matrices import PointOfFunction, entries_along

        point = PointOfFunction.of(self.function, self.x, default_rules, "jacobian")
        entries, *_ = entries_along(point, self.pattern, is_guarded=False)
        return self.pattern.with_entries(entries)

    def guarded(self) -> Any:
        return self.derivative(self.x)


def ratios_of_system(name: str) -> Ratios:
    """Detection, evaluation, and evaluation with the guard, in evaluations of the function."""
    system = System(name)
    candidates = {
        "value": system.value,
        "detection": system.detect,
        "evaluation": system.evaluate,
        "guarded": system.guarded,
    }
    return in_units_of("value", candidates)


class SparseJacobian:
    """The Jacobian of a system of equations, in evaluations of these."""

    params = (tuple(SYSTEMS),)
    param_names = ("system",)

    def setup_cache(self) -> Measured:
        return measured_cases(ratios_of_system, SYSTEMS)

    setup_cache.timeout = 600  # type: ignore[attr-defined]

    def setup(self, measured: Measured, system: str) -> None:
        self.ratios = ratios_of(measured, system)

    @titled("detection of a pattern / evaluation", "ratio")
    def track_detection(self, measured: Measured, system: str) -> float:
        return self.ratios["detection"]

    @titled("sparse Jacobian / evaluation", "ratio")
    def track_evaluation(self, measured: Measured, system: str) -> float:
        return self.ratios["evaluation"]

    @titled("sparse Jacobian with guard / evaluation", "ratio")
    def track_guarded(self, measured: Measured, system: str) -> float:
        return self.ratios["guarded"]


class SparseHessian:
    """The Hessian in 10,000 variables, in products of it with a vector."""

    params = (tuple(ENERGIES),)
    param_names = ("energy",)

    def setup(self, energy: str) -> None:
        from chainrules_tape import sparsity

        self.function = ENERGIES[energy]
        rng = np.random.default_rng(0)
        self.x, self.direction = rng.normal(size=(2, 10_000))
        self.pattern = sparsity(grad(self.function), self.x, symmetric=True)
        self.derivative = hessian(self.function, sparse=self.pattern)
        expected = self.product()
        np.testing.assert_allclose(self.matrix() @ self.direction, expected, rtol=1e-6, atol=1e-6)

    def product(self) -> Any:
        return hvp(self.function, self.x, self.direction)

    def matrix(self) -> Any:
        return self.derivative(self.x)

    @titled("sparse Hessian with guard / one product", "ratio")
    def track_matrix(self, energy: str) -> float:
        return ratio(self.matrix, self.product)
