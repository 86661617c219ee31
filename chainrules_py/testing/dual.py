"""The smallest engine that can differentiate a rule: arrays that send NumPy calls to frules.

A rule promises to be written in operations that have rules. Run on `DualNumbers`s it either gives
its own derivative or names the operation that has none; that is the whole purpose of this engine.
It is the forward level of `bodies`, with two things more. Buffers made by `xp.zeros` and its like
are dual, too, so that a rule may fill them in place as it does NumPy's. And tangents, which rules
compute with, may have dual entries.
"""

import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from chainrules_py import ArrayLibrary, RuleTable, default_rules, register_library
from chainrules_py.annotations import Function
from chainrules_py.bodies.forward import Forward
from chainrules_py.bodies.traced import Traced, call_by_levels
from chainrules_py.tangents import (
    NO_TANGENT,
    ZERO,
    AbstractZero,
    Tangent,
    entries,
    is_zero,
    materialize,
    unthunk,
    with_entries,
)
from chainrules_py.testing.coordinates import number_dtype
from chainrules_py.values.identity import takes_plain_values_only
from chainrules_py.values.structure import fields, is_container, mapped


def part_by_part(function: Callable[[Any], Any], x) -> Any:
    """Apply a function to each part of a container or structural tangent."""
    if isinstance(x, Tangent):
        return with_entries(
            x.primal_type, {key: function(entry) for key, entry in entries(x).items()}
        )
    return mapped(function, x) if is_container(x) else x


def value_of(x) -> Any:
    """The value without its tangent, entry by entry in containers and tangents."""
    x = unthunk(x)
    return x.value if isinstance(x, DualNumbers) else part_by_part(value_of, x)


def dot_of(x) -> Any:
    """The tangent of a value, `ZERO` for constants and `NO_TANGENT` for what has none."""
    x = unthunk(x)
    if isinstance(x, DualNumbers):
        return x.data
    if isinstance(x, Tangent):
        return part_by_part(dot_of, x)
    if is_container(x):
        parts = {key: dot_of(entry) for key, entry in fields(x).items()}
        if any(not isinstance(part, AbstractZero) for part in parts.values()):
            return with_entries(type(x), parts)
        return ZERO
    return NO_TANGENT if number_dtype(x) is None else ZERO


class Duals(Forward):
    """The level of all dual numbers of one table, outside of all others."""

    def __init__(self, table: RuleTable) -> None:
        super().__init__(table)
        self.serial = -1

    def plain(self, x) -> Any:
        """Take the tangents off a value."""
        return value_of(x)

    def tangent(self, x) -> Any:
        """Return the tangent of a value."""
        return dot_of(x)

    def trace(self, x, x_dot) -> Any:
        """Attach a tangent to a value, entry by entry in containers; constants stay plain."""
        x_dot = unthunk(x_dot)
        if is_zero(x_dot) or is_container(x):
            return super().trace(x, x_dot)
        if isinstance(x, Tangent):
            dots = entries(x_dot)
            parts = {
                key: self.trace(entry, dots.get(key, ZERO)) for key, entry in entries(x).items()
            }
            return with_entries(x.primal_type, parts)
        if number_dtype(x) is None:
            return x
        own = np.asarray(x)[()] if isinstance(x, float | complex) else x
        return DualNumbers(own, x_dot, self.table)


level_of = cache(Duals)


class DualNumbers(Traced):
    """A value and its tangent, which is ZERO for constants."""

    __slots__ = ()

    def __init__(self, value, dot: Any = ZERO, rules: RuleTable = default_rules) -> None:
        super().__init__(value, level_of(rules), dot)

    def __repr__(self) -> str:
        return f"DualArray({self.value!r}, {self.data!r})"

    def __index__(self) -> int:
        return operator.index(self.value)

    def __array_ufunc__(self, ufunc, method: str, *inputs, **options) -> Any:
        if method == "at":
            return _add_at(ufunc, *inputs)
        target = options.pop("out", (None,))[0]
        result = super().__array_ufunc__(ufunc, method, *inputs, **options)
        if target is None or isinstance(target.value, np.generic):
            return result
        return _store(target, Ellipsis, result)

    def __getitem__(self, index) -> Any:
        entry = call_by_levels(operator.getitem, (self, index), {})
        # A buffer's entry stays dual even while it is constant: `buffer[i] += y_bar` adds to it.
        return (
            entry if isinstance(entry, DualNumbers) else DualNumbers(entry, ZERO, self.level.table)
        )

    def __setitem__(self, index, value) -> None:
        _store(self, index, value)


class DualNamespace:
    """NumPy, with functions that make arrays making dual ones, so that a rule can write into them."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        return _dual_maker(found) if name in _MAKERS else found


_MAKERS = frozenset(
    {
        "zeros",
        "ones",
        "empty",
        "full",
        "zeros_like",
        "ones_like",
        "empty_like",
        "full_like",
        "asarray",
        "array",
    }
)


def _dual_maker(make: Function) -> Function:
    def dual_maker(first, *args, **options):
        if isinstance(first, DualNumbers):
            if make in (np.asarray, np.array):
                return first
            return DualNumbers(make(first.value, *args, **options))
        return DualNumbers(np.asarray(make(first, *args, **options)))

    return dual_maker


def dual(value, dot, rules: RuleTable = default_rules) -> Any:
    """A value with its tangent attached, entry by entry in containers; constants stay plain."""
    return level_of(rules).trace(value, dot)


def _store(target, index, value) -> Any:
    if not isinstance(target, DualNumbers):
        raise TypeError(
            "a traced value was written into a plain array; make the array with xp.zeros"
        )
    target.value[index] = value_of(value)
    _materialized_dot(target)[index] = materialize(dot_of(value), like=value_of(value))
    return target


def _materialized_dot(target: DualNumbers) -> Any:
    if isinstance(target.data, AbstractZero):
        target.data = np.zeros_like(target.value)
    return target.data


def _add_at(ufunc, target, index, value) -> None:
    if not isinstance(target, DualNumbers) or ufunc is not np.add:
        raise TypeError(f"{ufunc.__name__}.at on a plain array; make the array with xp.zeros")
    np.add.at(target.value, index, value_of(value))
    np.add.at(_materialized_dot(target), index, materialize(dot_of(value), like=value_of(value)))


def operation_of(primal) -> Function | None:
    """A function that takes plain values only, as one of dual numbers; None for all others."""
    if not takes_plain_values_only(primal):
        return None
    return lambda *args, **options: call_by_levels(primal, args, options)


dual_library = register_library(
    ArrayLibrary(
        name="chainrules_py.testing",
        namespace=DualNamespace(),
        array_types=(DualNumbers,),
        mutable=False,
        priority=100,
        implementations=operation_of,
    )
)
