"""The sweep: from the cotangents of results back to those of inputs, over a finished tape.

`plain_sweep` is reverse mode and nothing else; read it first. `sweep` computes that, and is what
runs. In it,

* what an operation recorded is dropped as soon as it has been used, so that memory falls;
* a pullback is called only where a cotangent has arrived. It sees that resolved: summed up, no
  thunk, no accumulator. Only pullbacks that hand cotangents on, or sum them, may see a `Product`;
* a pullback is called strictly, and where zero meets infinity in it again, in its careful form
  (`chainrules_py.strong_zeros.strictness`, whose `watch` the caller has called). Sums of
  cotangents keep the error state of the caller;
* the first cotangent of a slot is taken as it is, and further ones are added by
  `chainrules_py.accumulation`, in place where nobody else has the sum.

Cotangents that are plain arrays stay in the loop of `sweep`; all others are resolved first, and
those of other libraries offered to `other_steps`.
"""

from collections.abc import Callable, Iterable
from typing import Any

from numpy import float64, ndarray

from chainrules_py.accumulation import Owned, accumulate, accumulated
from chainrules_py.strong_zeros.strictness import (
    careful_form,
    get_state,
    latest_strictness,
    this_thread,
)
from chainrules_py.tangents import ZERO, InplaceableThunk, Product, is_zero, unthunk
from chainrules_py.tangents.plain_containers import tangents_of_parts
from chainrules_tape.core.partials import (
    MeetsNoNumber,
    carefully,
    times_partial,
    times_partial_of_two,
)
from chainrules_tape.core.tape import FinishedTape, Operation, slots_of
from chainrules_tape.core.values import AS_NUMPYS, LIBRARY_ARRAYS, resolved
from chainrules_tape.refusals.errors import InPlaceError, LostGradientError, note_caught
from chainrules_tape.refusals.handles import HANDLES, TracedArray

# Pullbacks that may write into a sum of which nobody else has the array: they get it as it is.
takes_sums: set[Any] = set()

# Other steps, for cotangents that are arrays of other libraries; each says whether it has done it.
OtherStep = Callable[[FinishedTape, Operation, Any, list[Any], bool], bool]
other_steps: list[OtherStep] = []

_pairs = zip  # of two that are as long: to compare their lengths is 50 ns less than strict=True


def plain_sweep(finished: FinishedTape, seeds: Iterable[tuple[Any, Any]]) -> list[Any]:
    """Compute the cotangents of the inputs, given those of some slots: reverse mode.

    This is for readers, and the tests hold `sweep` against it.
    """
    finished = finished.copy()
    bars: list[Any] = [ZERO] * len(finished.pulls)
    for slot, seed in seeds:
        add_cotangent(bars, slot, seed)
    while len(bars) > finished.count:
        pull, residuals, parents = finished.pop()
        y_bar = resolved(bars.pop())
        if not is_zero(y_bar):
            hand_on(bars, parents, pull(residuals, y_bar))
    return [resolved(x_bar) for x_bar in bars]


def hand_on(bars: list[Any], parents, args_bar: tuple[Any, ...]) -> None:
    """Add the cotangents of the arguments of an operation to those at their slots."""
    if type(parents) is not int and len(parents) != len(args_bar):
        raise_miscounted(parents, args_bar)
    for slots, arg_bar in zip(slots_of(parents), args_bar, strict=False):
        add_cotangent(bars, slots, arg_bar)


def add_cotangent(bars: list[Any], slots, x_bar) -> None:
    """Add the cotangent of an argument to that at its slot; of a container, part by part."""
    if type(slots) is int:
        bars[slots] = x_bar if bars[slots] is ZERO else add(bars[slots], x_bar)
    elif slots is not None:
        parts = tangents_of_parts(unthunk(x_bar), slots)
        for key, slot in slots.items():
            part = parts.get(key, ZERO)
            if type(slot) is int:  # written out: a call less for each array of a list
                bars[slot] = part if bars[slot] is ZERO else add(bars[slot], part)
            else:
                add_cotangent(bars, slot, part)


