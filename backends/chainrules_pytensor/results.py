"""The outputs of an operation: how many, their dtypes, numbers of dimensions, and shapes if known.

They are declared, or found by one call with made-up numbers. Lengths that PyTensor does not know are
tried, too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Constant, Variable
from pytensor.tensor.type import TensorType

from chainrules_py.engines import Call, FlatValue, is_result, made_up_arguments
from chainrules_pytensor.errors import PytensorError

USUAL_LENGTH = 3  # of dimensions that nothing is known of
UNKNOWN = "known when the program has run"


@dataclass(frozen=True)
class TypesOf:
    """Types of outputs, found for inputs of certain types, or declared for any."""

    types: tuple[TensorType, ...]
    inputs: tuple[TensorType, ...] | None = None

    def of(self, inputs: Sequence[Any]) -> list[TensorType]:
        """The types for these inputs; where they were found for others, without lengths."""
        if self.inputs is None or self.inputs == tuple(x.type for x in inputs):
            return list(self.types)
        return [TensorType(y.dtype, shape=(None,) * y.ndim) for y in self.types]


@dataclass(frozen=True)
class TypesOfInputs:
    """Types of outputs that are like some of the inputs."""

    positions: tuple[int, ...]

    def of(self, inputs: Sequence[Any]) -> list[TensorType]:
        """The types for these inputs."""
        return [inputs[k].type for k in self.positions]


OutputTypes = TypesOf | TypesOfInputs


def declared_result(outputs) -> FlatValue:
    """The declared result of a function: a type of PyTensor's in the place of each array."""

    def is_type(x) -> bool:
        return isinstance(x, TensorType | Variable)

    declared = FlatValue.of(outputs, is_type)
    types = [x.type if isinstance(x, Variable) else x for x in declared.leaves]
    return FlatValue(types, declared.tree)


def found_result(call: Call, inputs: Sequence[Variable[Any, Any]]) -> FlatValue:
    """The types of the results of a call, found by running it on made-up numbers."""
    errors: list[Exception] = []
    for arrays in made_up(inputs):
        try:
            with np.errstate(all="ignore"):
                value = call.value(call.numbers(arrays))
            found = typed(value, are_known=all(map(is_shaped, inputs)))
            if not found.leaves:
                raise ValueError("it returned no array")
        except Exception as error:  # whatever the program says to numbers that mean nothing
            errors.append(error)
        else:
            return found
    got = (
        "what it returns is not known, since calls with made-up numbers failed:"
        f" {type(errors[0]).__name__}: {errors[0]}"
    )
    instead = "write to_pytensor(f, outputs=...) with a TensorType in the place of each array"
    raise PytensorError(repr(call), got, instead, primal=call.flat.primal) from errors[0]


def typed(value: FlatValue, *, are_known: bool) -> FlatValue:
    """A value with types in the place of its arrays; text of made-up numbers says nothing."""
    leaves = [part if is_result(part) else UNKNOWN for part in value.leaves]
    found = FlatValue.of(value.with_leaves(leaves), is_result)
    types = [type_of(y, is_known=are_known) for y in found.leaves]
    return FlatValue(types, found.tree)


def type_of(y, *, is_known: bool) -> TensorType:
    """The type of an array or a number."""
    array = np.asarray(y)
    return TensorType(str(array.dtype), shape=array.shape if is_known else (None,) * array.ndim)


def is_shaped(x) -> bool:
    """Whether made-up numbers in the place of a variable lead to shapes that hold for others.

    Integers may be sizes.
    """
    if isinstance(x, Constant):
        return True
    return None not in x.type.shape and np.dtype(x.type.dtype).kind in "fc"


def made_up(inputs: Sequence[Any]) -> Iterator[list[Any]]:
    """Arrays in the place of variables, one guess after the other; constants are what they are."""
    for length in lengths(inputs):
        for guesses in made_up_arguments([shape_and_dtype(x, length) for x in inputs]):
            values = map(known_value, inputs)
            yield [
                guess if value is None else value
                for guess, value in zip(guesses, values, strict=True)
            ]


def lengths(inputs: Sequence[Any]) -> list[int]:
    """Lengths to try where PyTensor knows none: first those that other inputs have."""
    shapes = [known_shape(x) for x in inputs]
    known = {n for shape in shapes for n in shape if n is not None}
    if not any(None in shape for shape in shapes):
        return [USUAL_LENGTH]
    return [*sorted(known - {0, 1}), USUAL_LENGTH, 1]


def known_shape(x) -> tuple[int | None, ...]:
    """The shape of a variable, None for a length that is not known."""
    if isinstance(x, SharedVariable):
        return tuple(np.shape(x.get_value(borrow=True)))
    return tuple(x.type.shape)


def known_value(x):
    """A copy of the value of a variable that has one, else None."""
    if isinstance(x, Constant):
        return np.array(x.data)
    if isinstance(x, SharedVariable):
        return np.array(x.get_value(borrow=False))
    return None


def shape_and_dtype(x, length: int) -> tuple[tuple[int, ...], Any]:
    """The shape and the dtype of a variable, with a length where PyTensor knows none."""
    return tuple(length if n is None else n for n in x.type.shape), np.dtype(x.type.dtype)
