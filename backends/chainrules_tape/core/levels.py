"""Levels: which of several nested derivatives an operation belongs to.

Each derivative that is being taken, by a tape or in forward mode, is a level, and each traced value
is a handle: it has a value and the level that made it. An operation belongs to the innermost level
among its operands. That level takes its own handles off, and all that is left is plain to it, even
handles of outer levels: the operations of the rule belong to those. So derivatives of derivatives,
nested in any order of modes, are exact, and no perturbation is confused with another.

The innermost level is the one opened last, by its serial number. Operands alone decide: there is no
global "current level", and threads do not disturb each other.
"""

import sys
from collections.abc import Callable, Iterable
from threading import get_ident
from typing import Any, ClassVar

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.calls.traced_values import refuse_captured
from chainrules_py.introspection import by_thread
from chainrules_py.values.arrays import library_of_types, making
from chainrules_py.values.awaited import Awaited
from chainrules_py.values.structure import fields, is_container, rebuild
from chainrules_tape.refusals.handles import TracedArray

# by serial, the thread of each level: while there is none, nobody has to look for traced values
open_levels: dict[float, int] = by_thread({})
# Those of them, by serial, whose masks choose no one number of entries: lanes, and patterns.
undecided: set[float] = set()

# Functions that write into an array, and what they do where something is traced: `in_place` fills
# this.
writers: dict[Any, Function] = {}

# What is done with a package when the first level is opened after its import.
_awaited = Awaited()
# What is done when a level has been opened, with the function that is run there, and when one has
# been closed: code that is seen through is lent meanwhile (`chainrules_foreign_code`).
at_opening: list[Callable[[Any], None]] = []
at_closing: list[Callable[[], None]] = []


def open_level(serial: float, function: Function | None = None) -> None:
    """Note that a level is open in this thread; whoever changes what a package, or the code of a
    function, does with traced values does so now.
    """
    open_levels[serial] = get_ident()
    for prepare in at_opening:
        prepare(function)
    # 0.2 us; the other way round it would read all modules
    if not sys.modules.keys().isdisjoint(_awaited.waiting):
        for package in sys.modules.keys() & _awaited.waiting.keys():
            _awaited.meet(package)


def prepare_when_imported(package: str, prepare: Callable[[], None]) -> None:
    """Have a function called when a level is opened and a package has been imported, once."""
    _awaited.add(package, prepare)


def differentiates_here() -> bool:
    """Whether this thread computes a derivative just now."""
    return bool(open_levels) and get_ident() in open_levels.copy().values()


class Level:
    """One of several nested derivatives: an operation is handed to the one with the highest serial
    number.
    """

    __slots__ = ("closed", "serial")
    is_kink: ClassVar[bool] = False  # whether it ends with the tape above it: see `kinks`
    serial: float  # by `next_level`, when it is opened
    closed: bool

    def call(self, primal, args: Args, options: Options) -> Any:
        """Run an operation of which some operand is this level's."""
        raise NotImplementedError

    def strip(self, value) -> Any:
        """Take this level's handles off a value, in containers too; where there are none, it is
        returned as it is.
        """
        if isinstance(value, TracedArray):
            if value.level is not self:
                return value
            return value.value
        return with_parts(value, self.strip) if is_container(value) else value

    def refuse_own(self, primal, value) -> None:
        """Raise a ClosureError where the result of a rule is of this level, which its arguments are
        not: of ``map(lambda v: x[1] * v, y)`` it came through x, which the lambda captures.
        """
        level = value.level if isinstance(value, TracedArray) else None  # None: of a plain buffer
        if level is not None and level.serial >= self.serial:
            refuse_captured(primal, value, self.serial)


class SlowDispatchOnly(dict[Any, Any]):
    """In the place of the `stages` of a level: it finds nothing to run for any call, so that all of
    them take slow dispatch; and nothing can be put into it.
    """

    def __missing__(self, key) -> None:
        return None

    def __setitem__(self, key, stage) -> None:
        """Keep nothing: a later call would find it."""


class SlowDispatch(Exception):
    """An operation is to take slow dispatch, as where memory of an operand may have been replaced."""


def with_parts(container, change: Callable[[Any], Any]) -> Any:
    """A container with its parts changed; the container itself where no part changes."""
    parts = fields(container)
    changed = {key: new for key, part in parts.items() if (new := change(part)) is not part}
    return rebuild(container, changed) if changed else container


def without_kinks(x) -> Any:
    """A value without the handles of levels that end with a tape."""
    while issubclass(type(x), TracedArray) and x.level.is_kink:
        x = x.level.ended(x)
    return x


def innermost(values: Iterable[Any]) -> Level | None:
    """Return the level opened last among traced values and containers of them; None where nothing
    is traced.
    """
    found: Level | None = None
    for value in values:
        if isinstance(value, TracedArray):
            level: Level | None = value.level
        elif is_container(value):
            level = innermost(fields(value).values())
        else:
            continue
        if level is not None and (found is None or level.serial > found.serial):
            found = level
    return found


def untraced(primal, args: Args, options: Options) -> Any:
    """Run an operation on values of which none is traced.

    Arrays that stand for NumPy's, as those of a recording, are not known to functions that ask for
    no array's own: their library calls these.
    """
    library = library_of_types(map(type, args))
    function = primal if library.stands_for is None else library.implementation(primal)
    if making.calling is not None:
        function = making.calling(primal, function)
    return function(*args, **options)


def call_traced(primal, args: Args, options: Options) -> Any:
    """Run an operation on values of which some are traced, by the innermost of their levels."""
    level = innermost((*args, *options.values()) if options else args)
    if level is None:
        return untraced(primal, args, options)
    if primal in writers:
        return writers[primal](*args, **options)
    return level.call(primal, args, options)