def sweep(finished: FinishedTape, seeds: Iterable[tuple[Any, Any]]) -> list[Any]:
    """Compute the cotangents of the inputs, given those of some slots, which constants have none of;
    spends the tape.
    """
    pulls, residuals_of, parents_of = finished.pulls, finished.residuals, finished.parents
    bars: list[Any] = [ZERO] * len(pulls)
    if not bars:
        return bars
    for slot, seed in seeds:
        if slot is not None:
            bars[slot] = accumulate(bars[slot], seed)

    strictness = latest_strictness[0]
    if get_state(None) is not strictness.error_state:
        strictness = this_thread.strictness
    outer = strictness.applies  # True in a sweep inside of a pullback

    parents: Any
    y_bar: Any
    args_bar: Any
    while (pull := pulls.pop()) is not None:  # inputs have none
        residuals, parents, y_bar = residuals_of.pop(), parents_of.pop(), bars.pop()
        if y_bar is ZERO:
            if pull is times_partial_of_two:
                del residuals_of[-1], parents_of[-1]
            continue

        cls = type(y_bar)
        if cls is not ndarray:
            if pull is times_partial or pull is times_partial_of_two:
                if cls is float or cls is float64:
                    if cls is not float:
                        y_bar = float(y_bar)
                    slot = len(bars)
                    while True:
                        x_bar = y_bar * residuals
                        if x_bar - x_bar != 0.0:
                            x_bar = carefully(y_bar, residuals)
                        at = slot - parents
                        acc = bars[at]
                        if acc is ZERO:
                            bars[at] = x_bar
                        else:
                            bars[at] = acc + x_bar if type(acc) is float else add(acc, x_bar)
                        if pull is times_partial:
                            break
                        residuals, parents = residuals_of.pop(), parents_of.pop()
                        pull = times_partial
                    continue
                pull, residuals, parents = finished.with_slots(pull, residuals, parents)
            if cls is float:
                y_bar, cls = float64(y_bar), float64
            # handles are values: there is nothing to be resolved, but where a program wrote into them
            if cls not in HANDLES and cls not in AS_NUMPYS:
                if cls not in LIBRARY_ARRAYS:
                    y_bar = resolved_for(pull, y_bar)
                if type(y_bar) not in AS_NUMPYS and type(y_bar) is not Owned:
                    operation = (pull, residuals, parents)
                    if is_spent(finished, operation, y_bar, bars, cls):
                        continue
            is_of_one = type(parents) is int
            if is_of_one and parents >= 0 and type(bars[parents]) is Owned:
                into = getattr(pull, "into", None)
                if into is not None and into(residuals, y_bar, bars[parents].buffer):
                    continue

        strictness.applies = True
        try:
            args_bar = pull(residuals, y_bar)
        except FloatingPointError:
            strictness.applies = outer
            args_bar = careful_form(pull)(residuals, y_bar)
        except MeetsNoNumber:
            strictness.applies = outer
            pull, residuals, parents = finished.with_slots(pull, residuals, parents)
            args_bar = careful_form(pull)(residuals, resolved(y_bar)[()])
        finally:
            strictness.applies = outer

        if type(parents) is int:  # `hand_on` written out
            if parents < 0:  # of two arguments, the first is a constant
                parents, args_bar = ~parents, args_bar[1:]
            if bars[parents] is ZERO:
                bars[parents] = args_bar[0]
            else:
                bars[parents] = add(bars[parents], args_bar[0])
        else:
            if len(parents) != len(args_bar):
                raise_miscounted(parents, args_bar)
            for slot, arg_bar in _pairs(parents, args_bar):
                if type(slot) is not int:
                    if slot is not None:
                        add_cotangent(bars, slot, arg_bar)
                elif bars[slot] is ZERO:
                    bars[slot] = arg_bar
                else:
                    bars[slot] = add(bars[slot], arg_bar)

    return [x_bar if type(x_bar) is ndarray else resolved(x_bar) for x_bar in bars]


def resolved_for(pull, y_bar) -> Any:
    """Resolve a cotangent as a pullback may see it: some take sums or products as they are."""
    cls = type(y_bar)
    if cls is Owned or issubclass(cls, InplaceableThunk):
        if pull in takes_sums:
            return y_bar
        if cls is Owned and type(y_bar.buffer) in AS_NUMPYS:
            return accumulated(y_bar)
    if issubclass(cls, Product) and hasattr(pull, "takes_products"):
        return y_bar
    return resolved(y_bar)


def is_spent(
    finished: FinishedTape, operation: Operation, y_bar, bars: list[Any], cls: type
) -> bool:
    """Whether nothing is left to do with a cotangent: it is zero, or some other step takes it back.
    `cls` is its class before it was resolved.
    """
    if type(y_bar) not in LIBRARY_ARRAYS:
        if is_zero(y_bar):
            return True
        if issubclass(type(y_bar), TracedArray):  # isinstance would ask for the class of its value
            return False
    for step in other_steps:  # noqa: SIM110 - any() with a generator takes three times as long
        if step(finished, operation, y_bar, bars, cls is Owned):
            return True
    return False


def raise_miscounted(parents, args_bar) -> None:
    """Raise: a pullback returned another number of cotangents than there are arguments."""
    raise ValueError(f"a pullback returned {len(args_bar)} cotangents for {len(parents)} arguments")


def add(acc, x_bar) -> Any:
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
        note_caught(refusal)
        return accumulate(unthunk(acc), resolved(x_bar))
