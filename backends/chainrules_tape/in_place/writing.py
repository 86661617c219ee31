"""Writes: operations that overwrite one of their arguments, each by its rule.

The rule writes into the memory, at the innermost level of what it is given. The entry on the tape
has the memory before the write among its parents.
"""

from typing import Any

import numpy as np

from chainrules_py.accumulation import Owned
from chainrules_py.annotations import Args, Options
from chainrules_py.errors import BatchingError, said_by
from chainrules_py.strong_zeros.strictness import careful_by_first_residual
from chainrules_py.tangents import NO_TANGENT, AbstractZero, has_tangent
from chainrules_py.values.arrays import is_numpys
from chainrules_py.values.identity import qualified_name
from chainrules_tape.core.levels import innermost
from chainrules_tape.core.sweep import takes_sums
from chainrules_tape.in_place.first_write import as_stored
from chainrules_tape.in_place.held_memory import is_held
from chainrules_tape.in_place.regions import Region, region_of
from chainrules_tape.in_place.series_memory import WRITTEN, refuse_write
from chainrules_tape.in_place.storages import (
    Storage,
    buffer_of,
    handle_on,
    is_owned_memory,
    owned_memory,
    region_in,
)
from chainrules_tape.refusals.errors import raise_escaped_value
from chainrules_tape.refusals.handles import TracedArray, plain
from chainrules_tape.series.level import Series

IN_A_LOOP = "write into the examples one after the other, in a loop"


def write_by_call(primal, args: Args, options: Options, position: int = 0) -> Any:
    """Call a function that writes into its argument at a position, a traced array; return that."""
    target = as_stored(args[position])
    storage = target.storage.current()
    others = (*args[:position], *args[position + 1 :])
    level: Any = innermost((target, *others, *options.values()))
    has_lanes = level is not None and level.mode == "batching"

    if level is None or not (has_lanes or has_tangent(storage.root.dtype)):
        write_plain(primal, target, args, options, position)
    else:
        if level is not storage.state.level:
            storage.raise_to(level)
        if level.closed:
            raise_escaped_value(primal, target)
        write_at_level(primal, target, args, options, position)

    storage.version += 1
    return target


def write_plain(primal, target, args: Args, options: Options, position: int) -> None:
    """Write values that are not traced, or have no derivative."""
    storage = target.storage.current()
    values = list(map(plain_value, args))
    storage.hold_like((*values, *options.values()))
    if storage.state.held is not None:
        del values[position]
        storage.write_held(primal, target.plain_view, tuple(values), options)
        return

    values[position] = target.plain_view
    primal(*values, **options)


def write_at_level(primal, target, args: Args, options: Options, position: int) -> None:
    """Write at the level of a storage, by the rule of the function."""
    storage = target.storage.current()
    state, view = storage.state, target.plain_view
    level = state.level
    if level.mode == "patterns":
        region = region_of(view, storage.root)
        state.memory.write(primal, args, options, position, region)
        return

    # the target in its place: the memory, whose slot or tangent is not that of a value
    given = [None if k == position else level.resolved(arg) for k, arg in enumerate(args)]
    values = [level.strip(arg) for arg in given]
    mode_data = [level.mode_data(arg) for arg in given]
    if level.mode == "batching":
        write_in_lanes(primal, target, values, options, mode_data, position)
        return

    others = (*values, *options.values())
    if state.beneath is None and (innermost(others) is not None or any(map(is_held, values))):
        state.beneath = Storage(storage.root)
    beneath = state.beneath
    if beneath is not None and innermost(values) is None and beneath.state.level is None:
        beneath.hold_like(values)  # before its handle is made, which says which library has it
    values[position] = view if beneath is None else handle_on(beneath, view)

    needs = [one is not level.nothing for one in mode_data]
    needs[position] = True
    plan = level.engine.plan(level.mode, primal, tuple(map(type, values)), tuple(needs))
    if options:
        options = level.options(plan, options)

    region = state.region(view)
    run: Any = write_on_tape if level.mode == "reverse" else write_forward
    if type(level) is Series:
        run = write_series
    run(plan, storage, region, values, options, mode_data, position)


def write_on_tape(
    plan,
    storage: Storage,
    region: Region | None,
    values: list[Any],
    options: Options,
    slots: list[Any],
    position: int,
) -> None:
    """Write into a region of a storage, and record it."""
    _, pull, residuals = plan.stage(*values, **options)
    state = storage.state
    slots[position] = state.latest
    write_back: Any = write_pull
    if state.beneath is not None:
        others = (*values[:position], *values[position + 1 :], *options.values())
        write_back = write_pull if innermost(others) is None else traced_write_pull
    entry = state.level.record(None, write_back, (pull, residuals, region, position), tuple(slots))
    state.latest = entry.slot


