"""Detect a sparsity pattern: run a function forward with patterns in the place of tangents."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from chainrules_py.annotations import Function, Options
from chainrules_py.strong_zeros.strictness import watching
from chainrules_py.tangents import ZERO, Tangent, entries, with_entries
from chainrules_py.values.arrays import numpy_library, register_library
from chainrules_py.values.structure import fields, is_container
from chainrules_sparse.colouring import Matrix
from chainrules_sparse.patterns.level import (
    PatternArray,
    PatternHandle,
    PatternNumber,
    Patterns,
    PatternUnknownError,
)
from chainrules_sparse.patterns.memory import zeros_like
from chainrules_sparse.patterns.rows import (
    Rows,
    all_columns,
    no_columns,
    one_after_the_other,
    own_columns,
    same_columns,
)
from chainrules_tape.core.config import engine_of
from chainrules_tape.core.duals import Pushforward, trace_forward
from chainrules_tape.core.levels import open_level, open_levels, undecided
from chainrules_tape.core.plans import Plan
from chainrules_tape.core.trees import Rebuild
from chainrules_tape.core.values import is_differentiable
from chainrules_tape.refusals.errors import LostGradientError
from chainrules_tape.xp.namespace import PRIORITY, namespace_over, operation_of


class PushedPatterns(Pushforward):
    """A forward derivative whose tangents are patterns.

    Where a rule asks for the numbers in a tangent, its result depends on all that it is given.
    """

    __slots__ = ("patterns",)
    has_fast_primitives = False
    patterns: Patterns

    def run(
        self,
        primal,
        plan: Plan,
        values: tuple[Any, ...],
        options: Options,
        mode_data: tuple[Any, ...],
    ) -> Any:
        """Run an operation by its rule."""
        try:
            return super().run(primal, plan, values, options, mode_data)
        except (PatternUnknownError, LostGradientError):
            self.patterns.note(primal)
            zeros = tuple(map(zeros_for, mode_data))
            y, _ = plan.run(zeros, *values, **options)
            columns = all_columns([x.rows for x in patterns_in(mode_data)])
            return self.wrap(primal, y, self.dense_tangent(y, columns))

    def dense_tangent(self, y, columns: np.ndarray) -> Any:
        """The tangent of a result each entry of which depends on all of these columns."""
        if is_container(y):
            parts = fields(y).items()
            dots = {key: self.dense_tangent(part, columns) for key, part in parts}
            return with_entries(type(y), dots)
        if not is_differentiable(y):
            return ZERO
        like = y if hasattr(y, "dtype") else np.float64(y)
        return self.patterns.handle(zeros_like(like, like.dtype), same_columns(columns, np.size(y)))


def patterns_in(dots: Iterable[Any]) -> Iterator[Any]:
    """The patterns among tangents, and in those of containers."""
    for dot in dots:
        if issubclass(type(dot), PatternHandle):
            yield dot
        elif isinstance(dot, Tangent):
            yield from patterns_in(entries(dot).values())


def zeros_for(dot) -> Any:
    """A tangent with zeros in the place of patterns."""
    if issubclass(type(dot), PatternHandle):
        return np.zeros(dot.shape, dot.dtype)[()]
    if isinstance(dot, Tangent):
        zeros = {key: zeros_for(part) for key, part in entries(dot).items()}
        return with_entries(dot.primal_type, zeros)
    return dot


def detected(
    function: Function, leaves: list[Any], rebuilt: Rebuild, rules
) -> tuple[Matrix, tuple[str, ...]]:
    """The pattern of the derivatives of a function at a point, and what made rows dense."""
    engine = engine_of(rules)
    patterns = Patterns(engine)
    pushed = PushedPatterns(engine)
    pushed.patterns = patterns
    dots, width = tangents_of_leaves(patterns, leaves)
    try:
        open_level(patterns.serial, function)
        undecided.add(patterns.serial)
        values, found, _ = watching(
            trace_forward, pushed, function, leaves, dots, lambda duals: (rebuilt(duals),)
        )
    finally:
        open_levels.pop(patterns.serial, None)
        undecided.discard(patterns.serial)
        patterns.close()
    parts = [
        found_rows(y, y_dot) for y, y_dot in zip(values, found, strict=True) if is_differentiable(y)
    ]
    rows = one_after_the_other(parts) if parts else no_columns(0)
    return rows.matrix(width), tuple(patterns.dense_because)


def tangents_of_leaves(patterns: Patterns, leaves: list[Any]) -> tuple[list[Any], int]:
    """A tangent for each leaf, whose entries depend each on its own column; and how many there
    are.
    """
    dots: list[Any] = []
    width = 0
    for leaf in leaves:
        if not is_differentiable(leaf):
            dots.append(ZERO)
            continue
        like = leaf if hasattr(leaf, "dtype") else np.float64(leaf)
        dots.append(
            patterns.handle(zeros_like(like, like.dtype), own_columns(width, np.size(leaf)))
        )
        width += np.size(leaf)
    return dots, width


def found_rows(y, y_dot) -> Rows:
    """The rows of the tangent of a result; constants have none."""
    if issubclass(type(y_dot), PatternArray | PatternNumber):
        rows: Rows = y_dot.rows
        return rows
    return no_columns(np.size(y))


def library_of_patterns() -> Any:
    """The library of patterns: NumPy's functions, which find them by NumPy's protocols."""
    return numpy_library().replaced(
        name="patterns",
        namespace=namespace_over(numpy_library()),
        array_types=(PatternArray, PatternNumber),
        scalar_types=(),
        mutable=False,
        priority=10 * PRIORITY,
        implementations=operation_of,
        fuse=None,
    )


register_library(library_of_patterns())
