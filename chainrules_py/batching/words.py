"""Words that say what a function does with axes; each makes a rule for batching.

A word is an object that `axes_rule` makes and `Rule.axes` shows. `bind` makes the function of one
pattern of classes and lanes; what the word says beyond that is read where sparsity patterns are
computed.

    kind          module        entries of the result
    elementwise   words         are computed of the entries at their place; operands broadcast
    fact          words         depend on shapes and dtypes alone
    moves         along_axes    are entries of the argument, or constants
    reduces       along_axes    are computed of all entries along axes that vanish
    mixes         along_axes    are computed of all entries along axes that stay
    stacked       cores         are computed of a vector or matrix; those before it are a stack
    contracts     cores         are sums of products, as einsum has them
"""

from typing import Any, ClassVar

import numpy as np

from chainrules_py.annotations import Args, Function
from chainrules_py.batching.lanes import (
    Lanes,
    Same,
    behind_lanes,
    changed_lanes,
    first_or_stand_in,
    in_order_of_one,
)
from chainrules_py.batching.loop import looped
from chainrules_py.rules.rule import Rule
from chainrules_py.values.arrays import ArrayLibrary, library_of_types
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.records import Record

Run = Function

_WITHOUT_RANK = (np.generic, np.dtype, type)


class Axes:
    """The base of the words.

    `arguments` is the number of arguments by position of all calls, or None where they have any;
    `laned_options` are the options that may have lanes.
    """

    kind: ClassVar[str]
    arguments: int | None = None
    laned_options: frozenset[str] = frozenset()

    def bind(self, primal, types: tuple[type, ...], lanes: Lanes, library: ArrayLibrary) -> Run:
        """Make the function that computes all lanes, for calls of these classes and lanes."""
        raise NotImplementedError


class Elementwise(Axes, Record):
    """Each entry of the result is computed of the entries at its place; operands broadcast.

    Where it is not sure that the function `takes_arrays` where others have numbers, and it refuses
    one, calls on numbers are made one by one.
    """

    kind = "elementwise"
    arguments: int | None = None
    takes_arrays: bool = True

    def bind(self, primal, types: tuple[type, ...], lanes: Lanes, library: ArrayLibrary) -> Run:
        """Make a call of the function as it is, with ranks aligned behind the lanes."""
        function = library.implementation(primal)
        run: Run = getattr(function, "of_lanes", function)
        if any(type(lane) is tuple for lane in lanes):
            return of_lists(primal, lanes)
        if not self.takes_arrays:
            return of_arrays_or_numbers(run, lanes)
        ranked = [place for place, cls in enumerate(types) if may_have_axes(cls)]
        if len(ranked) == 1:
            return run  # numbers beside it have no axes that could be misplaced
        if ranked == [0, 1] and len(types) == 2 and has_rank(types[0]) and has_rank(types[1]):
            return of_two(run, lanes)
        return of_many(run, lanes, ranked)


def of_arrays_or_numbers(run: Run, lanes: Lanes) -> Run:
    """A function that may not take arrays where its calls are on numbers."""

    def elementwise_or_loop(*args, **options):
        try:
            return run(*aligned_in_lanes(lanes, args, list(range(len(args)))), **options)
        except (TypeError, ValueError):  # as functions of `math` and decisions by a number raise
            return looped(run, lanes, args, options)

    return elementwise_or_loop


def may_have_axes(cls: type) -> bool:
    """Whether values of a class are arrays of some rank, or lists in the place of arrays."""
    return has_rank(cls) or issubclass(cls, list | tuple)


def has_rank(cls: type) -> bool:
    """Whether values of a class are arrays."""
    return hasattr(cls, "ndim") and not issubclass(cls, _WITHOUT_RANK)


def of_two(run: Run, lanes: Lanes) -> Run:
    """A function of two arrays, of which both have lanes, or one has."""
    first, second = lanes

    def elementwise_of_two(x, y, **options):
        if x.ndim - first != y.ndim - second:
            x = behind_lanes(x, y.ndim - second) if first else x
            y = behind_lanes(y, x.ndim - first) if second else y
        return run(x, y, **options) if options else run(x, y)  # 20 to 40 ns less without any

    return elementwise_of_two


def of_many(run: Run, lanes: Lanes, ranked: list[int]) -> Run:
    """A function of arrays at these places, and of lists in the place of arrays."""

    def elementwise_of_many(*args, **options):
        return run(*aligned_in_lanes(lanes, args, ranked), **options)

    return elementwise_of_many


def of_lists(primal, lanes: Lanes) -> Run:
    """A function of lists in the place of arrays, some of whose parts have lanes."""
    from chainrules_py.batching.parts import in_one  # which few programs need

    own = tuple([bool(lane) for lane in lanes])

    def elementwise_of_lists(*args, **options):
        pairs = zip(lanes, args, strict=True)
        given = tuple([in_one(lane, arg) if lane else arg for lane, arg in pairs])
        ranked = [place for place, arg in enumerate(given) if may_have_axes(type(arg))]
        run = library_of_types(map(type, given)).implementation(primal)
        return run(*aligned_in_lanes(own, given, ranked), **options)

    return elementwise_of_lists


def aligned_in_lanes(lanes: Lanes, args: Args, ranked: list[int]) -> list[Any]:
    """Arguments that broadcast in each lane as they do in one."""
    rank = max(np.ndim(args[place]) - (lanes[place] is True) for place in ranked)
    moved = list(args)
    for place in ranked:
        if lanes[place] is True:
            moved[place] = behind_lanes(args[place], rank)
    return moved


def in_a_loop(run: Run, lanes: Lanes) -> Run:
    """A function that is called once per lane."""

    def loop(*args, **options):
        return looped(run, lanes, args, options)

    return loop


class Fact(Axes, Record):
    """The result depends on shapes and dtypes alone, and is the same for all examples."""

    kind = "fact"
    arguments: int | None = None
    ordered: bool = False  # whether the order in memory of one example counts, too

    def bind(self, primal, types: tuple[type, ...], lanes: Lanes, library: ArrayLibrary) -> Run:
        """Make a call with an array like one example."""
        like_one = in_order_of_one if self.ordered else first_or_stand_in
        run: Run = library.implementation(primal)

        def fact_batched(*args, **options):
            pairs = zip(lanes, args, strict=False)
            given = [changed_lanes(lane, arg, like_one) for lane, arg in pairs]
            return Same(run(*given, **options))

        return fact_batched


def batching_rule(primal, word: Axes, where: str) -> Rule:
    """Make the rule for batching that a word is."""

    def bind(types: tuple[type, ...], lanes: Lanes, library: ArrayLibrary) -> Run:
        return word.bind(primal, types, lanes, library)

    def refuse_call(*args, **options):
        raise TypeError(f"the rule of {qualified_name(primal)} is called through resolve")

    count = word.arguments
    return Rule(
        mode="batching",
        primal=primal,
        types=(object,) * (count or 0),
        function=refuse_call,
        variadic=object if count is None else None,
        specialise=bind,
        axes=word,
        laned_options=word.laned_options,
        where=where,
    )
