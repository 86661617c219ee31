"""Gradients of loops over single numbers: beside the smallest tape of partial derivatives, other
engines, and what `compiled` makes of them.
"""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.cases import Measured, Ratios, in_units_of_each, measured_cases, ratios_of
from benchmarks.measure import Run
from benchmarks.programs.numbers import OF_PARTIALS, PROGRAMS, NumberProgram, gradient_by_partials
from benchmarks.titles import titled
from chainrules_tape import compiled, grad, hessian


def argument_of(program: NumberProgram, kind: Callable[[Any], Any]) -> Any:
    """The argument as a number of a kind, or as an array."""
    x = program.argument
    return np.array(x) if isinstance(x, tuple) else kind(x)


def by_torch(program: NumberProgram) -> Run:
    """PyTorch's gradient, eager, on one thread."""
    import torch

    torch.set_num_threads(1)
    run = program.loop(torch)

    def gradient() -> Any:
        x = torch.tensor(program.argument, dtype=torch.float64, requires_grad=True)
        return torch.autograd.grad(run(x), x)[0]

    return gradient


def by_autograd(program: NumberProgram) -> Run:
    """HIPS autograd's gradient."""
    import autograd
    import autograd.numpy as anp

    return partial(autograd.grad(program.loop(anp)), argument_of(program, float))


def by_scan(program: NumberProgram) -> Run:
    """JAX's gradient of the loop by `lax.scan`."""
    import jax

    gradient, x = jax.jit(jax.grad(program.scan)), argument_of(program, float)

    def run() -> Any:
        with jax.enable_x64(True):
            return np.asarray(gradient(x))

    return run


PEERS = {"autograd": by_autograd, "torch": by_torch, "jax": by_scan}


def figures_of(name: str) -> Ratios:
    """Our time in units of each peer's, once all agree."""
    program = PROGRAMS[name]
    run = program.loop(np)
    x = argument_of(program, float)
    candidates: dict[str, Run] = {
        "ours": partial(grad(run), x),
        "partials": partial(gradient_by_partials(program.loop(OF_PARTIALS)), program.argument),
        "compiled": partial(compiled(grad(run)), x),
        "ours, of NumPy's numbers": partial(grad(run), argument_of(program, np.float64)),
    }
    candidates |= {peer: make(program) for peer, make in PEERS.items() if find_spec(peer)}
    known = candidates["ours"]()
    for peer, gradient in candidates.items():
        found = np.reshape(np.asarray(gradient(), float), np.shape(known))
        np.testing.assert_allclose(found, known, rtol=1e-9, err_msg=peer)
    figures = in_units_of_each("ours", candidates)
    of_numpys = candidates["ours, of NumPy's numbers"]
    figures["partials, of NumPy's numbers"] = in_units_of_each(
        "ours", {"ours": of_numpys, "partials": candidates["partials"]}
    )["partials"]
    second = partial(hessian(run), x)
    figures["Hessian"] = in_units_of_each("ours", {"ours": second, "first": candidates["ours"]})[
        "first"
    ]
    return figures


class Numbers:
    """Figures of all programs."""

    params = tuple(PROGRAMS)
    param_names = ("program",)

    def setup_cache(self) -> Measured:
        return measured_cases(figures_of, PROGRAMS)

    setup_cache.timeout = 300  # type: ignore[attr-defined]

    def setup(self, measured: Measured, name: str) -> None:
        self.figures = ratios_of(measured, name)

    @titled("loop over numbers / tape of partials", "ratio")
    def track_of_partials(self, measured: Measured, name: str) -> float:
        return self.figures["partials"]

    @titled("loop over float64s / tape of partials", "ratio")
    def track_of_numpys(self, measured: Measured, name: str) -> float:
        return self.figures["partials, of NumPy's numbers"]

    @titled("loop over numbers / autograd", "ratio")
    def track_of_autograd(self, measured: Measured, name: str) -> float:
        return self.figures.get("autograd", np.nan)

    @titled("loop over numbers / torch", "ratio")
    def track_of_torch(self, measured: Measured, name: str) -> float:
        return self.figures.get("torch", np.nan)

    @titled("loop over numbers / JAX's scan", "ratio")
    def track_of_scan(self, measured: Measured, name: str) -> float:
        return self.figures.get("jax", np.nan)

    @titled("loop over numbers / compiled", "ratio")
    def track_of_compiled(self, measured: Measured, name: str) -> float:
        return self.figures["compiled"]

    @titled("loop over numbers: Hessian / gradient", "ratio")
    def track_second(self, measured: Measured, name: str) -> float:
        return self.figures["Hessian"]
