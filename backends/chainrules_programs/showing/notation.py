"""Values and calls as one would write them down, for programs that are shown to people."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter
from typing import Any

import numpy as np

from chainrules_py.values.identity import qualified_name
from chainrules_py.values.signatures import signature_of
from chainrules_py.values.structure import fields
from chainrules_tape.core.trees import flatten
from chainrules_tape.refusals.handles import TracedArray

INFIX = {
    np.add: "+",
    np.subtract: "-",
    np.multiply: "*",
    np.divide: "/",
    np.power: "**",
    np.matmul: "@",
    np.remainder: "%",
    np.floor_divide: "//",
}


@dataclass(frozen=True)
class Value:
    """A value of the program: its name, and what can be said of it without keeping it."""

    name: str
    shape: tuple[int, ...]
    dtype: str

    @property
    def type(self) -> str:
        """``float64[2, 3]``; ``float64`` for a scalar."""
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]" if self.shape else self.dtype

    @property
    def bar(self) -> str:
        """The name of its cotangent: ``layers_bar[0]['w']`` for ``layers[0]['w']``."""
        stem = self.name.split("[")[0].split(".")[0]
        return f"{stem}_bar{self.name[len(stem) :]}"


def described(name: str, value) -> Value:
    """A value without its numbers."""
    dtype = getattr(value, "dtype", None)
    kind = str(dtype) if dtype is not None else type(value).__name__
    return Value(name, tuple(np.shape(value)), kind)


def function_name(primal) -> str:
    """``np.linalg.inv``; the functions of one's own without their modules."""
    name = qualified_name(primal)
    return f"np.{name[6:]}" if name.startswith("numpy.") else name.rpartition(".")[2]


def written_call(primal, args: list[str], options: list[str]) -> str:
    """A call, with operators as operators."""
    if primal is operator.getitem:
        array, index = args
        if index != "()":
            index = index.removeprefix("(").removesuffix(")")
        return f"{array}[{index}]"
    if primal is np.negative and not options:
        return f"-{args[0]}"
    if primal in INFIX and len(args) == 2 and not options:
        left = f"({args[0]})" if args[0].startswith("-") else args[0]  # -2 ** x is -(2 ** x)
        return f"{left} {INFIX[primal]} {args[1]}"
    return f"{function_name(primal)}({', '.join(args + options)})"


def constant(value) -> str:
    """A constant, short: numbers, strings and slices as they are, arrays by their type."""
    if isinstance(value, TracedArray | np.ndarray):
        return described("", value).type
    if isinstance(value, slice):
        return written_slice(value)
    if isinstance(value, np.generic):
        return repr(value.item())
    if value is Ellipsis:
        return "..."
    if callable(value):
        return title(value)
    written = repr(value)
    return written if len(written) <= 30 else f"{written[:27]}..."


def written_slice(index: slice) -> str:
    """``1:-1``, as inside brackets."""
    start, stop, step = (
        "" if part is None else str(part) for part in (index.start, index.stop, index.step)
    )
    return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"


def title(function) -> str:
    """A function's name as one can write it after ``def``."""
    name = getattr(function, "__name__", type(function).__name__)
    return name if name.isidentifier() else "f"


def input_names(function: Callable[..., Any], args: tuple[Any, ...]) -> list[tuple[list[str], Any]]:
    """Each argument with the names of its leaves, such as ``layers[0]['w']``: the parameter's, and
    the keys that lead to the leaf.
    """
    names = parameter_names(function, len(args))
    return [(paths(name, arg), arg) for name, arg in zip(names, args, strict=True)]


def parameter_names(function: Callable[..., Any], count: int) -> list[str]:
    """The names of the first positional parameters, ``*args`` being args0, args1 and so on."""
    try:
        parameters = list(signature_of(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    positional = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    named = [p.name for p in parameters if p.kind in positional][:count]
    rest = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "x")
    return named + [f"{rest}{k}" for k in range(count - len(named))]


def paths(name: str, tree) -> list[str]:
    """The names of the leaves of a tree, in the order in which it is flattened."""
    leaves, rebuilt = flatten(tree)
    found: dict[int, str] = {}

    def walk(path: str, node) -> None:
        if isinstance(node, int):
            found[node] = path
            return
        by_name = not isinstance(node, tuple | list | dict) or hasattr(node, "_fields")
        for key, part in fields(node).items():
            walk(f"{path}.{key}" if by_name else f"{path}[{key!r}]", part)

    walk(name, rebuilt(list(range(len(leaves)))))
    return [found[k] for k in range(len(leaves))]
