"""Writes: an operation that overwrites one of its arguments, by its rule, at the innermost level of
what it is given.
"""

from typing import Any

import numpy as np

from chainrules_py.accumulation import Owned
from chainrules_py.strong_zeros.strictness import careful_form
from chainrules_py.tangents import NO_TANGENT, AbstractZero, has_tangent
from chainrules_tape.core.levels import innermost
from chainrules_tape.core.sweep import takes_sums
from chainrules_tape.in_place.first_write import stored
from chainrules_tape.in_place.regions import region_of
from chainrules_tape.in_place.storages import (
    Storage,
    handle_on,
    is_own_memory,
    own_memory,
    part_of_memory,
)
from chainrules_tape.refusals.errors import raise_escaped_value
from chainrules_tape.refusals.handles import TracedArray, plain


def written(primal: Any, args: tuple[Any, ...], options: dict[str, Any], position: int = 0) -> Any:
    """Call a function that writes into its argument at a position, a stored array or one that
    becomes one; returns that.
    """
    # constants of rules
    args = tuple([arg.value if getattr(type(arg), "is_buffer", False) else arg for arg in args])
    target = stored(args[position])
    storage = target.storage.current()
    others = (*args[:position], *args[position + 1 :], *options.values())
    level: Any = innermost((target, *others))
    if level is None or not has_tangent(storage.root.dtype):
        primal(
            *[target.part if k == position else constant(arg) for k, arg in enumerate(args)],
            **options,
        )
        storage.version += 1
        return target
    if level is not storage.level:
        storage.raise_to(level)
    if level.closed:
        raise_escaped_value(primal, target)
    now = [None if k == position else level.settled(arg) for k, arg in enumerate(args)]
    carried = [level.nothing if k == position else level.carried(arg) for k, arg in enumerate(now)]
    values = [level.strip(arg) for arg in now]
    if storage.beneath is None and any(issubclass(type(value), TracedArray) for value in values):
        storage.beneath = Storage(storage.root)
    values[position] = (
        target.part if storage.beneath is None else handle_on(storage.beneath, target.part)
    )
    needs = tuple([k == position or one is not level.nothing for k, one in enumerate(carried)])
    plan = level.engine.plan(level.mode, primal, tuple(map(type, values)), needs)
    if options:
        options = level.options(plan, options)
    region = region_of(target.part, storage.root)
    if level.mode == "reverse":
        _, pull, kept = plan.stage(*values, **options)
        carried[position] = storage.latest
        storage.latest = level.record(
            None, written_pull, (pull, kept, region, position), tuple(carried)
        ).slot
    else:
        dots = storage.dots_at(region)
        is_plain = dots.storage.level is None and innermost(carried) is None
        carried[position] = dots.part if is_plain else dots
        plan.run(tuple(carried), *values, **options)
        dots.storage.version += 1
    storage.version += 1
    return target


def constant(x: Any) -> Any:
    """A value as plain NumPy sees it."""
    return plain(x.settled()) if issubclass(type(x), TracedArray) else x


def written_pull(kept: Any, y_bar: Any) -> tuple[Any, ...]:
    """The cotangent of the memory before a write, and those of what was written, given that of the
    memory afterwards.
    """
    pull, own, region, position = kept
    handed = y_bar if is_own_memory(y_bar) else Owned(own_memory(y_bar))
    memory = handed.buffer
    target_bar = memory if region is None else part_of_memory(memory, region)
    bars = pull(own, target_bar)
    before = bars[position]
    if (
        before is target_bar
        and position == 0
        and len(bars) == 3
        and bars[1] is NO_TANGENT
        and type(bars[2]) is np.float64
    ):
        return handed, NO_TANGENT, bars[2]  # a number was written
    others = [None if k == position else apart_from(memory, bar) for k, bar in enumerate(bars)]
    if before is not target_bar:
        target_bar[...] = 0.0 if isinstance(before, AbstractZero) else before
    return (*others[:position], handed, *others[position + 1 :])


def apart_from(memory: Any, bar: Any) -> Any:
    """A cotangent that no write into this memory changes: a rule may hand on a part of what it was
    given.
    """
    if type(bar) is np.ndarray:
        shared = bar is memory or (
            bar.base is not None and type(memory) is np.ndarray and np.may_share_memory(bar, memory)
        )
        return bar.copy() if shared else bar
    return bar.settled() if issubclass(type(bar), TracedArray) and bar.is_stored else bar


def careful_written_pull(kept: Any, y_bar: Any) -> tuple[Any, ...]:
    """What `written_pull` gives, by the careful form of the rule's pullback."""
    return written_pull((careful_form(kept[0]), *kept[1:]), y_bar)


written_pull.careful = careful_written_pull  # type: ignore[attr-defined]
takes_sums.add(written_pull)
