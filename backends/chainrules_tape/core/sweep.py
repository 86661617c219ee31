"""The sweep: from the cotangents of results back to those of inputs, over a finished tape.

Each entry is visited once, last first. What it kept is dropped as soon as it has been used, so that
memory falls as it goes. A pullback is called only where a cotangent has arrived, and sees it
settled: summed up, no thunk, no accumulator. Only those that hand cotangents on, or sum them, may
see a `Product`.

Pullbacks are called strictly (see `chainrules_py.strong_zeros.strictness`, whose `watch` the caller has called):
one in which zero meets infinity is called again, in its careful form. Sums of cotangents and
everything else here keep the error state of the caller.
"""

from collections.abc import Iterable
from typing import Any

from numpy import float64, ndarray

from chainrules_py.accumulation import Owned, accumulate, accumulated
from chainrules_py.strong_zeros.float_errors import STRICT
from chainrules_py.strong_zeros.strictness import careful_form
from chainrules_py.tangents import ZERO, InplaceableThunk, Product, is_zero, unthunk
from chainrules_py.tangents.plain_containers import tangents_of_parts
from chainrules_tape.core.device_sweep import (
    LARGE,
    Step,
    device_arrays,
    is_alone,
    is_array_class,
    pulled_on_device,
)
from chainrules_tape.core.tape import FinishedTape
from chainrules_tape.core.values import finished_cotangent
from chainrules_tape.refusals.errors import InPlaceError, LostGradientError, forget_refusal
from chainrules_tape.refusals.handles import TracedArray

# pullbacks that may write into a sum, of which nobody else has the array: they get it unopened
takes_sums: set[Any] = set()
_pairs = zip  # of two that are as long: to compare their lengths is 50 ns less than strict=True


def sweep(recording: FinishedTape, seeds: Iterable[tuple[int, Any]]) -> list[Any]:
    """The cotangents of the inputs, given those of some slots; spends the recording, freeing what
    was kept as it goes.
    """
    pulls, kept, parents, count = (
        recording.pulls,
        recording.kept,
        recording.parents,
        recording.count,
    )
    bars: list[Any] = [ZERO] * len(pulls)
    near: Any = None
    args_bar: Any
    for slot, seed in seeds:
        bars[slot] = accumulate(bars[slot], seed)
    for _ in range(len(pulls) - count):
        pull, residuals, parent, y_bar = pulls.pop(), kept.pop(), parents.pop(), bars.pop()
        if y_bar is ZERO:
            continue
        cls = type(y_bar)
        if cls is ndarray or cls is float64:
            args_bar = STRICT  # until it is known
            try:
                args_bar = pull(residuals, y_bar)
            except FloatingPointError:
                args_bar = None
                args_bar = careful_form(pull)(residuals, y_bar)
        else:
            args_bar, near = pulled(recording, (pull, residuals, parent), y_bar, bars, near)
            if args_bar is None:
                continue
        if type(parent) is int:
            if parent < 0:
                parent, args_bar = ~parent, args_bar[1:]
            if bars[parent] is ZERO:
                bars[parent] = args_bar[0]
            else:
                bars[parent] = add(bars[parent], args_bar[0])
        else:
            if len(parent) != len(args_bar):
                raise_miscounted(parent, args_bar)
            for slot, arg_bar in _pairs(parent, args_bar):
                if type(slot) is not int:
                    if slot is not None:
                        distribute(bars, slot, arg_bar)
                elif bars[slot] is ZERO:
                    bars[slot] = arg_bar
                else:
                    bars[slot] = add(bars[slot], arg_bar)
    totals = map(accumulated, bars)
    return [
        x_bar if type(x_bar) is ndarray else finished_cotangent(x_bar, near) for x_bar in totals
    ]


def pulled(
    recording: FinishedTape, step: Step, y_bar: Any, bars: list[Any], near: Any
) -> tuple[Any, Any]:
    """The cotangents of the arguments, given one that is no plain array, and the traced one that
    was met last.

    None in place of cotangents says that there is nothing to hand on, or that it has been added to
    `bars`.
    """
    pull, residuals, parent = step
    cls = type(y_bar)
    is_taken = pull in takes_sums and (cls is Owned or issubclass(cls, InplaceableThunk))
    if cls is Owned and type(y_bar.buffer) is ndarray:
        y_bar = y_bar if is_taken else accumulated(y_bar)
    elif (
        not is_taken
        and cls not in device_arrays
        and not (issubclass(cls, Product) and hasattr(pull, "takes_products"))
    ):
        y_bar = finished_cotangent(y_bar, near)
        if is_zero(y_bar):
            return None, near
        if issubclass(cls, TracedArray):  # isinstance would ask for the class of its value
            near = y_bar
        elif is_array_class(cls):
            device_arrays.add(cls)
    if type(y_bar) in device_arrays and (
        cls is Owned or y_bar.size >= LARGE or not is_alone(parent, bars)
    ):
        return pulled_on_device(recording, step, y_bar, bars, cls is Owned), near
    args_bar: Any = STRICT  # until it is known
    try:
        args_bar = pull(residuals, y_bar)
    except FloatingPointError:
        args_bar = None
        args_bar = careful_form(pull)(residuals, y_bar)
    return args_bar, near


def raise_miscounted(parent: Any, args_bar: Any) -> None:
    """Raise where a pullback returned another number of cotangents than there are arguments."""
    raise ValueError(f"a pullback returned {len(args_bar)} cotangents for {len(parent)} arguments")


def add(acc: Any, x_bar: Any) -> Any:
    """Accumulate; a cotangent that is traced at an outer level is never written into a plain
    buffer.
    """
    try:
        return accumulate(acc, x_bar)
    except (InPlaceError, LostGradientError, ValueError) as error:
        # Of a number that it cannot write into an array NumPy says that it is a sequence; what
        # refused it is the cause.
        refusal = error.__cause__ if isinstance(error, ValueError) else error
        if not isinstance(refusal, InPlaceError | LostGradientError):
            raise
        if isinstance(refusal, LostGradientError):
            forget_refusal(refusal.value)
        return accumulate(unthunk(acc), finished_cotangent(x_bar))


def distribute(bars: list[Any], slots: dict[Any, Any], container_bar: Any) -> None:
    """Hand the cotangent of a container to the slots of its parts."""
    parts = tangents_of_parts(unthunk(container_bar), slots)
    for key, slot in slots.items():
        if type(slot) is int:
            part_bar = parts.get(key, ZERO)
            bars[slot] = part_bar if bars[slot] is ZERO else add(bars[slot], part_bar)
        else:
            distribute(bars, slot, parts.get(key, ZERO))
