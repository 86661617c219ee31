"""The engines of the table of device speeds: each turns a program into a call that computes value
and gradient.

With ``dry=True`` NumPy stands in for CuPy, and the others run on the processor: this measures no
speed, but every line has run before a device sees it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.gpu_programs import DeviceProgram

Call = Callable[[], Any]


@dataclass(frozen=True)
class Prepared:
    """An engine, ready for one dtype; `release` gives the memory of its device back."""

    call: Callable[[DeviceProgram, tuple[Any, ...]], Call]
    wait: Callable[[], None]
    release: Callable[[], None]
    to_host: Callable[[Any], Any]
    about: str


def nothing() -> None:
    """Do nothing: there is no device to wait for, and no memory to give back."""


def array_module(dry: bool) -> Any:
    """Return CuPy, or NumPy in its place."""
    if dry:
        return np
    import cupy

    from chainrules_cupy import require_device

    require_device()
    return cupy


def prepared_on(xp: Any, call: Callable[[DeviceProgram, tuple[Any, ...]], Call]) -> Prepared:
    """Prepare a call on arrays of CuPy, or of NumPy in its place."""

    def moved(program: DeviceProgram, inputs: tuple[Any, ...]) -> Call:
        return call(program, tuple(map(xp.asarray, inputs)))

    if xp is np:
        return Prepared(moved, nothing, nothing, np.asarray, f"NumPy {np.__version__}")
    name = xp.cuda.runtime.getDeviceProperties(xp.cuda.Device().id)["name"].decode()
    return Prepared(
        moved,
        xp.cuda.Device().synchronize,
        xp.get_default_memory_pool().free_all_blocks,
        xp.asnumpy,
        f"CuPy {xp.__version__}, {name}",
    )


def prepare_ours(dry: bool) -> Prepared:
    """Prepare `chainrules_tape` on plain NumPy code."""
    from chainrules_tape import value_and_grad

    def call(program: DeviceProgram, arrays: tuple[Any, ...]) -> Call:
        gradient = value_and_grad(lambda *inputs: program.loss(np, *inputs))
        return lambda: gradient(*arrays)

    return prepared_on(array_module(dry), call)


def prepare_replayed(dry: bool) -> Prepared:
    """Prepare what `chainrules_tape` does, captured once in a CUDA graph: no Python runs."""
    from chainrules_tape import value_and_grad

    xp = array_module(dry)

    def call(program: DeviceProgram, arrays: tuple[Any, ...]) -> Call:
        gradient = value_and_grad(lambda *inputs: program.loss(np, *inputs))
        if dry:
            return partial(gradient, *arrays)
        from chainrules_cupy import captured

        return captured(gradient, *arrays)

    return prepared_on(xp, call)


def prepare_by_hand(dry: bool) -> Prepared:
    """Prepare the gradient that a person wrote, in CuPy."""
    xp = array_module(dry)
    return prepared_on(xp, lambda program, arrays: lambda: program.by_hand(xp, *arrays))


def prepare_torch(dry: bool, compiled: bool = False) -> Prepared:
    """Prepare PyTorch; with `compiled`, by `torch.compile`, which writes kernels for the device."""
    import torch

    device = "cpu" if dry else "cuda"

    def call(program: DeviceProgram, inputs: tuple[Any, ...]) -> Call:
        x, *constants = (torch.tensor(array, device=device) for array in inputs)
        x.requires_grad_()
        loss = partial(program.loss, torch)
        if compiled:
            # each size is a program of its own, as for JAX
            torch.compiler.reset()
            loss = torch.compile(loss, dynamic=False, backend="eager" if dry else "inductor")

        def run() -> Any:
            value = loss(x, *constants)
            return value.detach(), torch.autograd.grad(value, x)[0]

        return run

    wait, release = (nothing, nothing) if dry else (torch.cuda.synchronize, torch.cuda.empty_cache)
    return Prepared(
        call,
        wait,
        release,
        lambda x: x.cpu().numpy(),
        f"PyTorch {torch.__version__} {'compiled' if compiled else 'eager'}",
    )


def prepare_jax(dry: bool) -> Prepared:
    """Prepare JAX, compiled."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    device, *_ = jax.devices("cpu" if dry else "gpu")
    found: list[Any] = []

    def call(program: DeviceProgram, inputs: tuple[Any, ...]) -> Call:
        gradient = jax.jit(jax.value_and_grad(lambda *arrays: program.loss(jnp, *arrays)))
        arrays = tuple(jax.device_put(array, device) for array in inputs)

        def run() -> Any:
            found[:] = [gradient(*arrays)]
            return found[0]

        return run

    # JAX has no wait for a device: the last result is there when all before it are, and holding one
    # costs its size.
    return Prepared(
        call,
        lambda: jax.block_until_ready(found),
        found.clear,
        np.asarray,
        f"JAX {jax.__version__} jit",
    )


@dataclass(frozen=True)
class DeviceEngine:
    """A name, the libraries that it needs on a device and without one, and its preparation."""

    name: str
    libraries: tuple[str, ...]
    dry_libraries: tuple[str, ...]
    prepare: Callable[[bool], Prepared]

    def missing(self, dry: bool) -> list[str]:
        """Return the libraries that are not installed."""
        return [
            name
            for name in (self.dry_libraries if dry else self.libraries)
            if find_spec(name) is None
        ]


OURS, REPLAYED, BY_HAND, TORCH, TORCH_COMPILED, JAX = (
    "ours",
    "ours in a CUDA graph",
    "by hand",
    "PyTorch eager",
    "PyTorch compiled",
    "JAX jit",
)
ENGINES = {
    engine.name: engine
    for engine in (
        DeviceEngine(OURS, ("cupy", "optree"), ("optree",), prepare_ours),
        DeviceEngine(REPLAYED, ("cupy", "optree"), ("optree",), prepare_replayed),
        DeviceEngine(BY_HAND, ("cupy",), (), prepare_by_hand),
        DeviceEngine(TORCH, ("torch",), ("torch",), prepare_torch),
        DeviceEngine(TORCH_COMPILED, ("torch",), ("torch",), partial(prepare_torch, compiled=True)),
        DeviceEngine(JAX, ("jax",), ("jax",), prepare_jax),
    )
}
