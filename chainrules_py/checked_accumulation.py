"""Accumulation that verifies its promises: for debug modes and for the test kit, at the price of a copy per arrival.

`checked_accumulate` and `checked_accumulated` stand in for `accumulate` and `accumulated`. What they hold is compared, at every
arrival and at the end, with copies taken before; so that a RuleContractError names

    a borrowed cotangent that its rule, or its receiver, wrote to after handing it over
    an owned buffer that somebody else wrote to
    an `add_into` that does not add what its thunk computes, or whose buffer has another shape or dtype than the sum
"""

from typing import Any

import numpy as np

from chainrules_py.accumulation import Owned, OwnedEntries, accumulate, accumulated
from chainrules_py.comparing import Snapshot, changes, snapshot
from chainrules_py.errors import RuleContractError
from chainrules_py.projection.dense import namespace_of
from chainrules_py.tangents.thunk import InplaceableThunk, unthunk
from chainrules_py.tangents.zero import ZERO


class Checked:
    """An accumulator, and copies of all that it holds."""

    __slots__ = ("acc", "held")

    def __init__(self) -> None:
        self.acc: Any = ZERO
        self.held: Snapshot = []

    def add(self, t: Any) -> None:
        """One more arrival."""
        self.verify()
        if isinstance(t, InplaceableThunk):
            _check_scatter(t)
        arriving = snapshot(t)
        before, self.acc = self.acc, accumulate(self.acc, t)
        borrowed = [] if isinstance(before, Owned | OwnedEntries) else self.held
        _verify(borrowed + arriving, "adding it up wrote to it", "write an add_into that writes to its buffer only")
        self.held = snapshot(self.acc)

    def verify(self) -> None:
        """Raise if anybody wrote to what is held."""
        _verify(self.held, "somebody wrote to it between two arrivals", "work on a copy: what is handed over may be shared")


def checked_accumulate(acc: Any, t: Any) -> Any:
    """`accumulate`, verified.

    >>> import numpy as np
    >>> x_bar = np.ones(2)
    >>> acc = checked_accumulate(checked_accumulate(ZERO, x_bar), x_bar)
    >>> checked_accumulated(acc)
    array([2., 2.])
    """
    checked = Checked() if acc is ZERO else acc
    checked.add(t)
    return checked


def checked_accumulated(acc: Any) -> Any:
    """`accumulated`, verified."""
    if acc is ZERO:
        return ZERO
    acc.verify()
    total, acc.held = accumulated(acc.acc), []
    return total


def _verify(held: Snapshot, got: str, instead: str) -> None:
    for array, copy in changes(held):
        raise _accumulation_error(got, instead, array, copy)


def _check_scatter(t: InplaceableThunk) -> None:
    if t.forced:
        return
    buffer, value_twice = _scattered_twice(t)
    if buffer.shape != value_twice.shape or buffer.dtype != value_twice.dtype:
        got = f"{t!r} scatters into {buffer.dtype} {buffer.shape}, computes {value_twice.dtype} {value_twice.shape}"
        raise _accumulation_error(got, "make `zeros` and `compute` agree", buffer, value_twice)
    rounding = max(1e-5, 100 * float(np.finfo(buffer.dtype).eps))  # repeated entries may add up in another order
    if not namespace_of(buffer).allclose(buffer, value_twice, rtol=rounding, equal_nan=True):
        raise _accumulation_error(
            f"{t!r} does not add what it computes", "make `add_into` and `compute` agree", buffer, value_twice
        )


def _scattered_twice(t: InplaceableThunk) -> tuple[Any, Any]:
    # Twice, because on zeros assigning looks like adding; before the value is computed, which lets the scatter go.
    buffer = t.zeros()
    t.add_into(buffer)
    t.add_into(buffer)
    return buffer, 2 * unthunk(t)


def _accumulation_error(got: str, instead: str, value: Any, expected: Any) -> RuleContractError:
    where = "accumulating cotangents"
    return RuleContractError(where, got, instead, rule=None, location=None, argument=None, value=value, expected=expected)
