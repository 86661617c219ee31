"""Arrays of a library other than NumPy that a rule makes and fills, while it runs on traced values.

Such a library's own array takes no traced value. So the rule gets a `FilledArray`: it holds a
value, plain or traced, and each write puts another value in its place. NumPy's arrays have the
memory that `in_place` keeps, with its views; here, a part that was read before a write does not
follow it.
"""

from typing import Any

import numpy as np

from chainrules_py.table.registry import default_rules
from chainrules_py.values.arrays import library_of_types
from chainrules_py.values.structure import fields, is_container, rebuild
from chainrules_tape.arrays.behaviour import SequenceBehaviour
from chainrules_tape.arrays.operators import define_operators, slow_binary, slow_getitem, slow_unary
from chainrules_tape.arrays.protocols import array_function, array_ufunc
from chainrules_tape.core.levels import Level, innermost
from chainrules_tape.refusals.handles import APPARENT_CLASS, TracedArray, plain


class LevelOfFilledArrays(Level):
    """The innermost of all levels: operations on filled arrays are operations on what they hold."""

    __slots__ = ()

    def __init__(self) -> None:
        self.serial, self.closed, self.labelled = float("inf"), False, None

    def call(self, primal: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """The operation on what the arrays hold, by its level or, if plain, by their library."""
        args, options = held_in(args), held_in(options)
        level = innermost((*args, *options.values()))
        if level is not None:
            return level.call(primal, args, options)
        primal, args, options = default_rules.canonical(primal, args, options)
        return library_of_types(map(type, args)).implementation(primal)(*args, **options)


level_of_filled_arrays = LevelOfFilledArrays()


class FilledArray(SequenceBehaviour):
    """An array that takes traced values: each write makes another value by operations."""

    __slots__ = ()
    __class__: Any = APPARENT_CLASS
    is_stored = True
    __array_function__ = array_function

    def __init__(self, value: Any) -> None:
        self.level, self.value = level_of_filled_arrays, value

    def resolved(self, level: Any = None) -> Any:
        """The value that it holds now."""
        return self.value

    def __setitem__(self, index: Any, entries: Any) -> None:
        index, entries = held_in((index, entries))
        if innermost((self.value, entries)) is None:
            self.value[index] = entries
            return
        # a rule pack, loaded with the first rule that needs it
        from chainrules_py.rulesets.entries.replacing import replaced

        self.value = replaced(self.value, index, entries)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "at" or ufunc is not np.add or inputs[0] is not self:
            return array_ufunc(self, ufunc, method, *inputs, **options)
        self.add_at(*held_in(inputs[1:]))
        return None

    def add_at(self, index: Any, entries: Any) -> None:
        """Add to entries, repeatedly where an index repeats."""
        if innermost((self.value, entries)) is None:
            np.add.at(self.value, index, entries)
            return
        from chainrules_py.rulesets.entries.scatter import scatter_add

        shape, dtype = self.value.shape, self.value.dtype
        entries = np.broadcast_to(entries, plain(self.value)[index].shape)
        self.value = self.value + scatter_add(entries, index=index, shape=shape, dtype=dtype)

    def __iadd__(self, other: Any) -> "FilledArray":
        self.value = self.value + held_in(other)
        return self

    def __isub__(self, other: Any) -> "FilledArray":
        self.value = self.value - held_in(other)
        return self

    def __imul__(self, other: Any) -> "FilledArray":
        self.value = self.value * held_in(other)
        return self

    def __itruediv__(self, other: Any) -> "FilledArray":
        self.value = self.value / held_in(other)
        return self


define_operators(FilledArray, slow_unary, slow_binary, slow_getitem)


def held_in(value: Any) -> Any:
    """A value with what filled arrays hold now in the place of them, in containers too."""
    if issubclass(type(value), TracedArray):
        return value.value if issubclass(type(value), FilledArray) else value
    if not is_container(value):
        return value
    return rebuild(value, {key: held_in(part) for key, part in fields(value).items()})
