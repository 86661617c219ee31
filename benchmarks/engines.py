"""The engines that are compared: each turns a program into a function of no arguments that computes
value and gradient.

An engine's library is imported when it is asked for, in the function that needs it: whoever has
some of them measures those. Arrays are converted once, outside what is timed; a gradient comes back
in the engine's own arrays, which `as_numpy` converts for the comparison. Everything is in double
precision on the CPU.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks import elsewhere
from benchmarks.programs.program import Arrays, Gradient as Gradient, Program


@dataclass(frozen=True)
class Engine:
    """A name, the library that has to be installed, and how to prepare a program."""

    name: str
    library: str
    prepare: Callable[[Program, Arrays, Arrays], Gradient]

    @property
    def installed(self) -> bool:
        """Tell whether the library can be imported."""
        return find_spec(self.library) is not None

    def reason_to_leave_out(self, program: Program) -> str | None:
        """Why this engine does not run the program, None if it does."""
        if self.name == BY_HAND and program.by_hand is None:
            return "nobody wrote this gradient by hand"
        left_out = program.left_out.get(self.name)
        return left_out if self.installed else f"{self.library} is not installed"

    def gradient(self, program: Program) -> Gradient:
        """The function to be timed, on the program's inputs."""
        return self.prepare(program, *program.inputs())


def as_numpy(array: Any) -> Any:
    """An array of any engine, as NumPy's; those of array_api_strict have no `__array__`."""
    array = array.detach() if hasattr(array, "detach") else array
    return np.asarray(array) if hasattr(array, "__array__") else np.from_dlpack(array)


def prepare_ours(program: Program, parameters: Arrays, data: Arrays) -> Gradient:
    """`chainrules_tape` on plain NumPy."""
    from chainrules_tape import value_and_grad

    def objective(parameters: Any) -> Any:
        return program.objective(np, parameters, data)

    return partial(value_and_grad(objective), parameters)


def prepare_by_hand(program: Program, parameters: Arrays, data: Arrays) -> Gradient:
    """The gradient that a person wrote."""
    assert program.by_hand is not None, "asked for after reason_to_leave_out"
    return partial(program.by_hand, parameters, data)


def prepare_autograd(program: Program, parameters: Arrays, data: Arrays) -> Gradient:
    """HIPS autograd."""
    import autograd
    import autograd.numpy as anp

    def objective(*parameters: Any) -> Any:
        return program.objective(anp, parameters, data)

    return partial(autograd.value_and_grad(objective, tuple(range(len(parameters)))), *parameters)


def prepare_mygrad(program: Program, parameters: Arrays, data: Arrays) -> Gradient:
    """MyGrad; tensors are made anew for each call, because a gradient stays with its tensor."""
    import mygrad

    copies = [parameter.copy() for parameter in parameters]  # it locks the arrays that it works on

    def gradient() -> tuple[Any, tuple[Any, ...]]:
        tensors = tuple(mygrad.tensor(copy, copy=False) for copy in copies)
        y = program.objective(mygrad, tensors, data)
        y.backward()
        return y.data, tuple(tensor.grad for tensor in tensors)

    return gradient


def prepare_torch(program: Program, parameters: Arrays, data: Arrays) -> Gradient:
    """PyTorch, eager, on the CPU."""
    import torch

    torch.set_num_threads(1)
    tensors = tuple(torch.tensor(parameter, requires_grad=True) for parameter in parameters)
    constants = tuple(torch.tensor(part) for part in data)

    def gradient() -> tuple[Any, tuple[Any, ...]]:
        y = program.objective(torch, tensors, constants)
        return y, torch.autograd.grad(y, tensors)

    return gradient


def prepare_jax(program: Program, parameters: Arrays, data: Arrays) -> Gradient:
    """JAX, compiled; waits for the result."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    constants = tuple(map(jnp.asarray, data))

    def objective(parameters: Any) -> Any:
        return program.objective(jnp, parameters, constants)

    run = jax.jit(jax.value_and_grad(objective))
    inputs = tuple(map(jnp.asarray, parameters))
    return lambda: jax.block_until_ready(run(inputs))


OURS, BY_HAND = "ours", "by hand"
PEERS = (
    Engine(BY_HAND, "numpy", prepare_by_hand),
    Engine("autograd", "autograd", prepare_autograd),
    Engine("mygrad", "mygrad", prepare_mygrad),
    Engine("torch", "torch", prepare_torch),
    Engine("jax-jit", "jax", prepare_jax),
)
# Ours on the arrays of another library: in units of that library's own gradient, or else of ours on
# NumPy's arrays.
ELSEWHERE = {
    "torch": Engine("ours on tensors", "torch", elsewhere.prepare_on_tensors),
    "jax-jit": Engine("ours under jax.jit", "jax", elsewhere.prepare_under_jit),
    "array-api": Engine(
        "ours on array_api_strict's", "array_api_strict", elsewhere.prepare_on_the_standard
    ),
}
ENGINES = {
    engine.name: engine
    for engine in (Engine(OURS, "optree", prepare_ours), *PEERS, *ELSEWHERE.values())
}
