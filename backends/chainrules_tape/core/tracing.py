"""Run a function on a tape: handles go in, and what comes out is taken apart.

`trace` is that run, and `cotangents` the sweep back over what it recorded. The rest of `trace` is
for programs that write into arrays (`tape.written`, `overwriting`) or go wrong (`refusals`): in
most, `refused`, `written` and `decisions` of a tape are None (see `dispatch.Derivative`).
"""

from operator import attrgetter
from typing import Any

from numpy import float64, ndarray

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.projection import ProjectTo
from chainrules_py.tangents import ZERO
from chainrules_py.values.plain_code import plainly, say_plain
from chainrules_tape.core.levels import (
    differentiates_here,
    open_level,
    open_levels,
    without_kinks,
)
from chainrules_tape.core.sweep import sweep
from chainrules_tape.core.tape import FinishedTape, Tape
from chainrules_tape.core.trees import Rebuild, flatten
from chainrules_tape.core.values import LIBRARY_ARRAYS, resolved
from chainrules_tape.overwriting.arguments import copied_leaf, owned_leaves, require_unchanged
from chainrules_tape.refusals.bypassed_rules import warn_of_bypassed_rules
from chainrules_tape.refusals.explaining import explain_error, warn_of_refusals
from chainrules_tape.refusals.handles import HANDLES as TRACED
from chainrules_tape.refusals.instrumented_packages import stood_for
from chainrules_tape.refusals.interrupts import raise_interrupt
from chainrules_tape.refusals.subclasses import (
    COMMON,
    refuse_escaped,
    refuse_labelled_results,
    refuse_other_arrays,
)

value_of_handle = attrgetter("value")


class Leaves:
    """The leaves of the arguments or of the result of a traced call, handles taken off, each with
    its slot on the tape.
    """

    __slots__ = ("rebuilt", "slots", "values")

    def __init__(self, values: list[Any], slots: list[int | None], rebuilt: Rebuild) -> None:
        self.values, self.slots, self.rebuilt = values, slots, rebuilt


# A call that was traced in reverse: its arguments, its result, and the finished tape.
Trace = tuple[Leaves, Leaves, FinishedTape]


def trace(
    tape: Tape,
    function: Function,
    args: Args,
    options: Options,
    keep: bool,
    of: Function | None = None,
) -> Trace:
    """Trace a call on a new tape; `keep` copies the arguments, which the caller may overwrite
    before the last sweep.

    Where the sweep comes at once, large arguments are not copied: nobody but the function itself
    may overwrite them, which raises an `OverwrittenError`. `of` is the function as its author knows
    it, for errors.
    """
    leaves, rebuilt = flatten(args)
    if not COMMON.issuperset(map(type, leaves)):
        refuse_other_arrays(of or function, leaves)
    if tape.engine.bypassed:
        warn_of_bypassed_rules(tape.engine, of or function)
    large: list[Any] = []
    tape.given = leaves, getattr(function, "constants", [])
    points = tape.points = list(map(copied_leaf, leaves)) if keep else owned_leaves(leaves, large)
    before = say_plain(False)  # from here on the thread runs code that may see traced values
    try:
        open_level(tape.serial, of or function)
        handles = list(map(tape.input, points))
        inputs = Leaves(points, list(map(tape.slot_of, handles)), rebuilt)
        results, made = flatten(function(*rebuilt(handles), **options))
        outputs = leaves_of_results(tape, of or function, results, made)
        if large:
            require_unchanged(of or function, large)
        return inputs, outputs, FinishedTape(tape)
    except Exception as error:
        explain_error(tape, error, of or function, rebuilt(points))
        raise
    finally:
        open_levels.pop(tape.serial, None)  # at once: an interrupt may come as a function begins
        say_plain(before)
        if not tape.closed:
            tape.close()


def leaves_of_results(
    tape: Tape, function: Function, results: list[Any], rebuilt: Rebuild
) -> Leaves:
    """The values and slots of what a traced function has returned."""
    if tape.refused is not None:
        warn_of_refusals(tape)
    if tape.written is not None:
        results = [tape.resolved(result) for result in results]
    slots = list(map(tape.slot_of, results))
    if None not in slots:
        values = [without_kinks(y.value) for y in results]
        return Leaves(values, slots, rebuilt)
    # a constant, or an object of foreign code that stands for a handle
    results = list(map(stood_for, results))
    slots = list(map(tape.slot_of, results))
    refuse_labelled_results(function, results)
    refuse_escaped(function, results)
    values = [
        tape.strip(resolved(y)) if s is None else without_kinks(y.value)
        for y, s in zip(results, slots, strict=True)
    ]
    return Leaves(values, slots, rebuilt)


def cotangents(
    inputs: Leaves, recording: FinishedTape, seeds: list[Any], outputs: list[int | None]
) -> list[Any]:
    """Return the cotangents of the leaves of the arguments, given those of the result; spends the
    tape.
    """
    decisions = recording.decisions  # none, but in foreign code
    swept = decisions.sweep if decisions else sweep
    pairs = zip(outputs, seeds, strict=True)  # of constants, which have no slot, too
    try:
        # an interrupt leaves nothing said, which may come as a function begins
        bars = (
            swept(recording, pairs) if differentiates_here() else plainly(swept, recording, pairs)
        )
    except SystemError as error:
        raise_interrupt(error)
        raise
    return [
        ZERO if slot is None else projected(without_kinks(bars[slot]), x)
        for x, slot in zip(inputs.values, inputs.slots, strict=True)
    ]


def projected(x_bar, x) -> Any:
    """Project a cotangent into the tangent space of `x`; nearly always it is in there already."""
    cls = type(x)
    if type(x_bar) is cls:
        if cls is ndarray:
            dtype = x_bar.dtype  # cotangents are in this machine's byte order
            if dtype is x.dtype and dtype.isnative and x_bar.shape == x.shape:
                return x_bar
        elif cls is float or cls is float64 or has_its_space(x_bar, x):
            return x_bar
    return ProjectTo(x)(x_bar)


def has_its_space(x_bar, x) -> bool:
    """Whether a cotangent is in the space of a value of its class, which has a shape and a dtype."""
    cls = type(x)
    is_dense = cls in TRACED or (cls in LIBRARY_ARRAYS and ProjectTo.is_dense(cls))
    is_like = is_dense and x_bar.shape == x.shape and x_bar.dtype is x.dtype
    return is_like and getattr(x.dtype, "isnative", True)
