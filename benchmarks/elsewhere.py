"""Our engine on the arrays of other libraries: programs in NumPy, prepared as `engines` prepares
those of the peers.
"""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.programs.program import Arrays, Gradient, Program


def derivative_of(program: Program) -> Any:
    """The value of the program in NumPy and its gradient, as a function of parameters and data."""
    from chainrules_tape import value_and_grad

    return value_and_grad(lambda parameters, data: program.objective(np, parameters, data))


def prepare_on_tensors(program: Program, parameters: Arrays, data: Arrays) -> Gradient:
    """On PyTorch's tensors, on the CPU."""
    import torch

    torch.set_num_threads(1)
    return partial(
        derivative_of(program), tuple(map(torch.tensor, parameters)), tuple(map(torch.tensor, data))
    )


def prepare_under_jit(program: Program, parameters: Arrays, data: Arrays) -> Gradient:
    """Compiled by JAX; waits for the result."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    derivative = derivative_of(program)
    run, inputs = (
        jax.jit(lambda parameters: derivative(parameters, data)),
        tuple(map(jnp.asarray, parameters)),
    )
    return lambda: jax.block_until_ready(run(inputs))


def prepare_on_the_standard(program: Program, parameters: Arrays, data: Arrays) -> Gradient:
    """On arrays that have what the array API standard says, and nothing else."""
    import array_api_strict

    inputs = [tuple(map(array_api_strict.asarray, arrays)) for arrays in (parameters, data)]
    return partial(derivative_of(program), *inputs)
