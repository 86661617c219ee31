"""Marks of plain arrays: some of their entries, by which a pullback sees what was overwritten.

A mark is made where a copy would take longer. It holds at least `ENTRIES` entries, evenly spread:
what was overwritten is seen unless these are what they were.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from chainrules_py.checks.contract import contract_error
from chainrules_py.checks.guards import is_proven
from chainrules_py.errors import OverwrittenError
from chainrules_py.rules.rule import Rule
from chainrules_py.strong_zeros.strictness import careful_form

# entries, up to which a copy takes less time (0.4 us for 4096) than a mark that is compared later
# (2 us)
SMALL = 8192
FEW = 64  # entries, up to which the copy is not worth being shared with the next operation
# constants per rule, of which copies are shared: a loop that uses a matrix again keeps it once
REMEMBERED = 4
ENTRIES = 256  # at least so many make a mark


class Mark(NamedTuple):
    """Entries of a large constant as a rule was given it; `argument` is its position or name."""

    array: np.ndarray
    entries: bytes
    argument: Any


class Latest:
    """The constants that a rule kept last: while nobody writes to them, copies and marks are kept
    once, not per use.

    Copies are shared by rules of this library only: others may hand one on as a part of their
    value, into which people write.
    """

    __slots__ = ("copies", "entries", "unshared")

    def __init__(self, rule: Rule) -> None:
        self.unshared = FEW if is_proven(rule) else SMALL  # entries
        self.copies: dict[int, tuple[bytes, Any, Any, Any, np.ndarray]] = {}
        self.entries = b""

    def own(self, array: np.ndarray) -> np.ndarray:
        """Copy a small array, in the same order of entries."""
        if array.size <= self.unshared:
            return np.ndarray.copy(array, "K")  # its class may copy in another way
        held, known = array.tobytes(), self.copies.get(id(array))
        if known is not None:
            held_then, shape, strides, dtype, shared = known
            if (
                held == held_then
                and array.shape == shape
                and array.strides == strides
                and array.dtype == dtype
            ):
                return shared
        copy = np.ndarray.copy(array, "K")
        if len(self.copies) >= REMEMBERED:
            self.copies = {}
        self.copies[id(array)] = (held, array.shape, array.strides, array.dtype, copy)
        return copy

    def mark(self, array: np.ndarray, argument) -> Mark:
        """Make the mark of a large array."""
        entries, known = some_entries(array), self.entries
        if entries == known:
            entries = known
        else:
            self.entries = entries
        return Mark(array, entries, argument)


def some_entries(array: np.ndarray) -> bytes:
    """Return the entries of a small array, or at least `ENTRIES` of those of a large one, evenly
    spread; as bytes, so that nan equals nan.
    """
    if array.size <= SMALL:
        return array.tobytes()
    flat: Any = array.flat
    if type(array) is np.ndarray and array.flags.forc:
        flat = array.reshape(-1, order="A")
    return flat[:: step_through(array.size)].tobytes()


@cache
def step_through(size: int) -> int:
    """Return a prime step through the entries of a large array, so that it meets all columns of a
    matrix in turn.
    """
    step = max(size // ENTRIES, 2)
    while any(step % divisor == 0 for divisor in range(2, int(step**0.5) + 1)):
        step -= 1
    return step


class Watch:
    """Makes the pullbacks of a rule compare marks first; one function for each of its pullbacks,
    not for each call.
    """

    __slots__ = ("pulls", "rule")

    def __init__(self, rule: Rule) -> None:
        self.rule, self.pulls = rule, dict[Any, Any]()

    def over(self, y, pull, residuals, marks: list[Mark]) -> tuple[Any, Any, Any]:
        """Replace the pullback among the results of a stage by one that compares first."""
        if pull is None:
            return y, pull, residuals
        watching = self.pulls.get(pull)
        if watching is None:
            watching = self.pulls[pull] = watching_pull(self.rule, pull)
        return y, watching, (residuals, *marks)


def watching_pull(rule: Rule, pull) -> Any:
    """Make a pullback that raises where a constant that it reads was overwritten, as far as the
    mark tells.
    """
    reads_arguments: Callable[[Any, Any], bool] = getattr(
        pull, "reads_arguments", lambda residuals, y_bar: True
    )

    def pull_if_unchanged(watched, y_bar):
        residuals, *marks = watched
        for array, entries, argument in marks:
            if some_entries(array) != entries and reads_arguments(residuals, y_bar):
                raise_overwritten(rule, array, argument)
        return pull(residuals, y_bar)

    if careful_form(pull) is not pull:
        pull_if_unchanged.careful = lambda watched, y_bar: careful_form(pull)(watched[0], y_bar)  # type: ignore[attr-defined]
    if hasattr(pull, "takes_products"):
        pull_if_unchanged.takes_products = True  # type: ignore[attr-defined]
    return pull_if_unchanged


def raise_overwritten(rule: Rule, array: np.ndarray, argument) -> None:
    """Raise: a large constant was overwritten before the pullback was called."""
    what = f"argument {argument}" if isinstance(argument, int) else f"option {argument!r}"
    raise contract_error(
        rule,
        argument,
        f"{what}, an array of shape {array.shape}, was overwritten after the rule had run, and"
        " before its pullback",
        "write into a copy (buffer = buffer.copy()), or make a new array each time",
        array,
        "what it held",
        OverwrittenError,
    )
