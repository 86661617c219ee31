"""Traced values: they stand for arrays while a body runs, and hand its operations to a level.

An operation belongs to the level opened last among its operands; values of other levels, and of an
engine that asked for the rule of a function with a body, are plain to it.
"""

import operator
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from chainrules_py.annotations import Args, Options
from chainrules_py.calls.traced_values import (
    ArrayProxy,
    has_special_tangent,
    join_traced,
    next_level,
    traced_names,
)
from chainrules_py.rules.config import NO_CONFIG, RuleConfig
from chainrules_py.rules.rule import Mode
from chainrules_py.table.registry import RuleTable
from chainrules_py.values.arrays import ArrayLibrary, library_of_types
from chainrules_py.values.late_names import NamesOfNumPy
from chainrules_py.values.python_numbers import NUMBERS, in_pythons_form
from chainrules_py.values.structure import leaves_of, mapped

PRIORITY = 1000  # over the traced values of all engines, which a body may be run on


class Level:
    """One run of a body; `run` computes an operation in canonical form on values of this level."""

    mode: Mode

    def __init__(self, table: RuleTable, config: RuleConfig = NO_CONFIG) -> None:
        self.serial, self.table, self.config = next_level(), table, config

    def run(self, primal, args: Args, options: Options) -> Any:
        """Compute an operation by the rule of its function."""
        raise NotImplementedError

    def by_engine(self, primal, args: Args, options: Options) -> Any:
        """Call a function that the body was given, which the calling engine differentiates."""
        raise NotImplementedError

    def given(self, x) -> Any:
        """What the body is given: a function is differentiated by the calling engine, if that can, and
        what it holds.
        """
        if type(self.config) is RuleConfig or not callable(x):
            return x
        holds = self.is_in(x)

        def call(*args, **options) -> Any:
            if holds:
                return self.by_engine(operator.call, (x, *args), options)
            is_traced = any(map(self.is_in, args))
            return self.by_engine(x, args, options) if is_traced else x(*args, **options)

        return call

    def owns(self, x) -> bool:
        """Whether a value is traced by this level."""
        return isinstance(x, Traced) and x.level is self

    def is_in(self, x) -> bool:
        """Whether a value is traced by this level, or a container with such a value."""
        return any(map(self.owns, leaves_of(x)))

    def plain(self, x) -> Any:
        """Take the traced values of this level off a value, in containers too."""
        return mapped(lambda leaf: leaf.value if self.owns(leaf) else leaf, x)


class Traced(ArrayProxy):
    """A value that a level traces; `data` is what the level knows of it."""

    __slots__ = ("data", "level", "value")
    level: Level

    def __init__(self, value, level: Level, data: Any = None) -> None:
        self.value, self.level, self.data = value, level, data

    @property
    def __chainrules_level__(self) -> int:
        """The number of the level."""
        return self.level.serial

    @classmethod
    def compute(cls, primal: Any, args: Args, options: Options) -> Any:
        """Return the result of an operation, as `call_by_levels` finds it."""
        return call_by_levels(primal, args, options)


def call_by_levels(primal, args: Args, options: Options) -> Any:
    """Compute an operation by the level that was opened last among its operands."""
    if has_special_tangent(args):
        return NotImplemented
    levels = [x.level for x in leaves_of((*args, *options.values())) if isinstance(x, Traced)]
    if not levels:
        types = map(type, leaves_of(args))
        return library_of_types(types).implementation(primal)(*args, **options)
    level = max(levels, key=lambda level: level.serial)
    if getattr(primal, "__module__", None) == "_operator" and all(
        map(is_number_below_levels, args)
    ):
        return pythons(called(level, primal, args, options))
    return called(level, primal, args, options)


def called(level: Level, primal, args: Args, options: Options) -> Any:
    """Compute an operation by a level: by its body if it has one, or by its rule."""
    primal, args, options = level.table.canonical(primal, args, options)
    rule = level.table.rule_for(level.mode, primal, tuple(map(type, map(level.plain, args))))
    if rule is not None and rule.body is not None and not holds_levels(options.values()):
        types = map(type, leaves_of(tuple(map(level.plain, args))))
        return rule.body(*args, xp=namespace_over(library_of_types(types)), **options)
    if rule is not None and not rule.differentiable:
        return call_by_levels(primal, tuple(map(level.plain, args)), level.plain(options))
    return level.run(primal, args, options)


def is_number_below_levels(x) -> bool:
    """Whether a value is a number of Python's below all levels."""
    while isinstance(x, Traced):
        x = x.value
    return type(x) in NUMBERS


def pythons(y) -> Any:
    """What an operator makes of Python's numbers: one that leaves single precision as it is."""
    whole = y
    while isinstance(y, Traced):
        y.value = in_pythons_form(y.value)
        y = y.value
    return whole


def holds_levels(values: Iterable[Any]) -> bool:
    """Whether some level traces one of these values, or a part of one."""
    return any(isinstance(x, Traced) for x in leaves_of(tuple(values)))


@lru_cache(maxsize=64)
def namespace_over(library: ArrayLibrary) -> NamesOfNumPy:
    """NumPy for a body that is run on arrays of a library."""
    return traced_names(Traced, library.namespace_of_bodies)


join_traced(Traced, "chainrules_py.bodies", PRIORITY)
