"""Our operation in graphs that JAX compiles: by `to_jax`, which JAX differentiates, too."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from pytensor.graph.basic import Constant
from pytensor.link.jax.dispatch import jax_funcify

from chainrules_jax import to_jax
from chainrules_py.engines import Call, FlatValue, Pullback, is_result
from chainrules_pytensor.operations import NumpyOperation


@jax_funcify.register(NumpyOperation)  # type: ignore[untyped-decorator]
def numpy_operation_in_jax(op: NumpyOperation, node, **options) -> Callable[..., Any]:
    """Make the function of JAX's arrays that stands for a node."""
    function = call_in_jax(op.program) if isinstance(op.program, Call) else derivative_in_jax(op)
    constants = constants_of(op, node.inputs)
    is_single = len(node.outputs) == 1

    def numpy_operation(*arrays):
        found = function(*[constants.get(k, x) for k, x in enumerate(arrays)])
        return found[0] if is_single else tuple(found)

    return numpy_operation


def constants_of(op: NumpyOperation, inputs: Sequence[Any]) -> dict[int, Any]:
    """The inputs that may decide about sizes or dtypes: constant integers, and Python's numbers."""
    found = {k: x.data for k, x in enumerate(inputs) if is_index(x)}
    for k, number in enumerate(op.program.call.flat.numbers):
        if number is not None and isinstance(inputs[k], Constant):
            found[k] = number(inputs[k].data)
    return found


def call_in_jax(call: Call) -> Callable[..., list[Any]]:
    """A call of a primal, which JAX traces where it can."""
    primal = to_jax(call.flat.primal, rules=call.table)

    def function(*arrays) -> list[Any]:
        args, named = call.flat.arguments(arrays)
        return FlatValue.of(primal(*args, **named), is_result).leaves

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
