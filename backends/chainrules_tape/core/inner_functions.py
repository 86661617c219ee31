"""Functions that a rule was given, differentiated for it in either mode: what `config` offers, and
checkpoints use.
"""

from collections.abc import Callable
from itertools import compress
from threading import get_ident
from typing import Any

from chainrules_py.rules.config import RepeatedRule
from chainrules_py.strong_zeros.strictness import unwatch, watch, watching
from chainrules_py.tangents import NO_TANGENT, AbstractZero
from chainrules_py.tangents.plain_containers import as_plain_container, as_tangent
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.plain_code import say_plain
from chainrules_tape.core.duals import Pushforward, trace_forward
from chainrules_tape.core.levels import open_levels
from chainrules_tape.core.tape import FinishedTape, Tape
from chainrules_tape.core.tracing import Function, Leaves, cotangents, slot_of, trace
from chainrules_tape.core.trees import TreeSpace, flatten, only
from chainrules_tape.core.values import is_differentiable
from chainrules_tape.refusals.errors import InPlaceError
from chainrules_tape.refusals.explaining import explain_error
from chainrules_tape.refusals.handles import TracedArray, plain
from chainrules_tape.refusals.subclasses import refuse_other_arrays


def rrule_of(
    tape: Tape, function: Function, args: tuple[Any, ...], options: dict[str, Any]
) -> tuple[Any, Function]:
    """Return the value and the pullback of a function, for a rule."""
    inputs, outputs, recording = watching(
        trace, tape, refusing_in_place(function), args, options, keep=False, of=function
    )
    space, name = TreeSpace(outputs.values, outputs.rebuilt), qualified_name(function)

    def pullback(y_bar) -> tuple[Any, ...]:
        bars = watching(
            cotangents, inputs, recording.copy(), space.leaves(y_bar, name), outputs.slots
        )
        none = [
            bar if is_differentiable(x) else NO_TANGENT
            for bar, x in zip(bars, inputs.values, strict=True)
        ]
        return tuple(map(as_tangent, inputs.rebuilt(none)))

    return outputs.rebuilt(outputs.values), pullback


class RepeatedTrace(RepeatedRule):
    """The tape's `RepeatedRule`: the handles of the shared arguments have the first slots of one
    tape after the other.

    Most of the time of tracing a short function goes into taking its arguments apart and putting
    handles in their places. It is for functions of one array that return one; the parts of the
    cotangents of the shared arguments are those of their leaves.
    """

    def __init__(
        self, open_tape: Callable[[], Tape], function: Function, shared: tuple[Any, ...]
    ) -> None:
        self.open_tape, self.function, tape = open_tape, function, open_tape()
        self.leaves, self.rebuilt = flatten(shared)
        refuse_other_arrays(function, self.leaves)
        handles = list(map(tape.input, self.leaves))
        tape.close()
        self.shared = self.rebuilt(handles)
        self.active = [slot_of(tape, handle) is not None for handle in handles]
        self.own = [(handle, plain(handle)) for handle in compress(handles, self.active)]
        self.points = list(compress(self.leaves, self.active))

    def __call__(self, x, *constants) -> tuple[Any, Callable[[Any], tuple[Any, list[Any]]]]:
        """The value of ``function(x, *constants, *shared)``, and its pullback."""
        inputs, value, slot, recording = self.traced(self.new_tape(), x, constants)

        def pullback(y_bar) -> tuple[Any, list[Any]]:
            token = watch()
            try:
                *bars, x_bar = cotangents(inputs, recording.copy(), [y_bar], [slot])
            finally:
                unwatch(token)
            return x_bar, bars

        return value, pullback

    def new_tape(self) -> Tape:
        """Open a tape whose first slots are those of the shared arguments."""
        tape = self.open_tape()
        count = tape.count = len(self.own)
        tape.pulls, tape.residuals, tape.parents = ([None] * count for _ in range(3))
        for handle, _ in self.own:
            handle.level = tape
        return tape

    def traced(
        self, tape: Tape, x, constants: tuple[Any, ...]
    ) -> tuple[Leaves, Any, int | None, FinishedTape]:
        """Trace one call, as `trace` does, where a handle comes back; the inputs, the value, its
        slot, and the finished tape.
        """
        tape.points = [*self.points, x]
        before = say_plain(False)
        open_levels[tape.serial], token = get_ident(), watch()
        try:
            handle = tape.input(x)
            y = self.function(handle, *constants, *self.shared)
            slot = slot_of(tape, y)
            if slot is not None and tape.written is tape.refused is None:
                slots = [*range(len(self.own)), slot_of(tape, handle)]
                return Leaves(tape.points, slots, only), y.value, slot, FinishedTape(tape)
        except Exception as error:
            explain_error(tape, error)
            raise
        finally:
            say_plain(before)
            unwatch(token)
            if not tape.closed:
                tape.close()
        refuse_writes(self.function, self.own)
        return self.traced_in_full(x, constants)

    def traced_in_full(
        self, x, constants: tuple[Any, ...]
    ) -> tuple[Leaves, Any, int | None, FinishedTape]:
        """Trace one call by `trace`, where the result is no handle, or something was written or
        refused.
        """

        def called(x):
            own = [*self.own, (x, plain(x))]
            y = self.function(x, *constants, *self.shared)
            refuse_writes(self.function, own)
            return y

        last, outputs, recording = watching(
            trace, self.new_tape(), called, (x,), {}, keep=False, of=self.function
        )
        inputs = Leaves(self.points + last.values, [*range(len(self.own)), *last.slots], only)
        return inputs, outputs.values[0], outputs.slots[0], recording

    def tangents(self, bars: list[Any]) -> tuple[Any, ...]:
        """The cotangents of the shared arguments, given those of their leaves that have some."""
        remaining = iter(bars)
        leaves = [next(remaining) if active else NO_TANGENT for active in self.active]
        return tuple(map(as_tangent, self.rebuilt(leaves)))


