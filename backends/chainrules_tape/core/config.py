"""The engine's side of rules that differentiate functions that they are given, in both modes."""

import sys
from threading import getprofile, gettrace
from typing import Any

from chainrules_py.annotations import Args, Function
from chainrules_py.checks.contract import debugging
from chainrules_py.rules.config import (
    HandlesOverwriting,
    HasBatching,
    HasForwardsMode,
    HasReverseMode,
)
from chainrules_py.table.lookup import require_table
from chainrules_py.table.registry import RuleTable, current_table, default_rules
from chainrules_py.values.structure import leaves_of
from chainrules_tape.core.duals import Pushforward
from chainrules_tape.core.inner_functions import frule_of, rrule_of
from chainrules_tape.core.levels import innermost
from chainrules_tape.core.plans import Engine
from chainrules_tape.core.tape import Tape
from chainrules_tape.refusals.handles import TracedArray

in_lanes_by: list[Function] = []  # `vmap`, which is built on this


class TapeConfig(HasReverseMode, HasForwardsMode, HasBatching, HandlesOverwriting):
    """The config by which rules ask for all modes, by one table, and have writes kept track of."""

    def __init__(self, table: RuleTable) -> None:
        self.table = table

    def is_active(self, value) -> bool:
        """Whether a value is traced, or holds traced values."""
        return innermost((value,)) is not None

    def is_active_twice(self, value) -> bool:
        """Whether a value is traced at two levels, or holds such values."""
        inner = [x.value for x in leaves_of(value) if isinstance(x, TracedArray)]
        return innermost(inner) is not None

    def rrule_via_ad(self, function: Function, *args, **options) -> tuple[Any, Function]:
        """Return the value of a function and its pullback."""
        return rrule_of(new_tape(engine_of(self.table)), function, args, options)

    def frule_via_ad(
        self, dots: tuple[Any, ...], function: Function, *args, **options
    ) -> tuple[Any, Any]:
        """Return the value of a function and its derivative along `dots`."""
        return frule_of(Pushforward(engine_of(self.table)), dots, function, args, options)

    def in_lanes(self, function: Function, lanes: tuple[bool, ...], args: Args) -> Any:
        """Return the results of a function for all examples, or raise a BatchingError."""
        return in_lanes_by[0](function, lanes, args, self.table)


def engine_of(table: RuleTable) -> Engine:
    """Return the engine of a table: a new one after each registration, so that nothing outlives the
    rules it was made from.

    Where the default table is asked, that is the engine of the table in force.
    """
    if table is default_rules:
        table = current_table.get()
    try:
        memory = table.memory.of_engines["chainrules_tape"]
    except AttributeError:
        require_table(table, "chainrules_tape")
        raise
    debug = debugging()
    if debug not in memory:
        memory.setdefault(debug, Engine(table, debug, TapeConfig(table)))
    return memory[debug]


# Whether a global lock lets one thread run Python at a time; decided when Python starts.
ONE_AT_A_TIME: bool = getattr(sys, "_is_gil_enabled", lambda: True)()


def new_tape(engine: Engine) -> Tape:
    """Open a tape; one with a lock where threads of this interpreter, as it runs now, could mix up
    a record.
    """
    if gettrace() or getprofile() or not ONE_AT_A_TIME:
        from chainrules_tape.core.locked_tape import LockedTape  # which few programs need

        return LockedTape(engine)
    return Tape(engine)
