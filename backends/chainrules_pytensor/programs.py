"""Functions of flat lists of NumPy's arrays, which PyTensor's operations run.

    Call(flat, numbers)                      a call of a primal -> the arrays in its value
    Pullback(program, count, needed, given)  arrays and cotangents of results -> those of arrays
    Pushforward(program, count, moved, ...)  arrays and tangents of them -> tangents of results

Each is differentiated by chainrules_tape, so that a pullback has a pullback in turn. Two that do
the same are equal: PyTensor merges their nodes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chainrules_py import RuleTable, is_zero
from chainrules_py.engines import FlatCall, FlatValue, as_primitive, qualified_name
from chainrules_tape import jvp, vjp

Arrays = Sequence[Any]
NUMBERS = (bool, int, float, complex)


@dataclass(frozen=True)
class Call:
    """A call of a primal as a function of the leaves that vary.

    `numbers` has an entry for each leaf: a number of Python's that is a constant, or None for a
    leaf that varies.
    """

    flat: FlatCall
    numbers: tuple[float | complex | None, ...]

    def __repr__(self) -> str:
        return name_of_call(self.flat)

    @property
    def table(self) -> RuleTable:
        """The rules by which it is differentiated."""
        return self.flat.table

    def __call__(self, *arrays) -> list[Any]:
        """Compute the arrays and numbers in the value."""
        return results_of(self.value(arrays)).leaves

    def value(self, arrays: Arrays) -> Any:
        """Compute the value, by the primal itself, of which the tape sees every call."""
        args, options = self.arguments(arrays)
        return as_primitive(self.flat.primal)(*args, **options)

    def arguments(self, arrays: Arrays) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments and options of the call, with these arrays in their places."""
        return self.flat.arguments(self._leaves(arrays))

    def in_numpy(self, arrays: Arrays) -> list[Any]:
        """Turn 0-d arrays into numbers where the rule is one of numbers."""
        found = self.flat.as_numbers(self._leaves(arrays), "reverse")
        pairs = zip(found, self.numbers, strict=True)
        return [x for x, number in pairs if number is None]

    def _leaves(self, arrays: Arrays) -> list[Any]:
        given = iter(arrays)
        return [next(given) if number is None else number for number in self.numbers]

    @property
    def constant_positions(self) -> frozenset[int]:
        """The arrays that stand in options of a rule, which has no derivative by these."""
        of_arguments = frozenset().union(*self.flat.leaves_of_arguments)
        varying = [k for k, number in enumerate(self.numbers) if number is None]
        return frozenset(place for place, k in enumerate(varying) if k not in of_arguments)


@dataclass(frozen=True)
class Derivative:
    """A derivative of a program, from its `count` arrays and from tangents or cotangents."""

    program: "Program"
    count: int

    @property
    def table(self) -> RuleTable:
        """The rules by which it is differentiated."""
        return self.program.table

    def in_numpy(self, arrays: Arrays) -> list[Any]:
        """Turn 0-d arrays into numbers where the rule is one of numbers."""
        return [*self.program.in_numpy(arrays[: self.count]), *arrays[self.count :]]

    @property
    def constant_positions(self) -> frozenset[int]:
        """The arrays by which there is no derivative."""
        return self.program.constant_positions


@dataclass(frozen=True)
class Pullback(Derivative):
    """The cotangents of the needed arrays, from those of the given results."""

    needed: tuple[int, ...]
    given: tuple[int, ...]

    def __repr__(self) -> str:
        return f"the pullback of {self.program!r}"

    def __call__(self, *arrays) -> list[Any]:
        """Compute the cotangents."""
        xs, bars = arrays[: self.count], arrays[self.count :]
        points = [xs[k] for k in self.needed]
        function = of_chosen(self.program, xs, self.needed, self.given)
        y, pullback = vjp(function, *points, rules=self.table)
        seeds = tuple(map(seed, bars, y))
        return [dense(bar, x) for bar, x in zip(pullback(seeds), points, strict=True)]


@dataclass(frozen=True)
class Pushforward(Derivative):
    """The tangents of the wanted results, from those of the arrays that move."""

    moved: tuple[int, ...]
    wanted: tuple[int, ...]

    def __repr__(self) -> str:
        return f"the pushforward of {self.program!r}"

    def __call__(self, *arrays) -> list[Any]:
        """Compute the tangents."""
        xs, dots = arrays[: self.count], arrays[self.count :]
        points = tuple(xs[k] for k in self.moved)
        function = of_chosen(self.program, xs, self.moved, self.wanted)
        y, y_dot = jvp(function, points, tuple(map(seed, dots, points)), rules=self.table)
        return list(map(dense, y_dot, y))


Program = Call | Pullback | Pushforward


def of_chosen(
    program: Callable[..., list[Any]],
    arrays: Arrays,
    chosen: Sequence[int],
    wanted: Sequence[int],
) -> Callable[..., tuple[Any, ...]]:
    """The wanted results of a program as a function of the chosen arrays alone; both are given by
    their positions.
    """

    def function(*values) -> tuple[Any, ...]:
        given = dict(zip(chosen, values, strict=True))
        results = program(*[given.get(k, x) for k, x in enumerate(arrays)])
        return tuple(results[k] for k in wanted)

    return function


def results_of(value) -> FlatValue:
    """A value as its arrays and numbers; text and other objects are a part of its tree."""
    return FlatValue.of(value, is_result)


def is_result(x) -> bool:
    """Whether a part of a value is an output of an operation: an array of numbers, or a number."""
    if isinstance(x, NUMBERS):
        return True
    dtype = getattr(x, "dtype", None)
    return dtype is not None and np.dtype(dtype).kind in "biufc"


def seed(t, x) -> Any:
    """A tangent of a value in its kind: an array for a 0-d array, a number for a number."""
    is_scalar = getattr(t, "shape", None) == ()
    if is_scalar and not isinstance(x, np.ndarray):
        return t[()]
    return t


def dense(t, x) -> Any:
    """A tangent of `x`, with zeros written out."""
    return np.zeros_like(x) if is_zero(t) else t


def name_of_call(flat: FlatCall) -> str:
    """The name of the function that is called; of a whole program, that of the program."""
    program = flat.args[0] if flat.args else None
    function = getattr(program, "function", None)
    return f"to_pytensor({qualified_name(function or flat.primal)})"