def frule_of(
    level: Pushforward,
    dots: tuple[Any, ...],
    function: Function,
    args: tuple[Any, ...],
    options: dict[str, Any],
) -> tuple[Any, Any]:
    """Return the value and the tangent of a function, for a rule."""
    dense = tuple(
        dot if isinstance(dot, AbstractZero) else as_plain_container(dot, arg)
        for dot, arg in zip(dots, args, strict=True)
    )
    leaves, rebuilt = flatten(args)
    given = TreeSpace(leaves, rebuilt).leaves(dense, qualified_name(function))
    inner = refusing_in_place(function)
    refuse_other_arrays(function, leaves)
    values, found, made = watching(
        trace_forward, level, lambda *some: inner(*some, **options), leaves, given, rebuilt
    )
    return made(values), as_tangent(made(found))


def refusing_in_place(function: Function) -> Function:
    """Make a function that raises where it writes into its arguments: the arrays outside, which
    should see that, are other handles.
    """

    def inner(*args, **options) -> Any:
        given = [(leaf, plain(leaf)) for leaf in flatten(args)[0] if isinstance(leaf, TracedArray)]
        y = function(*args, **options)
        refuse_writes(function, given)
        return y

    return inner


def refuse_writes(function: Function, own: list[tuple[Any, Any]]) -> None:
    """Raise where the value of an argument is not the one any more with which it was traced."""
    for handle, value in own:
        if plain(handle) is not value:
            raise written_argument(function, handle)


# what NumPy says of a write into a read-only array: most functions, `dot`, and random generators
_READ_ONLY = ("read-only", "output array is not acceptable", "must be contiguous, writable")


def is_refused_write(error: ValueError) -> bool:
    """Whether NumPy refused to write into an array that is read-only."""
    said = str(error)
    return any(words in said for words in _READ_ONLY)


def written_argument(function: Function, value) -> InPlaceError:
    """Make the error for a function that is differentiated, and wrote into an argument."""
    got = "a write into an argument, in a function that another function or checkpoint calls"
    return InPlaceError(
        qualified_name(function),
        got,
        "write into a copy: x = x.copy()",
        operation=function,
        value=value,
    )
