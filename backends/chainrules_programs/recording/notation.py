"""Operands and calls of a recorded program as a person writes them in a module of NumPy."""

import operator
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from chainrules_programs.recording.operators import BINARY, COMPARISONS, PYTHONS, UNARY, signs_of
from chainrules_programs.recording.program import Call, Count, Value, array_of
from chainrules_py.annotations import Args, Function
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import fields
from chainrules_tape.core.trees import flatten

INFIX = signs_of(BINARY | COMPARISONS)
PREFIX = signs_of(UNARY)
# With these, numbers of NumPy's compute what the ufunc computes, in a thirtieth of the time.
OF_NUMBERS = {np.add, np.subtract, np.multiply, np.divide, np.negative}
# NumPy warns where these get `out` by position.
OUT_BY_NAME = {np.maximum, np.minimum}
COMMUTATIVE = {np.add, np.multiply}
_KNOWN = (np.ndarray, np.generic, int, float, complex)  # whose operators are the ufuncs
AUGMENTED = {np.add, np.subtract, np.multiply, np.divide}


@cache
def importable(function) -> tuple[str, str] | None:
    """Find the public module of a function and its name there; None where it has none.

    >>> importable(np.linalg.solve), importable(np.add.reduce), importable(lambda x: x)
    (('numpy', 'linalg.solve'), ('numpy', 'add.reduce'), None)
    """
    parts = qualified_name(function).split(".")
    public = [part for part in parts if not part.startswith("_")]
    for path in (public, parts):
        for cut in range(len(path) - 1, 0, -1):
            module, names = ".".join(path[:cut]), path[cut:]
            if _found(module, names) == function:
                break
        else:
            continue
        if module.split(".")[0] == "numpy":
            return "numpy", ".".join([*path[1:cut], *names])
        return module, ".".join(names)
    return None


def _found(module: str, names: list[str]) -> Any:
    try:
        found = sys.modules.get(module) or import_module(module)
        for name in names:
            found = getattr(found, name)
    except (ImportError, AttributeError, ValueError):
        return None
    return found


def container_text(
    container,
    text: Callable[[Any], str],
    named: Callable[[Any], str] | None = None,
    key_text: Callable[[Any], str] = repr,
) -> str:
    """Write a dict, a list or a tuple, the parts of which are written by `text`; where classes are
    `named`, a named tuple, too.
    """
    if isinstance(container, dict):
        pairs = [f"{key_text(key)}: {text(part)}" for key, part in container.items()]
        return f"{{{', '.join(pairs)}}}"
    parts = ", ".join(map(text, container))
    if isinstance(container, list):
        return f"[{parts}]"
    if named is not None and hasattr(container, "_fields"):
        return f"{named(type(container))}({parts})"
    return f"({parts},)" if len(container) == 1 else f"({parts})"


