"""Compiled gradients of loops: beside JAX's of `lax.scan`, those by hand, and the tape's.

Two at a time take turns in one process, once all agree. JAX's own takes and returns NumPy's arrays,
as ours does.
"""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.cases import Measured, Ratios, measured_cases, ratios_of
from benchmarks.compiled import least_time
from benchmarks.measure import Run, ratio
from benchmarks.programs.loops import LOOPS, LoopProgram
from benchmarks.titles import titled
from chainrules_tape import compiled, value_and_grad

BUDGET = 0.5  # seconds for each two


def gradient_of(program: LoopProgram) -> tuple[Callable[..., Any], Any]:
    """The value and all gradients of a program as a function, and its arguments."""
    parameters = program.parameters()
    return value_and_grad(program.in_numpy(), argnums=tuple(range(len(parameters)))), parameters


def prepared(program: LoopProgram, to: str) -> tuple[Run, float]:
    """The compiled gradient, and how long it took until it was compiled: the less of two times, since
    the first one writes the rules of recorded arrays, too.
    """
    function, parameters = gradient_of(program)
    first, step = compiled(function, to=to), compiled(function, to=to)
    seconds = least_time([partial(each.prepare, *parameters) for each in (first, step)])
    assert not step.reasons, step.reasons
    return partial(step, *parameters), seconds


def by_scan(program: LoopProgram) -> tuple[Run, float]:
    """JAX's gradient of the loop by `lax.scan`, and the less of two times until it was compiled."""
    import jax

    parameters = program.parameters()
    argnums = tuple(range(len(parameters)))

    def new_step() -> Run:
        step = jax.jit(jax.value_and_grad(program.in_jax, argnums=argnums))

        def run() -> Any:
            with jax.enable_x64(True):
                return jax.tree.map(np.asarray, step(*parameters))

        return run

    with jax.enable_x64(True):
        jax.jit(jax.numpy.sin)(1.0)  # what JAX does at its first compilation is nobody's
    first, step = new_step(), new_step()
    return step, least_time([first, step])


def require_same(name: str, run: Run, known: Any) -> None:
    """Raise where a gradient is not that of the tape."""
    value, gradients = run()
    np.testing.assert_allclose(value, known[0], rtol=1e-10, err_msg=name)
    for found, gradient in zip(gradients, known[1], strict=True):
        scale = float(np.max(np.abs(gradient)))
        np.testing.assert_allclose(found, gradient, rtol=1e-8, atol=1e-10 * scale, err_msg=name)


def figures_of(name: str) -> Ratios:
    """All figures of a program."""
    program = LOOPS[name]
    function, parameters = gradient_of(program)
    tape = partial(function, *parameters)
    known = tape()
    in_numpy, seconds = prepared(program, "numpy")
    require_same("compiled", in_numpy, known)
    figures = {
        "tape": ratio(in_numpy, tape, BUDGET),
        "until compiled": seconds / least_time([tape] * 5),
    }
    if program.by_hand is not None:
        by_hand = partial(program.by_hand, *parameters)
        require_same("by hand", by_hand, known)
        figures["by hand"] = ratio(in_numpy, by_hand, BUDGET)
    if find_spec("jax") is not None:
        scan, seconds_of_scan = by_scan(program)
        by_xla, seconds = prepared(program, "jax")
        require_same("by scan", scan, known)
        require_same("by XLA", by_xla, known)
        figures["scan"] = ratio(by_xla, scan, BUDGET)
        figures["compiling the scan"] = seconds / seconds_of_scan
    return figures


class Loops:
    """Figures of all loops."""

    params = tuple(LOOPS)
    param_names = ("program",)

    def setup_cache(self) -> Measured:
        return measured_cases(figures_of, LOOPS)

    setup_cache.timeout = 300  # type: ignore[attr-defined]

    def setup(self, measured: Measured, name: str) -> None:
        self.figures = ratios_of(measured, name)

    @titled("compiled loop / tape", "ratio")
    def track_of_tape(self, measured: Measured, name: str) -> float:
        return self.figures["tape"]

    @titled("compiled loop / by hand", "ratio")
    def track_by_hand(self, measured: Measured, name: str) -> float:
        return self.figures.get("by hand", np.nan)

    @titled("compiling a loop / tape", "ratio")
    def track_until_compiled(self, measured: Measured, name: str) -> float:
        return self.figures["until compiled"]

    @titled("loop compiled by XLA / JAX's scan", "ratio")
    def track_of_scan(self, measured: Measured, name: str) -> float:
        return self.figures.get("scan", np.nan)

    @titled("compiling a loop by XLA / JAX's scan", "ratio")
    def track_compiling(self, measured: Measured, name: str) -> float:
        return self.figures.get("compiling the scan", np.nan)
