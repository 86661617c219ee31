"""Words that say what a function does with axes, and the rule for batching that each one is.

A word is an object that `axes_rule` makes and `Rule.axes` shows. `bind` makes the function of one
pattern of classes and lanes; what the word says beyond that is read where sparsity patterns are
computed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from chainrules_py.batching.lanes import Lanes, Same, behind_lanes, changed, stand_in
from chainrules_py.batching.loop import looped
from chainrules_py.rules.rule import Rule
from chainrules_py.values.arrays import ArrayLibrary
from chainrules_py.values.identity import qualified_name


@dataclass(frozen=True)
class Axes:
    """The base of the words."""

    def bind(
        self, primal: Any, types: tuple[type, ...], lanes: Lanes, library: ArrayLibrary
    ) -> Callable[..., Any]:
        """Make the function that computes all lanes, for calls of these classes and lanes."""
        raise NotImplementedError


@dataclass(frozen=True)
class Elementwise(Axes):
    """Each entry of the result is computed of the entries at its place; operands broadcast.

    Where it is not sure that the function `takes_arrays` where others have numbers, calls on
    numbers are made one by one.
    """

    takes_arrays: bool = True

    def bind(
        self, primal: Any, types: tuple[type, ...], lanes: Lanes, library: ArrayLibrary
    ) -> Callable[..., Any]:
        """Make a call of the function as it is, with ranks aligned behind the lanes."""
        run: Callable[..., Any] = library.implementation(primal)
        if len(lanes) == 1 and self.takes_arrays:
            return run

        def elementwise_batched(*args: Any, **options: Any) -> Any:
            ranks = [
                getattr(arg, "ndim", 0) - (lane is True)
                for lane, arg in zip(lanes, args, strict=True)
            ]
            rank = max(ranks)
            if not rank and not self.takes_arrays:
                return looped(run, lanes, args, options)
            aligned = [
                behind_lanes(arg, rank) if lane is True else arg
                for lane, arg in zip(lanes, args, strict=True)
            ]
            return run(*aligned, **options)

        return elementwise_batched


@dataclass(frozen=True)
class Reduces(Axes):
    """Entries along axes become one: along `axis`, or along all of them if that is None."""

    axis: str = "axis"

    def bind(
        self, primal: Any, types: tuple[type, ...], lanes: Lanes, library: ArrayLibrary
    ) -> Callable[..., Any]:
        """Count axes from the end."""
        run: Callable[..., Any] = library.implementation(primal)

        def reduction_batched(x: Any, *args: Any, **options: Any) -> Any:
            rank = x.ndim - 1
            axis = from_the_end(options.pop(self.axis, None), rank)
            return run(x, *args, **{self.axis: axis}, **options)

        return reduction_batched


@dataclass(frozen=True)
class Fact(Axes):
    """The result depends on shapes and dtypes alone, and is the same for all examples."""

    def bind(
        self, primal: Any, types: tuple[type, ...], lanes: Lanes, library: ArrayLibrary
    ) -> Callable[..., Any]:
        """Make a call with zeros of the shape of one example."""

        def fact_batched(*args: Any, **options: Any) -> Any:
            pairs = zip(lanes, args, strict=True)
            return Same(primal(*[changed(lane, arg, stand_in) for lane, arg in pairs], **options))

        return fact_batched


@dataclass(frozen=True)
class Stacked(Axes):
    """The last axes of each argument are a vector or matrix, and the axes before them a stack.

    `cores` says of each argument how many axes its vector or matrix has.
    """

    cores: tuple[int, ...] = (2,)

    def bind(
        self, primal: Any, types: tuple[type, ...], lanes: Lanes, library: ArrayLibrary
    ) -> Callable[..., Any]:
        """Align what is before the vectors or matrices."""
        run: Callable[..., Any] = library.implementation(primal)
        cores = self.cores

        def stacked_batched(*args: Any, **options: Any) -> Any:
            ranks = [
                getattr(arg, "ndim", 0) - (lane is True) - core
                for lane, arg, core in zip(lanes, args, cores, strict=False)
            ]
            rank = max(ranks)
            aligned = [
                behind_lanes(arg, rank + core) if lane is True else arg
                for lane, arg, core in zip(lanes, args, cores, strict=False)
            ]
            return run(*aligned, *args[len(cores) :], **options)

        return stacked_batched


def from_the_end(axis: Any, rank: int) -> Any:
    """Axes of an array of this rank, counted from the end; None stands for all of them."""
    if axis is None:
        return tuple(range(-rank, 0))
    if isinstance(axis, tuple):
        return tuple([each if each < 0 else each - rank for each in axis])
    return axis if axis < 0 else axis - rank


WORDS: dict[str, type[Axes]] = {
    "elementwise": Elementwise,
    "reduces": Reduces,
    "fact": Fact,
    "stacked": Stacked,
}


def batching_rule(primal: Any, word: Axes, where: str) -> Rule:
    """Make the rule for batching that a word is."""

    def bind(types: tuple[type, ...], lanes: Lanes, library: ArrayLibrary) -> Callable[..., Any]:
        return word.bind(primal, types, lanes, library)

    def refuse_call(*args: Any, **options: Any) -> Any:
        raise TypeError(f"the rule of {qualified_name(primal)} is called through resolve")

    return Rule(
        mode="batching",
        primal=primal,
        types=(),
        function=refuse_call,
        variadic=object,
        specialise=bind,
        axes=word,
        where=where,
    )
