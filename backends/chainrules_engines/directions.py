"""Derivatives of a program of one array: along directions, and all of them.

What an engine lacks follows from what it has: a product in one mode from all those in the other,
and many directions from one after the other, where it has no `vmap`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import chainrules_tape as tape
from chainrules_engines.backends import Backend
from chainrules_engines.layouts import Array, Layout
from chainrules_py.rules.rule import Mode

Program = Callable[..., Array]  # of an array, and of what it is not differentiated by
Along = Callable[..., tuple[Array, Array]]  # of these and a direction: the value and its derivative


class Directions:
    """The derivatives of a program in an engine; its argument and value lie as two layouts say."""

    def __init__(
        self, backend: Backend, program: Program, x: Layout, y: Layout, *, in_lanes: bool = True
    ) -> None:
        self.backend, self.engine, self.program = backend, backend.engine, program
        self.spaces: dict[Mode, Layout] = {"forward": x, "reverse": y}
        ways: dict[Mode, str] = {"forward": "jvp", "reverse": "vjp"}
        self.modes: list[Mode] = [m for m, name in ways.items() if hasattr(self.engine, name)]
        self.in_lanes = in_lanes and hasattr(self.engine, "vmap")
        self.known: dict[Any, Callable[..., Any]] = {}

    def taking(self, mode: Mode) -> Along:
        """The derivative along a direction, as a function of the engine's arrays."""

        def forward(x: Array, x_dot: Array, *others: Any) -> tuple[Array, Array]:
            found: tuple[Array, Array] = self.engine.jvp(
                lambda x: self.program(x, *others), (x,), (x_dot,)
            )
            return found

        def reverse(x: Array, y_bar: Array, *others: Any) -> tuple[Array, Array]:
            y, pullback = self.engine.vjp(lambda x: self.program(x, *others), x)
            return y, pullback(y_bar)[0]

        if mode in self.modes:
            return forward if mode == "forward" else reverse
        return self.taking_by_units("forward" if mode == "reverse" else "reverse")

    def taking_by_units(self, mode: Mode) -> Along:
        """Products in the other mode, of all derivatives in this one."""

        def summed(x: Array, direction: Array, *others: Any) -> tuple[Array, Array]:
            units = self.spaces[mode].units()
            along = [self.taken(mode)(x, unit, *others) for unit in units]
            sums = np.stack([np.sum(direction * found) for _, found in along])
            return along[0][0], np.reshape(sums, self.spaces[mode].shape)

        return summed

    def taken(self, mode: Mode) -> Along:
        """`taking`, as a function of NumPy's arrays."""
        return self.once((mode, "one"), lambda: self.taking(mode))

    def once(self, key: Any, make: Callable[[], Callable[..., Any]]) -> Callable[..., Any]:
        """A function that leaves the engine, which it does once: it may be compiled there."""
        if key not in self.known:
            self.known[key] = self.backend.leave(make())
        return self.known[key]

    def along(self, mode: Mode, x: Array, directions: Array, *others: Any) -> Array:
        """The derivatives along many directions, as the rows of a matrix."""
        if self.in_lanes:
            found = self.once((mode, "lanes"), lambda: self.lanes(mode))(x, directions, *others)
        else:
            found = np.stack([self.taken(mode)(x, each, *others)[1] for each in directions])
        return np.reshape(found, (len(directions), -1))

    def lanes(self, mode: Mode) -> Program:
        """`taking` along many directions at once."""
        one = self.taking(mode)

        def many(x: Array, directions: Array, *others: Any) -> Array:
            return self.engine.vmap(lambda each: one(x, each, *others)[1], (0,))(directions)

        return many

    def entries(self, x: Array, *others: Any) -> Array:
        """All derivatives: a row for each entry of the value."""
        mode = min(self.modes, key=lambda mode: self.spaces[mode].size)
        rows = self.along(mode, x, self.spaces[mode].units(), *others)
        return rows if mode == "reverse" else rows.T


class Pattern:
    """Which entries of a matrix may be other than zero, as the tape finds them at a point, and the
    mode in which they take fewer directions.
    """

    def __init__(
        self, directions: Directions, program: Program, x: Array, others: list[Any], symmetric: bool
    ) -> None:
        function = tape.grad(program) if symmetric else program
        found = tape.sparsity(function, x, *others, symmetric=symmetric)
        ways: list[tuple[Mode, tape.Sparsity]] = [
            (mode, found if symmetric else found.coloured_for(mode)) for mode in directions.modes
        ]
        fewest = min(ways, key=lambda way: way[1].directions)
        self.mode: Mode = fewest[0]
        self.entries: tape.Sparsity = fewest[1]

    def matrix(self, directions: Directions, x: Array, others: list[Any]) -> Any:
        """The matrix at a point; None where a random direction tells that it has other entries."""
        space = directions.spaces[self.mode]
        seeds = self.entries.guarded_seeds.astype(space.precision).reshape(-1, *space.shape)
        along = directions.along(self.mode, x, seeds, *others)
        entries = self.entries.entries(along[:-1])
        is_whole = self.entries.holds((entries, along[-1]))
        return self.entries.with_entries(entries) if is_whole else None
