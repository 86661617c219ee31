"""Functions of flat NumPy arrays that PyTorch differentiates as a whole: calls of primals, and
their derivatives in turn.

    Call          a primal on its leaves; both derivatives are the table's rules
    Pull(p)       the leaves of p and cotangents of its results -> cotangents of its leaves
    Push(p)       the leaves of p and tangents of them -> tangents of its results

What `Pull` and `Push` compute is written in operations that have rules, so `chainrules_tape`
differentiates it: the second derivative of a call is ``Pull(Pull(call))``, and so on to any order.
`memory` names the leaves that a pullback is kept for.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from chainrules_py import ZERO, NoRuleError, ProjectTo, is_zero, materialize
from chainrules_py.engines import FlatCall, FlatValue, Mode, as_primitive
from chainrules_torch.outside import CONFIG, second_order

Arrays = Sequence[Any]


class Program:
    """A function of flat arrays and both of its derivatives; the base differentiates by the tape
    what `value` computes.
    """

    call: "Call"

    def value(self, arrays: Arrays, memory: Any = None) -> list[Any]:
        """The results for the leaves, which may be traced by the tape."""
        raise NotImplementedError

    def numbers(self, arrays: Arrays, mode: Mode = "reverse") -> list[Any]:
        """The leaves as the rules take them: 0-d arrays as numbers where numbers stood."""
        raise NotImplementedError

    def shapes(self, shapes: Sequence[Any]) -> list[Any] | None:
        """The shapes of the results where they are those of leaves; None where the function
        decides.
        """
        return None

    def pulled(
        self, arrays: Arrays, needed: Sequence[int], bars: Arrays, memory: Any = None
    ) -> list[Any]:
        """The cotangents of the needed leaves from those of the results, ZERO among them."""
        present = [k for k, bar in enumerate(bars) if not is_zero(bar)]
        _, pullback = second_order(self).vjp(
            self._of(arrays, needed, present),
            *(arrays[k] for k in needed),
            rules=self.call.flat.table,
        )
        return list(pullback(tuple(bars[k] for k in present)))

    def pushed(self, arrays: Arrays, dots: Arrays, wanted: Sequence[int]) -> list[Any]:
        """The tangents of the wanted results from those of the leaves, ZERO among them."""
        moved = [k for k, dot in enumerate(dots) if not is_zero(dot)]
        points, tangents = (tuple(values[k] for k in moved) for values in (arrays, dots))
        return list(
            second_order(self).jvp(
                self._of(arrays, moved, wanted), points, tangents, rules=self.call.flat.table
            )[1]
        )

    def _of(
        self, arrays: Arrays, chosen: Sequence[int], wanted: Sequence[int]
    ) -> Callable[..., tuple[Any, ...]]:
        """The wanted results as a function of the chosen leaves."""

        def function(*values: Any) -> tuple[Any, ...]:
            given = dict(zip(chosen, values, strict=True))
            found = self.value([given.get(k, array) for k, array in enumerate(arrays)])
            return tuple(found[k] for k in wanted)

        return function


class Kept(NamedTuple):
    """A pullback of a call, and what it is right for: the leaves, and those among them whose
    cotangents it computes.
    """

    memory: Any
    needed: frozenset[int]
    value: FlatValue
    pull: Callable[[Arrays], list[Any]]


class Call(Program):
    """A call of a primal. Its results are the leaves of its value that are arrays or numbers with a
    dtype.

    `needed` are the leaves that require gradients, as far as it is known. Where there are any, the
    pullback is made with the value and kept. The last value is kept as a tree, for whoever puts the
    results into their places.
    """

    def __init__(self, flat: FlatCall, needed: frozenset[int]) -> None:
        self.flat, self.needed, self.call = flat, needed, self
        self.kept: Kept | None = None
        self.tree: FlatValue | None = None

    def __repr__(self) -> str:
        return f"to_torch({self.flat!r})"

    @cached_property
    def elementwise(self) -> bool:
        """Whether its rule says that it works element by element, on arguments that are all leaves
        or integers.
        """
        stand_ins = [np.empty(0)] * sum(map(len, self.flat.leaves_of_arguments))
        if self.flat.options:
            return False
        args, _ = self.flat.arguments(stand_ins)
        rule = self.flat.table.rule_for("reverse", self.flat.primal, tuple(map(type, args)), CONFIG)
        leaf_or_integer = all(
            isinstance(arg, int) or any(arg is x for x in stand_ins) for arg in args
        )
        return rule is not None and rule.partials is not None and leaf_or_integer

    def rebuilt(self, results: Sequence[Any]) -> Any:
        """The value with its results in their places."""
        assert self.tree is not None, "the call has been run"
        leaves = list(self.tree.leaves)
        for k, y in zip(places_of(self.tree), results, strict=True):
            leaves[k] = y
        return self.tree.with_leaves(leaves)

    def value(self, arrays: Arrays, memory: Any = None) -> list[Any]:
        """The results; `memory` names the leaves that a pullback may be kept for."""
        traced = next((x for x in arrays if is_traced(x)), None)
        if traced is not None:
            args, options = self.flat.arguments(arrays)
            return results_of(
                FlatValue.of(
                    traced.__chainrules_call__(as_primitive(self.flat.primal), args, options)
                )
            )
        value = self._value_and_pullback(arrays, memory) if self.needed else None
        self.tree = value = self.flat.value(arrays) if value is None else value
        return results_of(value)

    def numbers(self, arrays: Arrays, mode: Mode = "reverse") -> list[Any]:
        """The leaves as the rule takes them."""
        return self.flat.as_numbers(arrays, mode)

    def pulled(
        self, arrays: Arrays, needed: Sequence[int], bars: Arrays, memory: Any = None
    ) -> list[Any]:
        """The cotangents of the needed leaves, by the rule, or by the pullback that was kept for
        these leaves.
        """
        if any(map(is_traced, (*arrays, *bars))):
            return super().pulled(arrays, needed, bars)
        kept = self.kept
        if (
            kept is None
            or memory is None
            or kept.memory != memory
            or not kept.needed.issuperset(needed)
        ):
            kept = self._keep(arrays, frozenset(needed), memory)
        seeds: list[Any] = [ZERO] * len(kept.value.leaves)
        for k, bar in zip(places_of(kept.value), bars, strict=True):
            seeds[k] = bar if is_zero(bar) else seed(bar, kept.value.leaves[k])
        found = kept.pull(seeds)
        return [found[k] for k in needed]

    def pushed(self, arrays: Arrays, dots: Arrays, wanted: Sequence[int]) -> list[Any]:
        """The tangents of the wanted results, by the rule."""
        if any(map(is_traced, (*arrays, *dots))):
            return super().pushed(arrays, dots, wanted)
        seeds = [dot if is_zero(dot) else seed(dot, x) for dot, x in zip(dots, arrays, strict=True)]
        value, y_dots = self.flat.frule(arrays, seeds, CONFIG)
        places = [places_of(value)[k] for k in wanted]
        return [fitted(y_dots[k], value.leaves[k]) for k in places]

    def _keep(self, arrays: Arrays, needed: frozenset[int], memory: Any) -> Kept:
        value, pull = self.flat.rrule(arrays, [k in needed for k in range(len(arrays))], CONFIG)
        self.kept = kept = Kept(memory, needed, value, pull)
        return kept

    def _value_and_pullback(self, arrays: Arrays, memory: Any) -> FlatValue | None:
        try:
            return self._keep(arrays, self.needed, memory).value
        except NoRuleError:  # who asks for the derivative hears of it
            return None


class Pull(Program):
    """The cotangents of the needed leaves of a program, from its leaves and the cotangents of some
    of its results.
    """

    def __init__(
        self,
        inner: Program,
        leaves: int,
        needed: Sequence[int],
        present: Sequence[int],
        results: int,
    ) -> None:
        self.inner, self.leaves, self.needed, self.present, self.results = (
            inner,
            leaves,
            needed,
            present,
            results,
        )
        self.call = inner.call

    def value(self, arrays: Arrays, memory: Any = None) -> list[Any]:
        """The cotangents, zeros written out."""
        bars: list[Any] = [ZERO] * self.results
        for k, bar in zip(self.present, arrays[self.leaves :], strict=True):
            bars[k] = bar
        found = self.inner.pulled(arrays[: self.leaves], self.needed, bars, memory)
        return [fitted(bar, arrays[k]) for k, bar in zip(self.needed, found, strict=True)]

    def numbers(self, arrays: Arrays, mode: Mode = "reverse") -> list[Any]:
        """The leaves as the program takes them; 0-d cotangents as numbers."""
        return [
            *self.inner.numbers(arrays[: self.leaves], "reverse"),
            *map(as_number, arrays[self.leaves :]),
        ]

    def shapes(self, shapes: Sequence[Any]) -> list[Any]:
        """The shapes of the needed leaves."""
        return [shapes[k] for k in self.needed]


class Push(Program):
    """The tangents of the wanted results of a program, from its leaves and the tangents of some of
    them.
    """

    def __init__(
        self, inner: Program, leaves: int, moved: Sequence[int], wanted: Sequence[int]
    ) -> None:
        self.inner, self.leaves, self.moved, self.wanted, self.call = (
            inner,
            leaves,
            moved,
            wanted,
            inner.call,
        )

    def value(self, arrays: Arrays, memory: Any = None) -> list[Any]:
        """The tangents, zeros written out."""
        dots: list[Any] = [ZERO] * self.leaves
        for k, dot in zip(self.moved, arrays[self.leaves :], strict=True):
            dots[k] = dot
        return self.inner.pushed(arrays[: self.leaves], dots, self.wanted)

    def numbers(self, arrays: Arrays, mode: Mode = "reverse") -> list[Any]:
        """The leaves as the program takes them; 0-d tangents as numbers."""
        return [
            *self.inner.numbers(arrays[: self.leaves], "forward"),
            *map(as_number, arrays[self.leaves :]),
        ]

    def shapes(self, shapes: Sequence[Any]) -> list[Any] | None:
        """The shapes that the results of the program have."""
        inner = self.inner.shapes(shapes[: self.leaves])
        return None if inner is None else [inner[k] for k in self.wanted]


def results_of(value: FlatValue) -> list[Any]:
    """The leaves of a value that become tensors."""
    return [value.leaves[k] for k in places_of(value)]


def places_of(value: FlatValue) -> list[int]:
    """Where in a value's leaves those are that become tensors: numbers and arrays, but no integers
    of Python.
    """
    return [
        k
        for k, y in enumerate(value.leaves)
        if hasattr(y, "dtype") or isinstance(y, float | complex)
    ]


def fitted(t: Any, x: Any) -> Any:
    """A tangent of `x` in its shape and dtype, zeros written out."""
    if is_zero(t):
        return materialize(ZERO, like=x)
    if type(t) is np.ndarray is type(x) and t.shape == x.shape and t.dtype == x.dtype:
        return t
    return ProjectTo(x)(t)


def is_traced(x: Any) -> bool:
    """Whether a value is one that an engine traces."""
    return hasattr(type(x), "__chainrules_call__")


def as_number(x: Any) -> Any:
    """A 0-d array as the number in it; other values as they are."""
    return x[()] if getattr(x, "shape", None) == () else x


def seed(t: Any, x: Any) -> Any:
    """A tangent of `x` of the kind that `x` is: an array for a 0-d array, a number for a number."""
    return np.asarray(t) if isinstance(x, np.ndarray) else as_number(t)
