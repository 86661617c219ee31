"""Functions of flat NumPy arrays that PyTorch differentiates as a whole.

    Call(flat, needed).program          a call of a primal on its leaves
    program.pullback(needed, ...)       arrays and cotangents of results -> cotangents of arrays
    program.pushforward(moved, ...)     arrays and tangents of them -> tangents of results

Each of these is a `Program`, so that derivatives exist to any order. The rules of the table
differentiate the call itself. What pullbacks and pushforwards compute is written in operations
that have rules, and `chainrules_tape` differentiates that.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from chainrules_py import ZERO, NoRuleError, ProjectTo, is_zero, materialize
from chainrules_py.engines import FlatCall, FlatValue, Mode, as_primitive
from chainrules_torch.outside import config_of, each_example, second_order

Arrays = Sequence[Any]


@dataclass(eq=False)
class Program:
    """A function of flat arrays, and both of its derivatives.

    `value` takes the arrays, which the tape may trace, and a key for their memory: a pullback that
    was cached for the same memory is used again. Of the inputs, `leaves` many are in that key.
    `numbers` turns 0-d arrays into numbers where the rules want them. `likes` are the positions of
    the inputs beside which the results are stored, None for the first tensor.
    """

    call: "Call"
    value: Callable[[Arrays, Any], list[Any]]
    numbers: Callable[[Arrays, Mode], list[Any]]
    leaves: int | None = None
    likes: Sequence[int] | None = None

    def pulled(
        self, arrays: Arrays, needed: Sequence[int], bars: Arrays, memory: Any = None
    ) -> list[Any]:
        """Return the cotangents of the needed arrays from those of the results, ZERO among them."""
        if self is self.call.program and not any(map(is_traced, (*arrays, *bars))):
            return self.call.pulled(arrays, needed, bars, memory)

        present = [k for k, bar in enumerate(bars) if not is_zero(bar)]
        function = of_chosen(partial(self._some, present), arrays, needed)
        points = [arrays[k] for k in needed]
        table = self.call.flat.table
        _, pullback = second_order(self).vjp(function, *points, rules=table)
        return list(pullback(tuple(bars[k] for k in present)))

    def pushed(self, arrays: Arrays, dots: Arrays, wanted: Sequence[int]) -> list[Any]:
        """Return the tangents of the wanted results from those of the arrays, ZERO among them."""
        if self is self.call.program and not any(map(is_traced, (*arrays, *dots))):
            return self.call.pushed(arrays, dots, wanted)

        moved = [k for k, dot in enumerate(dots) if not is_zero(dot)]
        function = of_chosen(partial(self._some, wanted), arrays, moved)
        points, tangents = (tuple(values[k] for k in moved) for values in (arrays, dots))
        table = self.call.flat.table
        _, y_dots = second_order(self).jvp(function, points, tangents, rules=table)
        return list(y_dots)

    def _some(self, wanted: Sequence[int], arrays: Arrays) -> list[Any]:
        results = self.value(arrays, None)
        return [results[k] for k in wanted]

    def pullback(
        self, leaves: int, needed: Sequence[int], present: Sequence[int], results: int
    ) -> "Program":
        """Make the program that computes the cotangents of the needed arrays.

        It takes the arrays, `leaves` in number, and cotangents of those results that are present.
        """

        def value(operands: Arrays, memory) -> list[Any]:
            arrays, given = operands[:leaves], operands[leaves:]
            bars: list[Any] = [ZERO] * results
            for k, bar in zip(present, given, strict=True):
                bars[k] = bar
            found = self.pulled(arrays, needed, bars, memory)
            return [fitted(bar, arrays[k]) for k, bar in zip(needed, found, strict=True)]

        def numbers(operands: Arrays, mode: Mode) -> list[Any]:
            return [*self.numbers(operands[:leaves], "reverse"), *map(as_number, operands[leaves:])]

        return Program(self.call, value, numbers, leaves, likes=needed)

    def pushforward(self, leaves: int, moved: Sequence[int], wanted: Sequence[int]) -> "Program":
        """Make the program that computes the tangents of the wanted results.

        It takes the arrays, `leaves` in number, and tangents of those that are moved.
        """

        def value(operands: Arrays, memory) -> list[Any]:
            dots: list[Any] = [ZERO] * leaves
            for k, dot in zip(moved, operands[leaves:], strict=True):
                dots[k] = dot
            return self.pushed(operands[:leaves], dots, wanted)

        def numbers(operands: Arrays, mode: Mode) -> list[Any]:
            return [*self.numbers(operands[:leaves], "forward"), *map(as_number, operands[leaves:])]

        return Program(self.call, value, numbers)

    def in_lanes(self, lanes: tuple[bool, ...]) -> "Program":
        """Make the program for many examples, which lie along the first axis of some arrays."""

        def of_one(*arrays) -> list[Any]:
            return self.value(self.numbers(arrays, "reverse"), None)

        def value(arrays: Arrays, memory) -> list[Any]:
            flat, kind = self.call.flat, (self.value.__qualname__, lanes)
            found: list[Any] = each_example(
                of_one, lanes, tuple(arrays), flat.table, flat.function, kind
            )
            return found

        def numbers(arrays: Arrays, mode: Mode) -> list[Any]:
            return list(arrays)

        return Program(self.call, value, numbers, likes=self.likes)


class CachedPullback(NamedTuple):
    """A pullback of a call, with the memory and the needed leaves that it is right for."""

    memory: Any
    needed: frozenset[int]
    value: FlatValue
    pull: Callable[[Arrays], list[Any]]

    def serves(self, memory, needed: Sequence[int]) -> bool:
        """Tell whether it computes the cotangents of these leaves."""
        return self.memory == memory and self.needed.issuperset(needed)


class Call:
    """A call of a primal, whose results are the arrays and the numbers with a dtype in its value.

    `needed` are the leaves that require gradients, as far as it is known. Where there are any, the
    pullback is made with the value, and cached. The last value is stored as a tree, for whoever
    puts the results into their places.
    """

    def __init__(self, flat: FlatCall, needed: frozenset[int]) -> None:
        self.flat, self.needed = flat, needed
        self.cached: CachedPullback | None = None
        self.tree: FlatValue | None = None

    def __repr__(self) -> str:
        return f"to_torch({self.flat!r})"

    @cached_property
    def program(self) -> Program:
        """The call as a program, whose derivatives are computed by the rules."""
        return Program(self, self.value, self.flat.as_numbers)

    def rebuilt(self, results: Sequence[Any]) -> Any:
        """Build the value with these results in their places."""
        assert self.tree is not None, "the call has been run"
        return with_results(self.tree, places_of(self.tree), results)

    def value(self, arrays: Arrays, memory) -> list[Any]:
        """Compute the results; on values that the tape traces, by its call of the primal."""
        traced = next(filter(is_traced, arrays), None)
        if traced is not None:
            args, options = self.flat.arguments(arrays)
            primal = as_primitive(self.flat.primal)
            found = FlatValue.of(traced.__chainrules_call__(primal, args, options))
            self.tree = FlatValue.of(found.with_leaves(list(map(placeholder, found.leaves))))
            return results_of(found)

        value = self._value_and_pullback(arrays, memory) if self.needed else None
        self.tree = value = self.flat.value(arrays) if value is None else value
        return results_of(value)

    def pulled(self, arrays: Arrays, needed: Sequence[int], bars: Arrays, memory) -> list[Any]:
        """Return the cotangents of the needed leaves, by the cached pullback if it serves."""
        cached = self.cached
        if cached is None or memory is None or not cached.serves(memory, needed):
            cached = self._cache(arrays, frozenset(needed), memory)
        seeds: list[Any] = [ZERO] * len(cached.value.leaves)
        for k, bar in zip(places_of(cached.value), bars, strict=True):
            seeds[k] = bar if is_zero(bar) else seed(bar, cached.value.leaves[k])
        found = cached.pull(seeds)
        return [found[k] for k in needed]

    def pushed(self, arrays: Arrays, dots: Arrays, wanted: Sequence[int]) -> list[Any]:
        """Return the tangents of the wanted results."""
        seeds = [dot if is_zero(dot) else seed(dot, x) for dot, x in zip(dots, arrays, strict=True)]
        value, y_dots = self.flat.frule(arrays, seeds, config_of(self.flat.table))
        places = [places_of(value)[k] for k in wanted]
        return [fitted(y_dots[k], value.leaves[k]) for k in places]

    def _cache(self, arrays: Arrays, needed: frozenset[int], memory) -> CachedPullback:
        needs = [k in needed for k in range(len(arrays))]
        value, pull = self.flat.rrule(arrays, needs, config_of(self.flat.table))
        self.cached = cached = CachedPullback(memory, needed, value, pull)
        return cached

    def _value_and_pullback(self, arrays: Arrays, memory) -> FlatValue | None:
        try:
            return self._cache(arrays, self.needed, memory).value
        except NoRuleError:  # raised again when somebody asks for the derivative
            return None


def with_results(value: FlatValue, places: Sequence[int], results: Sequence[Any]) -> Any:
    """Build a value like this one, with the results in their places."""
    given = dict(zip(places, results, strict=True))
    return value.with_leaves([given.get(k, leaf) for k, leaf in enumerate(value.leaves)])


def of_chosen(
    compute: Callable[[list[Any]], Sequence[Any]], arrays: Arrays, chosen: Sequence[int]
) -> Callable[..., tuple[Any, ...]]:
    """Make a function of the chosen arrays alone."""

    def function(*values) -> tuple[Any, ...]:
        given = dict(zip(chosen, values, strict=True))
        return tuple(compute([given.get(k, array) for k, array in enumerate(arrays)]))

    return function


def results_of(value: FlatValue) -> list[Any]:
    """Return the leaves of a value that become tensors."""
    return [value.leaves[k] for k in places_of(value)]


def places_of(value: FlatValue) -> list[int]:
    """Find the leaves that become tensors: arrays and numbers, but no integers of Python."""

    def becomes_tensor(y) -> bool:
        return hasattr(y, "dtype") or isinstance(y, float | complex)

    return [k for k, y in enumerate(value.leaves) if becomes_tensor(y)]


def placeholder(y) -> Any:
    """A plain value like one that an engine traces; others as they are."""
    if not is_traced(y):
        return y
    zero = np.zeros((), y.dtype)
    return np.broadcast_to(zero, y.shape) if y.shape else zero[()]


def fitted(t, x) -> Any:
    """Bring a tangent of `x` to its shape and dtype, with zeros written out."""
    if is_zero(t):
        return materialize(ZERO, like=x)
    if type(t) is np.ndarray is type(x) and t.shape == x.shape and t.dtype == x.dtype:
        return t
    return ProjectTo(x)(t)


def is_traced(x) -> bool:
    """Tell whether a value is one that an engine traces."""
    return hasattr(type(x), "__chainrules_call__")


def as_number(x) -> Any:
    """Return the number in a 0-d array, and other values as they are."""
    return x[()] if getattr(x, "shape", None) == () else x


def seed(t, x) -> Any:
    """Bring a tangent of `x` to its kind: an array for a 0-d array, a number for a number."""
    return np.asarray(t) if isinstance(x, np.ndarray) else as_number(t)
