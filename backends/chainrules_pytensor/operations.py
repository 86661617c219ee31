"""The operation of PyTensor's that runs a program of NumPy's, and whose derivatives are such
operations.

A pullback is one node for all inputs. Inputs that are integers are disconnected, because nothing
has a derivative by them. The cotangent of a constant is zero, and is not computed.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from pytensor.gradient import DisconnectedType, disconnected_type, grad_not_implemented
from pytensor.graph.basic import Apply, Constant, Variable
from pytensor.graph.op import Op
from pytensor.tensor.exceptions import ShapeError
from pytensor.tensor.type import TensorType

from chainrules_py.engines import (
    Call,
    Program,
    Pullback,
    Pushforward,
    call_without_writing,
    qualified_name,
    with_items_at,
)
from chainrules_pytensor.errors import PytensorError
from chainrules_pytensor.linkers import register_with_linkers
from chainrules_pytensor.results import OutputTypes, TypesOf, TypesOfInputs

Variables = Sequence[Any]


class NumpyCall(Call):
    """A call in the place of which an operation stands."""

    def __repr__(self) -> str:
        return f"to_pytensor({qualified_name(self.flat.function)})"


class NumpyOperation(Op):  # type: ignore[misc]
    """A program of NumPy's as an operation; two of equal programs and types are equal."""

    __props__ = ("program", "types")

    def __init__(self, program: Program, types: OutputTypes) -> None:
        self.program, self.types = program, types

    def __str__(self) -> str:
        return repr(self.program)

    def make_node(self, *inputs: Variable[Any, Any]) -> Apply[Any]:
        """Make a node of these inputs."""
        outputs = [output_type() for output_type in self.types.of(inputs)]
        return Apply(self, list(inputs), outputs)

    def perform(
        self, node: Apply[Any], inputs: Sequence[Any], output_storage: list[list[Any]]
    ) -> None:
        """Run the program; what it returns is copied, and it cannot write into its arguments."""
        found = call_without_writing(lambda arrays: self.program(*arrays), inputs)
        if len(found) != len(node.outputs):
            got = f"{len(found)} arrays and numbers, where {len(node.outputs)} were declared"
            raise self.not_as_declared(got)
        for storage, y, output in zip(output_storage, found, node.outputs, strict=True):
            storage[0] = self.as_declared(y, output.type)

    def as_declared(self, y, declared: TensorType) -> Any:
        """A result as an array of its own, of the dtype that is declared."""
        array = np.asarray(y)
        if not np.can_cast(array.dtype, declared.dtype, casting="same_kind"):
            raise self.not_as_declared(f"{array.dtype}, where {declared} was declared")
        pairs = zip(array.shape, declared.shape, strict=False)
        fits = all(n is None or n == size for size, n in pairs)
        if array.ndim != declared.ndim or not fits:
            raise self.not_as_declared(f"the shape {array.shape}, where {declared} was declared")
        return np.array(array, dtype=declared.dtype, order="C")

    def not_as_declared(self, got: str) -> PytensorError:
        """The error of a program that does not return what was declared or found."""
        instead = (
            "declare it: to_pytensor(f, outputs=...) with a TensorType for each array, such as"
            " TensorType('float64', shape=(None,)) where a length depends on values"
        )
        return PytensorError(str(self), f"it returned {got}", instead, primal=self.program)

    def infer_shape(self, *given) -> list[tuple[Any, ...]]:
        """The shapes of cotangents, which are those of inputs; others are known when it has run.

        What is given is a node and the shapes of its inputs, behind a graph before PyTensor 3.
        """
        shapes = given[-1]
        if isinstance(self.types, TypesOfInputs):
            return [shapes[k] for k in self.types.positions]
        raise ShapeError(f"{self}: the shape is known when the program has run")

    def connection_pattern(self, node: Apply[Any]) -> list[list[bool]]:
        """Which outputs have derivatives by which inputs."""
        moving = list(map(is_floating, node.outputs))
        return [[is_floating(x) and moves for moves in moving] for x in node.inputs]

    def pullback(
        self, inputs: Variables, outputs: Variables, cotangents: Variables
    ) -> list[Variable[Any, Any]]:
        """The cotangents of the inputs, by one operation."""
        given = tuple(
            k for k, bar in enumerate(cotangents) if is_connected(bar) and is_floating(outputs[k])
        )
        needed = tuple(k for k, x in enumerate(inputs) if self.has_derivative_by(k, x))
        bars = [self.without(k, x) for k, x in enumerate(inputs)]
        if given and needed:
            program = Pullback(self.program, len(inputs), needed, given)
            operation = NumpyOperation(program, TypesOfInputs(needed))
            found = operation(*inputs, *[cotangents[k] for k in given], return_list=True)
            bars = with_items_at(bars, needed, found)
        return bars

    def pushforward(
        self, inputs: Variables, outputs: Variables, tangents: Variables
    ) -> list[Variable[Any, Any]]:
        """The tangents of the outputs, by one operation."""
        moved = tuple(
            k
            for k, dot in enumerate(tangents)
            if is_connected(dot) and self.has_derivative_by(k, inputs[k])
        )
        wanted = tuple(k for k, y in enumerate(outputs) if is_floating(y))
        dots = [disconnected_type() for _ in outputs]
        if moved and wanted:
            program = Pushforward(self.program, len(inputs), moved, wanted)
            operands = [*inputs, *[tangents[k] for k in moved]]
            types = TypesOf(tuple(outputs[k].type for k in wanted), of_types(operands))
            found = NumpyOperation(program, types)(*operands, return_list=True)
            dots = with_items_at(dots, wanted, found)
        return dots

    # the names that PyTensor 2 has for the pullback and the pushforward
    def L_op(
        self, inputs: Variables, outputs: Variables, output_grads: Variables
    ) -> list[Variable[Any, Any]]:
        """The cotangents of the inputs."""
        return self.pullback(inputs, outputs, output_grads)

    def R_op(
        self, inputs: Variables, eval_points: Sequence[Any]
    ) -> list[Variable[Any, Any] | None]:
        """The tangents of the outputs, None where there is none."""
        tangents = [disconnected_type() if dot is None else dot for dot in eval_points]
        outputs = self.make_node(*inputs).outputs
        found = self.pushforward(inputs, outputs, tangents)
        return [dot if is_connected(dot) else None for dot in found]

    def has_derivative_by(self, k: int, x: Variable[Any, Any]) -> bool:
        """Whether the cotangent of an input is computed."""
        flat = self.program.call.flat
        is_leaf = k < len(flat.numbers)  # those after them are (co)tangents
        is_option = is_leaf and not any(k in own for own in flat.leaves_of_arguments)
        return is_floating(x) and not (isinstance(x, Constant) or is_option)

    def without(self, k: int, x) -> Variable[Any, Any]:
        """The stand-in for the cotangent of an input that has none."""
        if not is_floating(x):
            return disconnected_type()
        if isinstance(x, Constant):
            return x.zeros_like()
        reason = "no rule has a derivative by options; give it by position, or as a constant"
        return grad_not_implemented(self, k, x, reason)


register_with_linkers()


def of_types(inputs: Variables) -> tuple[TensorType, ...]:
    """The types of variables."""
    return tuple(x.type for x in inputs)


def is_floating(x) -> bool:
    """Whether a variable is one of real or complex numbers."""
    return np.dtype(x.type.dtype).kind in "fc"


def is_connected(t) -> bool:
    """Whether there is a tangent or cotangent at all."""
    return not isinstance(t.type, DisconnectedType)
