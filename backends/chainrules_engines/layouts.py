"""Arguments and results as vectors, and back: an engine sees functions of a vector that return one.

A vector has the entries of all numbers of a value, one after the other; of complex ones first the
real parts, then the imaginary ones.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.errors import ChainRulesError
from chainrules_py.testing import coordinates
from chainrules_tape.arguments import Arguments, chosen_arguments, is_several

Array = Any  # of any engine


class EngineError(ChainRulesError, ValueError):
    """What an engine cannot do, or that there is none of a name: `engine`."""


class Layout(coordinates.Layout):
    """The coordinates of a value, in programs that an engine traces.

    >>> layout = Layout({"w": np.ones((2, 1)), "z": 2.0})
    >>> vector = layout.laid({"w": np.array([[1.0], [2.0]]), "z": 3.0})
    >>> vector, layout.restore(vector)["w"].shape
    (array([1., 2., 3.]), (2, 1))
    """

    def laid(self, value: Any) -> Array:
        """The vector of a value that is built like this one, its numbers plain or traced."""
        parts = []
        for leaf in self.leaves:
            number = coordinates.part_at_path(value, leaf.path)
            if np.shape(number) != leaf.shape:
                got = f"shape {np.shape(number)} where it was {leaf.shape} at the first call"
                instead = "return arrays of the same shapes for arguments of the same shapes"
                raise EngineError("derivatives", got, instead, engine=None)
            both = [np.real(number), np.imag(number)] if leaf.is_complex else [number]
            parts += [np.reshape(part, (-1,)) for part in both]
        if len(parts) == 1:
            return parts[0]
        return np.concatenate([np.zeros(0, self.precision), *parts])

    def units(self) -> Array:
        """All directions: a unit for each entry."""
        return np.eye(self.size, dtype=self.precision)

    def matrix(self, rows: Array, other: "Layout") -> Any:
        """A matrix with a row for each entry of this value, and a column for each of another one, as
        an array for each pair of their arrays.
        """

        def block(own: coordinates.Leaf, its: coordinates.Leaf) -> Array:
            part = rows[own.start : own.stop, its.start : its.stop]
            return np.reshape(part, (*own.shape, *its.shape))

        def row(own: coordinates.Leaf) -> Any:
            return other.with_leaves({its.path: block(own, its) for its in other.leaves})

        return self.with_leaves({own.path: row(own) for own in self.leaves})


class Inputs(Layout):
    """The layout of those arguments of a call that `argnums` names, several of them as a tuple."""

    def __init__(self, function: Function, argnums: Arguments, args: Sequence[Any]) -> None:
        self.places: Any = chosen_arguments(function, argnums, tuple(args), {})[0]
        self.are_several = is_several(argnums)
        super().__init__(self.chosen(args))

    def chosen(self, args: Sequence[Any]) -> Any:
        """The arguments that are named."""
        found = tuple([args[place] for place in self.places])
        return found if self.are_several else found[0]

    def split(self, args: Sequence[Any]) -> list[Any]:
        """The vector of the arguments that are named, and all others in their places."""
        others = [None if place in self.places else arg for place, arg in enumerate(args)]
        return [np.asarray(self.laid(self.chosen(args))), *others]

    def joined(self, x: Array, others: Sequence[Any]) -> list[Any]:
        """The arguments of which these are the parts."""
        is_wide = x.dtype != self.precision  # as differences and complex steps have it
        args, found = list(others), self.restore(x, widen=is_wide)
        for place, arg in zip(self.places, found if self.are_several else (found,), strict=True):
            args[place] = arg
        return args
