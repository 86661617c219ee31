"""Our operation in graphs that JAX compiles: by `to_jax`, which JAX differentiates, too."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from pytensor.graph.basic import Constant
from pytensor.link.jax.dispatch import jax_funcify

from chainrules_jax import to_jax
from chainrules_pytensor.operations import NumpyOperation
from chainrules_pytensor.programs import Call, Pullback, results_of


@jax_funcify.register(NumpyOperation)  # type: ignore[untyped-decorator]
def numpy_operation_in_jax(op: NumpyOperation, node, **options) -> Callable[..., Any]:
    """Make the function of JAX's arrays that stands for a node."""
    function = call_in_jax(op.program) if isinstance(op.program, Call) else derivative_in_jax(op)
    constants = {k: x.data for k, x in enumerate(node.inputs) if is_index(x)}
    is_single = len(node.outputs) == 1

    def numpy_operation(*arrays) -> Any:
        found = function(*[constants.get(k, x) for k, x in enumerate(arrays)])
        return found[0] if is_single else tuple(found)

    return numpy_operation


def call_in_jax(call: Call) -> Callable[..., list[Any]]:
    """A call of a primal, which JAX traces where it can."""
    primal = to_jax(call.flat.primal, rules=call.table)

    def function(*arrays) -> list[Any]:
        args, named = call.arguments(arrays)
        return results_of(primal(*args, **named)).leaves

    return function


def derivative_in_jax(op: NumpyOperation) -> Callable[..., list[Any]]:
    """A pullback or pushforward that PyTensor asked for, which NumPy runs."""
    program = op.program

    def like_inputs(*arrays) -> list[Any]:
        assert isinstance(program, Pullback)
        chosen = [arrays[k] for k in program.needed]
        return [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in chosen]

    shapes = like_inputs if isinstance(program, Pullback) else None
    return to_jax(program, rules=program.table, shapes=shapes)


def is_index(x) -> bool:
    """Whether an input is a constant of integers, which may decide about sizes."""
    return isinstance(x, Constant) and np.dtype(x.type.dtype).kind in "biu"