class Operands:
    """Operands as text; what has no literal becomes a name at the module's head.

    `names` are those of the Values, `constants` maps the names at the head to what they stand for,
    and `modules` lists the modules that the text needs. `counting` are the names of the numbers of
    repetitions that were written. In a text that `is_terse`, `out` stands by position, and functions
    have names of their own: to read one from a module takes 45 ns.
    """

    infix = INFIX

    def __init__(self, names: dict[Value, str], taken: set[str], is_terse: bool = False) -> None:
        self.names, self.taken, self.is_terse = names, taken, is_terse
        self.constants: dict[str, Any] = {}
        self.modules: set[str] = {"numpy"}
        self.counting: set[str] = set()
        self._known: dict[int, str] = {}
        self._own: dict[str, str] = {}  # names of functions in a terse text

    def text(self, operand) -> str:
        """Write an operand."""
        kind = type(operand)
        if kind is Value:
            return self.names[operand]
        if kind in (int, bool, str) or operand is None:
            return repr(operand)
        if kind is float:
            return float_text(operand)
        if isinstance(operand, tuple | list | dict):
            return container_text(operand, self.text, self.function)
        if kind is slice:
            ends = (operand.start, operand.stop, operand.step)
            return f"slice({', '.join(map(self.text, ends))})"
        if operand is Ellipsis:
            return "..."
        if isinstance(operand, np.dtype):
            return self._dtype(operand)
        if kind is Count:
            self.counting.add(operand.counter)
            return count_text(operand)
        if callable(operand):
            return self.function(operand)
        return self.constant(operand)

    def index(self, index) -> str:
        """Write what stands between brackets."""
        if type(index) is tuple and index:
            written = ", ".join(map(self._part, index))
            return written if len(index) > 1 else f"{written},"
        return self._part(index)

    def _part(self, part) -> str:
        if type(part) is not slice:
            return self.text(part)
        ends = [part.start, part.stop] + ([] if part.step is None else [part.step])
        return ":".join("" if end is None else self.text(end) for end in ends)

    def _dtype(self, dtype: np.dtype[Any]) -> str:
        name = dtype.name
        is_plain = getattr(np, name, None) is dtype.type and dtype == np.dtype(dtype.type)
        return f"np.{name}" if is_plain else self.constant(dtype)

    def function(self, function) -> str:
        """Write the name of a function or a class."""
        found = importable(function)
        if found is None:
            if getattr(function, "__module__", "") == "builtins":
                return str(function.__name__)
            return self.constant(function, getattr(function, "__name__", "function"))
        module, name = found
        if module == "builtins":
            return name
        self.modules.add(module)
        written = f"np.{name}" if module == "numpy" else f"{module}.{name}"
        if not self.is_terse:
            return written
        if written not in self._own:
            self._own[written] = self.constant(function, written.replace(".", "_"))
        return self._own[written]

    def constant(self, constant, stem: str = "c") -> str:
        """Name a constant that stands at the module's head."""
        if id(constant) not in self._known:
            name = stem if stem.isidentifier() else "c"
            count = len(self.constants) + 1
            name = f"{name}{count}" if name == "c" else name
            while name in self.taken:
                count += 1
                name = f"{name}_{count}"
            self.taken.add(name)
            self.constants[name] = constant
            self._known[id(constant)] = name
        return self._known[id(constant)]

    def call(self, call: Call) -> str:
        """Write a call without what it is assigned to."""
        primal, args = call.primal, call.args
        if primal is operator.setitem:
            target, index, entries = args
            return f"{self.text(target)}[{self.index(index)}] = {self.text(entries)}"
        if not call.options and call.into is None:
            short = self._short(primal, args)
            if short is not None:
                return short
        owner = getattr(primal, "__objclass__", None)
        written = [self.text(arg) for arg in args]
        options = [f"{key}={self.text(part)}" for key, part in call.options.items()]
        if is_out(call):
            out = self.text(call.into)
            if self.is_terse and _takes_out_by_position(call):
                written.append(out)
            else:
                options.append(f"out={out}")
        if owner in (np.ndarray, np.generic) and isinstance(args[0], Value):
            return f"{written[0]}.{primal.__name__}({', '.join(written[1:] + options)})"
        return f"{self.function(primal)}({', '.join(written + options)})"

    def _short(self, primal, args: Args) -> str | None:
        """Write a call by signs, where they compute the same."""
        if primal is operator.getitem:
            return f"{self._operand(args[0])}[{self.index(args[1])}]"
        if primal in self.infix and len(args) == 2 and self.by_signs(primal, args):
            return f"{self._operand(args[0])} {self.infix[primal]} {self._operand(args[1])}"
        if primal in PREFIX and len(args) == 1 and self.by_signs(primal, args):
            return f"{PREFIX[primal]}{self._operand(args[0])}"
        return None

    def by_signs(self, primal: Function, args: Args) -> bool:
        """Whether an operator computes what a function computes, bit for bit: Python's own does."""
        if primal in PYTHONS:
            return True
        arrays = list(map(array_of, args))
        if any(isinstance(array, np.ndarray) for array in arrays):
            if not all(isinstance(array, _KNOWN) for array in arrays):
                return False
            return primal is not np.matmul or all(map(np.ndim, arrays))
        if primal not in OF_NUMBERS:
            return False
        kinds = set(map(type, arrays))
        is_numpy = bool(kinds & {np.float64, np.float32})
        return is_numpy and kinds <= {np.float64, np.float32, float, int}

    def _operand(self, operand) -> str:
        written = self.text(operand)
        is_sum = type(operand) is Count and " " in written
        return f"({written})" if is_sum or written.startswith("-") else written


def is_out(call: Call) -> bool:
    """Whether a call writes to its keyword `out`; others change one of their arguments."""
    return call.into is not None and call.results is not None


def _takes_out_by_position(call: Call) -> bool:
    """Whether `out` may stand after the arguments of a call, which that of a ufunc allows."""
    ufunc: Any = call.primal
    if not isinstance(ufunc, np.ufunc):
        return False
    return ufunc not in OUT_BY_NAME and len(call.args) == ufunc.nin


def augmented(call: Call) -> tuple[Value, str, Any] | None:
    """Return target, sign and operand of a call that is an augmented assignment: ``x += y``."""
    into = call.into
    if into is None or call.primal not in AUGMENTED or call.options or len(call.args) != 2:
        return None
    first, second = call.args
    if first is into:
        operand = second
    elif second is into and call.primal in COMMUTATIVE and into.array.dtype.kind in "fiu":
        operand = first
    else:
        return None
    if not isinstance(into.array, np.ndarray) or into.array.dtype.kind not in "fciu":
        return None
    return into, INFIX[call.primal], operand


def float_text(number: float) -> str:
    """Write a float of Python's."""
    if number != number:
        return "np.nan"
    if number in (float("inf"), float("-inf")):
        return "np.inf" if number > 0 else "-np.inf"
    return repr(number)


def count_text(count: Count) -> str:
    """Write an integer of a loop: ``k``, ``k + 3``, ``9 - k``."""
    if count.step == -1:
        return f"{count.first} - {count.counter}"
    times = count.counter if count.step == 1 else f"{count.step} * {count.counter}"
    if not count.first:
        return times
    return f"{times} {'+' if count.first > 0 else '-'} {abs(count.first)}"


def paths(name: str, tree, key_text: Callable[[Any], str] = repr) -> list[str]:
    """The expressions that read the leaves of a tree, in the order in which it is flattened.

    >>> paths("params", {"w": (1.0, 2)})
    ["params['w'][0]", "params['w'][1]"]
    """
    leaves, rebuilt = flatten(tree)
    found: dict[int, str] = {}

    def walk(path: str, node) -> None:
        if isinstance(node, int):
            found[node] = path
            return
        by_name = not isinstance(node, tuple | list | dict) or hasattr(node, "_fields")
        for key, part in fields(node).items():
            walk(f"{path}.{key}" if by_name else f"{path}[{key_text(key)}]", part)

    walk(name, rebuilt(list(range(len(leaves)))))
    return [found[k] for k in range(len(leaves))]
