"""Searches: loops that find a number by comparisons alone, as a bisection does, so that the number has no derivative.

The derivative of such a program is zero, and that of what it finds is not. A search is told by its decisions, comparisons and
signs of traced numbers: they are many at one place, and come ever closer to a tie. Where an argument steered a search, and what
was differentiated has a derivative of zero with respect to it, that is an error. Decisions are noted while packages are seen
through (`chainrules_tape.seeing.decisions`); other programs pay nothing for it.
"""

from collections import deque
from collections.abc import Iterable
from types import FrameType
from typing import Any, NoReturn

import numpy as np

from chainrules_py.tangents import AbstractTangent, is_zero
from chainrules_tape.core.errors import LostGradientError
from chainrules_tape.core.handles import TracedArray, plain
from chainrules_tape.core.sweep import sweep
from chainrules_tape.core.tape import FinishedTape

_FEWEST, _LAST = 16, 8  # decisions of a search, and how many of them have to be close
_CLOSE, _CLOSEST = 2e-3, 1e-5  # to a tie, relative to the farthest: all of the last ones, and one of them


class Decisions:
    """The decisions at one place of a program: how many, how far from a tie, and which values were compared last."""

    def __init__(self, frame: FrameType) -> None:
        self.function, self.module = frame.f_code.co_qualname, frame.f_globals.get("__name__", "")
        self.code, self.line = frame.f_code, frame.f_lineno
        self.count, self.farthest, self.last = 0, 0.0, deque[float]((), _LAST)
        self.operands: tuple[Any, ...] = ()

    @property
    def are_a_search(self) -> bool:
        """Whether they are many, and came closer and closer to a tie."""
        farthest = self.farthest
        return self.count >= _FEWEST and max(self.last) < _CLOSE * farthest and min(self.last) < _CLOSEST * farthest


def note_decision(level: Any, frame: FrameType, distance: float, *operands: Any) -> None:
    """Note, at the level that traces it, how far from a tie the numbers are that somebody compares in a frame."""
    place = id(frame.f_code), frame.f_lasti  # by identity, because the hash of a code reads all of it
    if level.searches is None:
        level.searches = {}
    try:
        decisions = level.searches[place]
    except KeyError:
        decisions = level.searches[place] = Decisions(frame)
    decisions.count += 1
    decisions.operands = operands
    decisions.last.append(distance)
    if distance > decisions.farthest:
        decisions.farthest = distance


def swept_with_searches(recording: FinishedTape, pairs: list[tuple[int, Any]]) -> list[Any]:
    """Sweep; raise where an input that steered a search has a cotangent of zero."""
    found = [decisions for decisions in recording.searches.values() if decisions.are_a_search]
    steering = [(decisions, inputs_of(recording, map(slot_of, decisions.operands))) for decisions in found]
    bars = sweep(recording, pairs)
    for decisions, inputs in steering:
        for slot in inputs:
            if is_all_zero(bars[slot]):
                raise_search(decisions)
    return bars


def require_tangents(level: Any, tangents: Iterable[Any]) -> None:
    """Raise in forward mode where a search was steered by what is differentiated, and the result has no derivative."""
    found = [decisions for decisions in level.searches.values() if decisions.are_a_search]
    if found and all(map(is_all_zero, tangents)):
        raise_search(found[0])


def is_all_zero(tangent: Any) -> bool:
    """Whether a tangent is zero, as one of no derivative at all or in each entry."""
    return is_zero(tangent) or not (isinstance(tangent, AbstractTangent) or np.any(plain(tangent)))


def raise_search(decisions: Decisions) -> NoReturn:
    """Raise: a search has a derivative of zero, and what it finds has another one."""
    package = decisions.module.partition(".")[0]
    place = f"{decisions.function} of {decisions.module}" if package else decisions.function
    raise LostGradientError(
        f"{place} ({decisions.code.co_filename}:{decisions.line})",
        f"a search by {decisions.count} comparisons or signs, which come ever closer to a tie: what it finds depends on what is"
        " differentiated, and the program's derivative is zero",
        "say which equation it solves, by chainrules_py.implicit_function(solver, residual), and call that in its place; or"
        " give it stop_gradient(x), if a constant is meant",
        operation=decisions.function,
        value=None,
    )


def slot_of(operand: Any) -> int | None:
    """The slot of a handle on a tape."""
    return operand.slot if issubclass(type(operand), TracedArray) and hasattr(operand, "slot") else None


def inputs_of(recording: FinishedTape, slots: Iterable[int | None]) -> list[int]:
    """The inputs that some values were computed of."""
    waiting, seen = [slot for slot in slots if slot is not None], set[int]()
    while waiting:
        slot = waiting.pop()
        if slot not in seen:
            seen.add(slot)
            waiting += parents_in(recording.parents[slot])
    return sorted(slot for slot in seen if slot < recording.count)


def parents_in(parents: Any) -> list[int]:
    """The slots that an entry of a tape names as its parents."""
    if parents is None:
        return []
    if isinstance(parents, int):
        return [parents if parents >= 0 else ~parents]
    parts = parents.values() if isinstance(parents, dict) else parents
    return [slot for part in parts for slot in parents_in(part)]
