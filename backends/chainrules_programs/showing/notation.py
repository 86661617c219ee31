"""Values and calls as one would write them down, for programs that are shown to people."""

from typing import Any, NamedTuple

import numpy as np

from chainrules_programs.recording.notation import INFIX, Operands, paths
from chainrules_programs.recording.program import Value
from chainrules_py.annotations import Args, Function
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.signatures import argument_names

LONGEST = 30  # characters of a constant


class Parts(NamedTuple):
    """An object with values in it: its name, and whether they are written after that."""

    name: str
    parts: dict[Any, Any]
    is_written: bool = False


class Notation(Operands):
    """Values by their names, and constants in a few characters: arrays by their type."""

    infix = INFIX | {np.power: "**"}

    def text(self, operand) -> str:
        """Write an operand."""
        if type(operand) is Value:
            return str(operand.name)
        if type(operand) is Parts:
            written = [f"{key}={self.text(part)}" for key, part in operand.parts.items()]
            return f"{operand.name}({', '.join(written)})" if operand.is_written else operand.name
        return title(operand) if callable(operand) else super().text(operand)

    def constant(self, constant, stem: str = "c") -> str:
        """Write what has no literal."""
        if isinstance(constant, np.ndarray):
            return type_of(Value(constant))
        written = repr(constant.item() if isinstance(constant, np.generic) else constant)
        return written if len(written) <= LONGEST else f"{written[: LONGEST - 3]}..."

    def function(self, function) -> str:
        """``np.linalg.inv``; the functions of one's own without their modules."""
        name = qualified_name(function)
        return f"np.{name[6:]}" if name.startswith("numpy.") else name.rpartition(".")[2]

    def by_signs(self, primal: Function, args: Args) -> bool:
        """Operators stand for their ufuncs."""
        return True


notation = Notation({}, set())


def dtype_as_text(value: Value) -> str:
    """The type of a value's numbers; of Python's the class."""
    dtype = getattr(value.array, "dtype", None)
    return type(value.array).__name__ if dtype is None else str(dtype)


def type_of(value: Value) -> str:
    """``float64[2, 3]``; ``float64`` for a scalar."""
    shape = np.shape(value.array)
    return (
        f"{dtype_as_text(value)}[{', '.join(map(str, shape))}]" if shape else dtype_as_text(value)
    )


def bar_of(value: Value) -> str:
    """The name of a cotangent: ``layers_bar[0]['w']`` for ``layers[0]['w']``."""
    name = str(value.name)
    stem = parameter_of(name)
    return f"{stem}_bar{name[len(stem) :]}"


def parameter_of(name: str) -> str:
    """The parameter that the name of a leaf begins with."""
    return name.split("[")[0].split(".")[0]


def title(function) -> str:
    """A function's name as one can write it after ``def``."""
    name = getattr(function, "__name__", type(function).__name__)
    return name if name.isidentifier() else "f"


def input_names(function: Function, args: Args) -> list[tuple[list[str], Any]]:
    """Each argument with the names of its leaves, such as ``layers[0]['w']``: the parameter's, and
    the keys that lead to the leaf.
    """
    names = argument_names(function, len(args))
    return [(paths(name, arg), arg) for name, arg in zip(names, args, strict=True)]
