"""The sweep on arrays of libraries that launch kernels: it saves writing and reading cotangents.

A pullback that is one kernel adds what it computes to what has arrived before (``pull.onto``, see
`makers.fusing`), or leaves it to the next one to sum it on the way (``pull.later``). A sum that
nobody else holds stays that when a pullback hands it on as it is, so that what arrives next is
added into it in place.
"""

from typing import Any

from chainrules_py.accumulation import Owned
from chainrules_py.strong_zeros.strictness import call_strictly
from chainrules_py.tangents import ZERO, AbstractZero
from chainrules_tape.core.sweep import hand_on, other_steps
from chainrules_tape.core.tape import FinishedTape, Operation, slots_of
from chainrules_tape.core.values import LIBRARY_ARRAYS, is_array_class

LARGE = 2**18  # entries: below, a launch costs more than writing and reading a product


def device_step(
    finished: FinishedTape, operation: Operation, y_bar: Any, bars: list[Any], is_own: bool
) -> bool:
    """Take a cotangent on a device back, where something is saved; `is_own` says that nobody else
    holds it. Returns whether that was done.
    """
    pull, residuals, parents = operation
    cls = type(y_bar)
    if cls not in LIBRARY_ARRAYS and not is_array_class(cls):
        return False
    is_alone = type(parents) is int and bars[parents if parents >= 0 else ~parents] is ZERO
    if is_alone and not is_own and y_bar.size < LARGE:
        return False

    slots = slots_of(parents)
    if not is_alone:
        onto = getattr(pull, "onto", None)
        if onto is not None and onto(residuals, y_bar, slots, bars):
            return True
    elif y_bar.size >= LARGE and is_only_summed(finished, slots[-1]):
        later = getattr(pull, "later", None)
        product = later(residuals, y_bar) if later is not None else None
        if product is not None:
            bars[slots[-1]] = product
            return True

    args_bar = call_strictly(pull, residuals, y_bar)
    # Only of rules that add, and so hand on or sum up, it is known that they keep no other
    # reference.
    if is_own and hasattr(pull, "takes_products"):
        args_bar = handed_on(args_bar, y_bar, slots, bars)
    hand_on(bars, parents, args_bar)
    return True


other_steps.append(device_step)


def is_only_summed(finished: FinishedTape, slot: int) -> bool:
    """Whether the pullback that comes next takes what arrives at this slot, for one argument, and
    sums it or hands it on.
    """
    pulls, parents = finished.pulls, finished.parents
    return (
        slot == len(pulls) - 1
        and hasattr(pulls[slot], "takes_products")
        and type(parents[-1]) is int
    )


def handed_on(args_bar: tuple[Any, ...], y_bar, slots, bars: list[Any]) -> tuple[Any, ...]:
    """The cotangents of a sum's arguments, `y_bar` as a buffer if it goes to one of them,
    unchanged, and to nobody else.
    """
    k = next((k for k, x_bar in enumerate(args_bar) if x_bar is y_bar), None)
    if k is None or type(slots[k]) is not int or bars[slots[k]] is not ZERO:
        return args_bar
    before, after = args_bar[:k], args_bar[k + 1 :]
    alone = all(
        isinstance(x_bar, AbstractZero) or x_bar.size < y_bar.size for x_bar in (*before, *after)
    )
    return (*before, Owned(y_bar), *after) if alone else args_bar
