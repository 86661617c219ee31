"""Words for functions of vectors and matrices: those in stacks, and contractions."""

from collections.abc import Callable

from chainrules_py.batching.lanes import Lanes, behind_lanes
from chainrules_py.batching.loop import looped
from chainrules_py.batching.words import Axes, Run, in_a_loop
from chainrules_py.values.arrays import ArrayLibrary, shape_of
from chainrules_py.values.records import Record


class Stacked(Axes, Record):
    """The last axes of each argument are a vector or matrix, and the axes before them a stack.

    `core` says of each argument how many axes its vector or matrix has, and `result` the same of
    the result, or of the part of it that has most.
    """

    kind = "stacked"
    core: tuple[int, ...] = (2,)
    result: int = 2

    @property
    def arguments(self) -> int:  # type: ignore[override]
        """The number of arguments."""
        return len(self.core)

    def bind(self, primal, types: tuple[type, ...], lanes: Lanes, library: ArrayLibrary) -> Run:
        """Align what is before the vectors or matrices."""
        run: Run = library.implementation(primal)
        core = self.core
        if any(type(lane) is tuple for lane in lanes):
            return in_a_loop(run, lanes)

        def stacked_batched(*args, **options):
            ranks = [
                len(shape_of(arg)) - (lane is True) - axes
                for lane, arg, axes in zip(lanes, args, core, strict=True)
            ]
            if min(ranks) < 0:
                return looped(run, lanes, args, options)  # which the function refuses
            rank = max(ranks)
            aligned = [
                behind_lanes(arg, rank + axes) if lane is True else arg
                for lane, arg, axes in zip(lanes, args, core, strict=True)
            ]
            return run(*aligned, **options)

        return stacked_batched


class Contracts(Axes, Record):
    """Each entry of the result is a sum of products of entries, as einsum writes it.

    ``letters(*shapes, **options)`` gives the subscripts of a call, with one letter for each axis.
    The rule for batching is written by hand.
    """

    kind = "contracts"
    letters: Callable[..., str]
