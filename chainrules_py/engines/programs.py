"""Functions of flat lists of arrays that an engine sees as one operation, and their derivatives.

    Call(flat)                               the arrays of a call -> the arrays in its value
    Pullback(of, count, needed, given)       arrays and cotangents of results -> those of arrays
    Pushforward(of, count, moved, wanted)    arrays and tangents of some -> tangents of results
    InLanes(of, lanes)                       the same for many examples, which NumPy computes at once

Each is a `Program`, so that there are derivatives of every order. Rules of the table differentiate
the call itself. What a pullback computes is written in operations that have rules, and the tape
differentiates that. Arrays and results are named by their positions.

>>> import numpy as np
>>> flat, leaves = FlatCall.of(np.multiply, (np.ones(2), np.ones(2)), {}, lambda x: isinstance(x, np.ndarray))
>>> product, (x, y, bar) = Call(flat), (np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.ones(2))
>>> pullback = Pullback(product, count=2, needed=(0,), given=(0,))
>>> pullback.compute([x, y, bar])
[array([3., 4.])]
>>> pullback.pulled([x, y, bar], needed=(1,), given=(0,), bars=[bar])
[array([1., 1.])]
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NoReturn

import numpy as np

from chainrules_py.engines.by_tape import each_example, tape, tape_config
from chainrules_py.engines.flat_calls import FlatCall, FlatValue, as_number
from chainrules_py.errors import NoRuleError, NotDifferentiableError
from chainrules_py.makers.declarations import as_primitive
from chainrules_py.projection import ProjectTo
from chainrules_py.rules.config import RuleConfig
from chainrules_py.rules.rule import Mode
from chainrules_py.table.registry import RuleTable
from chainrules_py.tangents import ZERO, is_zero, materialize
from chainrules_py.values.indices import is_traced
from chainrules_py.values.places import with_items_at

Arrays = Sequence[Any]
Positions = Sequence[int]
Pull = Callable[[Arrays], list[Any]]


class Program:
    """A function of flat arrays, of which an engine asks for derivatives."""

    @property
    def call(self) -> "Call":
        """The call that it is, or belongs to."""
        raise NotImplementedError

    @property
    def table(self) -> RuleTable:
        """The rules by which it is differentiated."""
        return self.call.flat.table

    @property
    def kinds(self) -> tuple[str, ...]:
        """What made it of the call, the last step first."""
        return ()

    def compute(self, arrays: Arrays, memory: Any = None) -> list[Any]:
        """Return the results, of arrays that the tape traces, too.

        `memory` may tell calls apart: to where it is the same, what was found out in one is good.
        """
        raise NotImplementedError

    def numbers(self, arrays: Arrays, mode: Mode = "reverse") -> list[Any]:
        """Turn 0-d arrays into numbers where rules want these."""
        raise NotImplementedError

    def __call__(self, *arrays) -> list[Any]:
        """Return the results, of 0-d arrays in the place of numbers, too."""
        return self.compute(self.numbers(arrays))

    def pulled(
        self,
        arrays: Arrays,
        needed: Positions,
        given: Positions,
        bars: Arrays,
        memory: Any = None,
    ) -> list[Any]:
        """Return the cotangents of the needed arrays, from those of the given results."""
        points = [arrays[k] for k in needed]
        function = of_chosen(self.compute, arrays, needed, given)
        try:
            y, pullback = tape().vjp(function, *points, rules=self.table)
            return list(pullback(tuple(map(seed, bars, y))))
        except NoRuleError as error:
            raise_not_differentiable(self, error)

    def pushed(
        self, arrays: Arrays, moved: Positions, dots: Arrays, wanted: Positions
    ) -> list[Any]:
        """Return the tangents of the wanted results, from those of the arrays that move."""
        points = tuple([arrays[k] for k in moved])
        function = of_chosen(self.compute, arrays, moved, wanted)
        seeds = tuple(map(seed, dots, points))
        try:
            y, y_dots = tape().jvp(function, points, seeds, rules=self.table)
        except NoRuleError as error:
            raise_not_differentiable(self, error)
        return list(map(fitted, y_dots, y))


@dataclass(frozen=True)
class Call(Program):
    """A call of a primal, whose results are the arrays and numbers in its value."""

    flat: FlatCall

    @property
    def call(self) -> "Call":
        """The call itself."""
        return self

    @property
    def config(self) -> RuleConfig:
        """The config of its rules, which NumPy runs."""
        return tape_config(self.table)

    def __repr__(self) -> str:
        return str(self.flat)

    def compute(self, arrays: Arrays, memory: Any = None) -> list[Any]:
        """Return the results."""
        value = self.value(arrays)
        return [value.leaves[k] for k in self.places(value)]

    def value(self, arrays: Arrays) -> FlatValue:
        """Compute the value; on values that the tape traces, by its call of the primal."""
        traced = next(filter(is_traced, arrays), None)
        if traced is None:
            return self.flat.value(arrays)
        args, options = self.flat.arguments(arrays)
        primal = as_primitive(self.flat.primal)
        return FlatValue.of(traced.__chainrules_call__(primal, args, options))

    def places(self, value: FlatValue) -> list[int]:
        """Find the leaves of the value that are results."""
        return [k for k, y in enumerate(value.leaves) if is_result(y)]

    def numbers(self, arrays: Arrays, mode: Mode = "reverse") -> list[Any]:
        """Turn 0-d arrays into numbers where rules want these."""
        return self.flat.as_numbers(arrays, mode, self.config)

    def pulled(
        self,
        arrays: Arrays,
        needed: Positions,
        given: Positions,
        bars: Arrays,
        memory: Any = None,
    ) -> list[Any]:
        """Return the cotangents of the needed arrays, by the reverse rule."""
        if any(map(is_traced, (*arrays, *bars))):
            traced = partial(super().pulled, arrays, needed, given, bars, memory)
            return self._run_again(traced)
        value, pull = self._run_again(lambda: self.with_pullback(arrays, needed, memory))
        places, seeds = self.places(value), [ZERO] * len(value.leaves)
        for n, bar in zip(given, bars, strict=True):
            y = value.leaves[places[n]]
            seeds[places[n]] = ZERO if type(y) is int else seed(bar, y)
        found = pull(seeds)
        return [found[k] for k in needed]

    def _run_again(self, run: Callable[[], Any]) -> Any:
        """Run a rule, the value having been computed before, which a whole program has to allow."""
        program = self.flat.program
        return run() if program is None else program.run_again(run, self.flat.args[1:])

    def with_pullback(
        self, arrays: Arrays, needed: Positions, memory: Any
    ) -> tuple[FlatValue, Pull]:
        """Return the value, and the pullback from its leaves to those of the call."""
        needs = [k in needed for k in range(len(arrays))]
        return self.flat.rrule(arrays, needs, self.config)

    def pushed(
        self, arrays: Arrays, moved: Positions, dots: Arrays, wanted: Positions
    ) -> list[Any]:
        """Return the tangents of the wanted results, by the forward rule."""
        if any(map(is_traced, (*arrays, *dots))):
            traced = partial(super().pushed, arrays, moved, dots, wanted)
            return self._run_again(traced)
        own = [seed(dot, arrays[k]) for k, dot in zip(moved, dots, strict=True)]
        seeds = with_items_at([ZERO] * len(arrays), moved, own)
        value, y_dots = self._run_again(lambda: self.flat.frule(arrays, seeds, self.config))
        places = self.places(value)
        return [fitted(y_dots[places[n]], value.leaves[places[n]]) for n in wanted]


@dataclass(frozen=True, repr=False)
class Derived(Program):
    """A program that is made of another one."""

    of: Program

    @property
    def call(self) -> Call:
        """The call that it belongs to."""
        return self.of.call

    @property
    def kinds(self) -> tuple[str, ...]:
        """What made it of the call, the last step first."""
        return (type(self).__name__, *self.of.kinds)

    def __repr__(self) -> str:
        return f"the {type(self).__name__.lower()} of {self.of!r}"


@dataclass(frozen=True, repr=False)
class Derivative(Derived):
    """A derivative of a program, which takes its arrays, `count` in number, and (co)tangents."""

    count: int
    mode: ClassVar[Mode]

    def numbers(self, arrays: Arrays, mode: Mode = "reverse") -> list[Any]:
        """Turn 0-d arrays into numbers where rules want these."""
        own = self.of.numbers(arrays[: self.count], self.mode)
        return [*own, *map(as_number, arrays[self.count :])]


@dataclass(frozen=True, repr=False)
class Pullback(Derivative):
    """The cotangents of the needed arrays, from the arrays and the cotangents of given results."""

    needed: tuple[int, ...]
    given: tuple[int, ...]
    mode = "reverse"

    def compute(self, arrays: Arrays, memory: Any = None) -> list[Any]:
        """Return the cotangents."""
        xs, bars = arrays[: self.count], arrays[self.count :]
        found = self.of.pulled(xs, self.needed, self.given, bars, memory)
        return [fitted(bar, xs[k]) for k, bar in zip(self.needed, found, strict=True)]


@dataclass(frozen=True, repr=False)
class Pushforward(Derivative):
    """The tangents of the wanted results, from the arrays and the tangents of those that move."""

    moved: tuple[int, ...]
    wanted: tuple[int, ...]
    mode = "forward"

    def compute(self, arrays: Arrays, memory: Any = None) -> list[Any]:
        """Return the tangents."""
        xs, dots = arrays[: self.count], arrays[self.count :]
        return self.of.pushed(xs, self.moved, dots, self.wanted)


@dataclass(frozen=True, repr=False)
class InLanes(Derived):
    """A program for many examples, which lie along the first axis of those arrays with lanes."""

    lanes: tuple[bool, ...]

    def compute(self, arrays: Arrays, memory: Any = None) -> list[Any]:
        """Return the results of all examples."""

        def of_one(*own) -> list[Any]:
            return self.of.compute(self.of.numbers(own))

        function, kind = self.call.flat.function, (self.kinds, self.lanes)
        found: list[Any]
        found = each_example(of_one, self.lanes, tuple(arrays), self.table, function, kind)
        return found

    def numbers(self, arrays: Arrays, mode: Mode = "reverse") -> list[Any]:
        """Return the arrays: numbers are turned in each example."""
        return list(arrays)


def raise_not_differentiable(program: Program, error: NoRuleError) -> NoReturn:
    """Say what to write where the rule of a call cannot be differentiated itself; of the call, that
    it has no rule.
    """
    if isinstance(program, Call):
        raise error
    got = (
        "its derivative was asked for, and what it computes runs on NumPy's own arrays only"
        f" ({error})"
    )
    instead = "write its rule on Array, in operations that have rules, best of `xp`"
    where = repr(program)
    raise NotDifferentiableError(where, got, instead, primal=program, argument=None) from error


def of_chosen(
    compute: Callable[[list[Any]], Arrays],
    arrays: Arrays,
    chosen: Positions,
    wanted: Positions | None = None,
) -> Callable[..., tuple[Any, ...]]:
    """Make a function of the chosen arrays alone, which returns the wanted results, or all."""

    def function(*values) -> tuple[Any, ...]:
        results = compute(with_items_at(arrays, chosen, values))
        return tuple(results if wanted is None else [results[k] for k in wanted])

    return function


def call_without_writing(function: Callable[[list[Any]], Any], arrays: Arrays) -> Any:
    """Call a function on arrays that cannot be written; where it writes into them or wants to be
    able to, on copies.
    """
    views = [np.asarray(x).view() for x in arrays]
    for view in views:
        view.flags.writeable = False
    try:
        return function(views)
    except ValueError as error:
        if "read-only" not in str(error):
            raise
        return function(list(map(np.array, arrays)))


def is_result(y) -> bool:
    """Tell whether a part of a value is an array of numbers, or a number."""
    if isinstance(y, int | float | complex):
        return True
    return getattr(getattr(y, "dtype", None), "kind", "O") in "biufc"


def seed(t, x) -> Any:
    """Bring a tangent of `x` to its kind: an array for a 0-d array, a number for a number."""
    if not isinstance(x, np.ndarray):
        return as_number(t)
    return t if is_traced(t) else np.asarray(t)


def fitted(t, x) -> Any:
    """Bring a tangent of `x` to its shape and dtype, with zeros written out."""
    if is_zero(t):
        return 0.0 if type(x) is int else materialize(ZERO, like=x)
    if type(t) is np.ndarray is type(x) and t.shape == x.shape and t.dtype == x.dtype:
        return t
    return ProjectTo(x)(t)
