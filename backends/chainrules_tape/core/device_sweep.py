"""What a sweep does where arrays are a library's that launches kernels: it saves the writing and
reading of cotangents.

A pullback that is one kernel adds what it computes to what has arrived before (``pull.onto``, see
`makers.fusing`), or leaves it to the next one to sum it on the way (``pull.later``). A sum that
nobody else holds stays that when a pullback hands it on as it is, so that what arrives next is
added into it in place.
"""

from typing import TYPE_CHECKING, Any

from chainrules_py.accumulation import Owned
from chainrules_py.strong_zeros.float_errors import STRICT
from chainrules_py.strong_zeros.strictness import careful_form
from chainrules_py.tangents import ZERO, AbstractZero
from chainrules_py.values.arrays import library_of
from chainrules_tape.refusals.handles import TracedArray

if TYPE_CHECKING:
    from chainrules_tape.core.tape import FinishedTape

Step = tuple[Any, Any, Any]  # of a tape: the pullback, what it kept, and where the cotangents go
LARGE = 2**18  # entries: below, a launch costs more than writing and reading a product

# the classes that were met: asking whether one is such a class costs a tenth of a launch
device_arrays: set[type] = set()


def is_array_class(cls: type) -> bool:
    """Whether a class is some library's own array class, and not a traced value's."""
    library = library_of(cls)
    return library is not None and cls in library.array_types and not issubclass(cls, TracedArray)


def is_alone(parent: Any, bars: list[Any]) -> bool:
    """Whether a pullback gives one cotangent, to a value that has none yet: of a small one nothing
    is saved.
    """
    return type(parent) is int and bars[parent if parent >= 0 else ~parent] is ZERO


def pulled_on_device(
    recording: "FinishedTape", step: Step, y_bar: Any, bars: list[Any], is_own: bool
) -> Any:
    """The cotangents of the arguments, or None where they have been added to `bars`; nobody else
    holds `y_bar` if `is_own`.
    """
    pull, residuals, parent = step
    slots = parent if type(parent) is not int else (parent,) if parent >= 0 else (None, ~parent)
    if not is_alone(parent, bars):
        onto = getattr(pull, "onto", None)
        if onto is not None and onto(residuals, y_bar, slots, bars):
            return None
    elif y_bar.size >= LARGE and is_only_summed(recording, slots[-1]):
        later = getattr(pull, "later", None)
        product = later(residuals, y_bar) if later is not None else None
        if product is not None:
            bars[slots[-1]] = product
            return None
    args_bar = called_strictly(pull, residuals, y_bar)
    # Only of rules that add, and so hand on or sum up, it is known that they keep no other
    # reference.
    return (
        handed_on(args_bar, y_bar, slots, bars)
        if is_own and hasattr(pull, "takes_products")
        else args_bar
    )


def called_strictly(pull: Any, residuals: Any, y_bar: Any) -> Any:
    """What a pullback returns; by its careful form where zero meets infinity in it, or where it is
    never called strictly.
    """
    args_bar: Any = STRICT  # until it is known
    try:
        args_bar = pull(residuals, y_bar)
    except FloatingPointError:
        args_bar = None
        args_bar = careful_form(pull)(residuals, y_bar)
    return args_bar


def is_only_summed(recording: "FinishedTape", slot: int) -> bool:
    """Whether the pullback that comes next takes what arrives at this slot, for one argument, and
    sums it or hands it on.
    """
    pulls, parents = recording.pulls, recording.parents
    return (
        slot == len(pulls) - 1
        and hasattr(pulls[slot], "takes_products")
        and type(parents[slot]) is int
    )


def handed_on(
    args_bar: tuple[Any, ...], y_bar: Any, slots: Any, bars: list[Any]
) -> tuple[Any, ...]:
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