def write_forward(
    plan,
    storage: Storage,
    region: Region | None,
    values: list[Any],
    options: Options,
    dots: list[Any],
    position: int,
) -> None:
    """Write into a region of a storage, and into that of its tangent."""
    target_dot = storage.state.dots_at(region)
    memory = target_dot.storage.current().state
    # an index or a mask may differ from lane to lane, where no tangent does
    others = (*dots, *values[:position], *values[position + 1 :], *options.values())
    is_plain = memory.level is None and memory.held is None
    is_plain = is_plain and innermost(others) is None and not any(map(is_held, dots))
    dots[position] = target_dot.plain_view if is_plain else target_dot
    plan.run(tuple(dots), *values, **options)
    target_dot.storage.version += 1


def write_series(
    plan,
    storage: Storage,
    region: Region | None,
    values: list[Any],
    options: Options,
    given: list[Any],
    position: int,
) -> None:
    """Write into a region of a storage, and have the coefficients written in each round."""
    primal = plan.rule.primal
    if primal not in WRITTEN:
        refuse_write(primal, values[position])
    own = [
        storage.state.level.own(value) if arg is None else arg
        for value, arg in zip(values, given, strict=True)
    ]
    primal(*values, **options)
    storage.state.memory.write(primal, own, options, region)


def write_in_lanes(
    primal,
    target,
    values: list[Any],
    options: Options,
    lanes: list[Any],
    position: int,
) -> None:
    """Write into a stored array in all lanes, by the rule for batching of the function."""
    storage = target.storage
    state, level = storage.state, storage.state.level
    if not target.plain_view.flags.writeable:
        raise ValueError("assignment destination is read-only")  # as NumPy says it
    names = [name for name, option in options.items() if level.mode_data(option)]
    options = {name: level.strip(level.resolved(option)) for name, option in options.items()}
    others = (*values, *options.values())
    is_plain = is_numpys(state.memory)
    if is_plain and (innermost(others) is not None or any(map(is_held, others))):
        state.memory = buffer_of(state.memory)
    values[position], lanes[position] = state.value_of(target.plain_view), True
    every = (*lanes, *names)
    run = level.engine.table.in_lanes(primal, tuple(map(type, values)), every)
    try:
        run(*values, **options)
    except Exception as error:
        if not isinstance(error, BatchingError):
            values[position] = values[position].copy()  # in part, it may have been written
        level.after_failure(error, primal, every, tuple(values), options)
        got = f"{type(error).__name__} ({said_by(error)}), which no lane raises by itself"
        raise BatchingError(f"vmap({qualified_name(primal)})", got, IN_A_LOOP) from error


def plain_value(x):
    """A value as plain NumPy sees it."""
    return plain(x.resolved()) if issubclass(type(x), TracedArray) else x


@careful_by_first_residual
def write_pull(residuals, y_bar) -> tuple[Any, ...]:
    """The cotangents of the memory before a write and of what was written.

    That of the memory afterwards is changed in place: it becomes that of the memory before.
    """
    pull, residuals, region, position = residuals
    memory_bar = y_bar if is_owned_memory(y_bar) else Owned(owned_memory(y_bar))
    memory = memory_bar.buffer
    view_bar = memory if region is None else region_in(memory, region)
    bars = pull(residuals, view_bar)
    before = bars[position]
    if before is view_bar and position == 0 and len(bars) == 3:
        _, index_bar, values_bar = bars
        if index_bar is NO_TANGENT and type(values_bar) is np.float64:
            return memory_bar, NO_TANGENT, values_bar  # a number was written, as in most programs
    others = [None if k == position else unshared(bar, memory) for k, bar in enumerate(bars)]
    if before is not view_bar:
        view_bar[...] = 0.0 if isinstance(before, AbstractZero) else before
    return (*others[:position], memory_bar, *others[position + 1 :])


def unshared(bar, memory) -> Any:
    """A cotangent that no write into this memory changes: a copy, where a rule handed on a view."""
    if is_numpys(bar):
        is_view = bar.base is not None and is_numpys(memory)
        is_shared = bar is memory or (is_view and np.may_share_memory(bar, memory))
        return bar.copy() if is_shared else bar
    return bar.resolved() if issubclass(type(bar), TracedArray) and bar.is_stored else bar


@careful_by_first_residual
def traced_write_pull(residuals, y_bar) -> tuple[Any, ...]:
    """`write_pull` of a write whose values, index or mask are traced by an outer derivative.

    In a cotangent of plain numbers, what differs from lane to lane could not be cleared.
    """
    memory = y_bar.buffer if is_owned_memory(y_bar) else owned_memory(y_bar)
    return write_pull(residuals, Owned(buffer_of(memory) if is_numpys(memory) else memory))


takes_sums.update((write_pull, traced_write_pull))
