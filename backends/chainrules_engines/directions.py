"""Derivatives of a program from a vector to a vector: along directions, and all of them.

What an engine lacks follows from what it has: a product in one mode from all those in the other,
and many directions from one after the other, where it has no `vmap`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

import chainrules_tape as tape
from chainrules_engines.backends import Backend
from chainrules_engines.layouts import Array, EngineError, Inputs, Layout
from chainrules_py.annotations import Function
from chainrules_py.rules.rule import Mode

WAYS: dict[Mode, str] = {"forward": "jvp", "reverse": "vjp"}


class Directions:
    """The derivatives of a program in an engine, between the spaces of two layouts.

    The program takes a vector, and other arguments in the places that they have in a call. `plain`
    is one of NumPy's arrays that has the same derivatives.
    """

    def __init__(
        self, backend: Backend, program: Function, plain: Function, x: Inputs, y: Layout
    ) -> None:
        self.backend, self.engine = backend, backend.engine
        self.program, self.plain, self.x, self.y = program, plain, x, y
        self.spaces: dict[Mode, tuple[Layout, Layout]] = {"forward": (x, y), "reverse": (y, x)}
        self.modes: list[Mode] = [mode for mode, name in WAYS.items() if hasattr(self.engine, name)]
        self.in_lanes = hasattr(self.engine, "vmap")
        self.left: dict[Any, Function] = {}
        self.pattern: tape.Sparsity | None = None

    def taking(self, mode: Mode) -> Function:
        """A function of the engine's arrays, of a point, a direction and the other arguments: the
        value, and its derivative.
        """

        def forward(x: Array, x_dot: Array, *others: Any) -> Any:
            return self.engine.jvp(lambda x: self.program(x, *others), (x,), (x_dot,))

        def reverse(x: Array, y_bar: Array, *others: Any) -> Any:
            y, pullback = self.engine.vjp(lambda x: self.program(x, *others), x)
            return y, pullback(y_bar)[0]

        def by_units(x: Array, direction: Array, *others: Any) -> Any:
            [known] = self.modes
            one = self.taking(known)
            found = [one(x, unit, *others) for unit in self.spaces[known][0].units()]
            return found[0][0], np.stack([along for _, along in found]) @ direction

        if mode not in self.modes:
            return by_units
        return forward if mode == "forward" else reverse

    def lanes(self, mode: Mode) -> Function:
        """`taking` along many directions at once, without the value."""
        one = self.taking(mode)

        def many(x: Array, directions: Array, *others: Any) -> Any:
            return self.engine.vmap(lambda each: one(x, each, *others)[1], (0,))(directions)

        return many

    def taken(self, mode: Mode, *, in_lanes: bool = False) -> Function:
        """`taking`, or `lanes`, of NumPy's arrays: it leaves the engine once, and may be compiled."""
        key = mode, in_lanes
        if key not in self.left:
            made = self.lanes(mode) if in_lanes else self.taking(mode)
            self.left[key] = self.backend.leave(made)
        return self.left[key]

    def derivative(self, mode: Mode, args: Sequence[Any], direction: Any) -> tuple[Any, Any]:
        """The value and its derivative along a direction, as the layouts have them."""
        x, *others = self.x.split(args)
        space, other = self.spaces[mode]
        seed = space.tangent_vector(direction).astype(space.precision)
        y, found = self.taken(mode)(x, seed, *others)
        return self.y.restore(np.asarray(y)), other.restore(np.asarray(found))

    def along(self, mode: Mode, args: Sequence[Any], directions: Array) -> Array:
        """The derivatives along many directions, as the rows of a matrix."""
        x, *others = self.x.split(args)
        space, other = self.spaces[mode]
        seeds = directions.astype(space.precision, copy=False)
        if self.in_lanes:
            return self.taken(mode, in_lanes=True)(x, seeds, *others)
        one = self.taken(mode)
        return np.stack([one(x, seed, *others)[1] for seed in seeds], dtype=other.precision)

    def matrix(self, args: Sequence[Any], *, sparse: bool) -> Any:
        """All derivatives: an array for each pair of arrays of the value and of the argument, or one
        sparse matrix.
        """
        if self.x.is_complex or self.y.is_complex:
            got = "complex numbers, of whose matrices there are several conventions"
            instead = "pass and return their real and imaginary parts"
            raise EngineError("derivatives", got, instead, engine=self.backend)
        if sparse:
            return self.sparse_matrix(args)
        mode = min(self.modes, key=lambda mode: self.spaces[mode][0].size)
        found = self.along(mode, args, self.spaces[mode][0].units())
        return self.y.matrix(found if mode == "reverse" else found.T, self.x)

    def sparse_matrix(self, args: Sequence[Any]) -> Any:
        """All derivatives by the pattern that the tape found last; by another one where a random
        direction tells that it does not hold.
        """
        known = self.pattern
        self.pattern = pattern = known or self.found_pattern(args)
        is_forward = pattern.by_columns and "forward" in self.modes  # symmetric ones are by columns
        found = self.along("forward" if is_forward else "reverse", args, pattern.guarded_seeds)
        entries = pattern.entries(found[:-1])
        if known is None or pattern.holds((entries, found[-1])):
            return pattern.with_entries(entries)
        self.pattern = None
        return self.sparse_matrix(args)

    def found_pattern(self, args: Sequence[Any]) -> tape.Sparsity:
        """The pattern at a point, with the colours of the mode that takes fewer directions."""
        pattern = tape.sparsity(self.plain, *self.x.split(args), symmetric=self.x is self.y)
        if pattern.symmetric:
            return pattern
        return min(map(pattern.coloured_for, self.modes), key=lambda one: one.directions)
