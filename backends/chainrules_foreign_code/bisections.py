"""Refuse searches by comparisons, and say where a branch or a step loses the derivative of a number.

A search is a loop that finds a number by comparisons alone, as a bisection does, so that the number
has no derivative. It is told by its decisions at one place, comparisons and signs of traced numbers:
they are many, and come ever closer to a tie. It is an error

* where an argument moved what was compared, and has a derivative of zero;
* where the distance to the tie, the change of an argument that would make it one, shrank to
  nothing, and in few steps. A converging iteration, too, compares numbers that come together, but
  these keep together when the argument moves: where the derivative of what is found is right, the
  difference has none, and the distance to the tie stays as long. Its numbers are compared until the
  answer is another one, once, and those of a bisection have either answer again and again.

A branch for one number, ``if x == 0.0``, has the derivative of its own lines. It is an error where
an entry of an argument moves x, and these lines leave it with a derivative of zero; and where they
leave a constant, of whatever depends on an argument: x may be a square, which moves at second order.
What a mask leaves out, ``np.where(x == 0.0, 1.0, f(x))``, has no part in the result by intention: an
entry that moves it is not lost, unless Python itself went by the comparison.

Steps that clean up digits, ``int(x * 1e9) / 1e9``, cut off a derivative that is meant: an error.

Entries of an array that are equal to a constant, ``np.where(x == 0.0, ...)``, and numbers that
``int(x)`` and its like cut into steps may be meant to be constant. Where an entry of an argument
moves one of them, and the gradient of a number is zero for this entry, that is a warning.

Decisions are noted while packages are seen through (`chainrules_foreign_code.decisions`); other
programs pay nothing for it. That numbers are equal is noted of all (`core.dispatch`).
"""

import warnings
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from types import FrameType
from typing import Any, NamedTuple, NoReturn

import numpy as np

from chainrules_foreign_code.lanes import beneath_lanes, in_all_lanes
from chainrules_py.annotations import Args
from chainrules_py.errors import ChainRulesError
from chainrules_py.introspection import frame_above, is_decided_on, place_in_code
from chainrules_py.tangents import ZERO, AbstractTangent, is_zero
from chainrules_py.values.arrays import as_known
from chainrules_tape.core.sweep import sweep
from chainrules_tape.core.tape import FinishedTape
from chainrules_tape.refusals.errors import LostGradientError, LostGradientWarning
from chainrules_tape.refusals.handles import TracedArray, plain
from chainrules_tape.series.level import SeriesHandle

_FEWEST = 16  # decisions of a search
_LAST = 8  # of them, which have to be close to a tie
_CLOSE = 2e-3  # how close all of the last ones are, relative to the farthest
_CLOSEST = 1e-5  # how close one of them is
_SHORT = 1e-3  # how short the distances to a tie of all of the last ones are, relative to the first
_SHORTEST = 1e-6  # how short one of them is
_FAR = 1e-2  # from here on a decision is far from a tie, which at most half of them are
_FIRST = 4  # decisions before a search comes closer
_STILL = 1e-14  # a derivative that has vanished, relative to the first
_RARER = 2  # how often numbers of a search have the rarer of the two answers, at least
_MOST = 1000  # values that are noted of one place where entries become constant


class ConstantEntries(NamedTuple):
    """Entries of a traced value that a program made constant: slot, shape, and which entries.

    `entries` is True for all of them.
    """

    slot: int
    shape: tuple[int, ...]
    entries: Any

    def seed(self, size: float) -> tuple[int, Any]:
        """A cotangent of these entries alone."""
        return self.slot, np.where(self.entries, np.full(self.shape, size), 0.0)[()]


class Decisions:
    """The decisions at one place of a program: their number, and their distances from a tie."""

    def __init__(self, frame: FrameType) -> None:
        self.function = frame.f_code.co_qualname
        self.module = frame.f_globals.get("__name__", "")
        self.code, self.line = frame.f_code, frame.f_lineno
        self.count, self.far, self.farthest = 0, 0, 0.0
        self.above, self.below = 0, 0  # how often the first number was the larger one, and not
        self.first: list[tuple[Any, ...]] = []  # values that were compared
        self.last = deque[tuple[float, tuple[Any, ...]]]((), _LAST)
        self.is_recorded = False
        self.constants: list[ConstantEntries] = []
        self.is_constant_moved = False  # in forward mode, whether one of these has a tangent
        self.waiting: list[tuple[Any, Any]] = []  # values of series, and entries that are constants
        self.reason = ""
        self.cuts_digits = False  # whether steps were as fine as roundoff
        self.branch: float | None = None  # the number for which there are lines of their own
        self.is_of_constant = False  # whether that is a constant, not another traced number
        self.may_be_mask = False  # whether Python did not go by it at once

    def are_a_search(self) -> bool:
        """Whether there are many decisions, ever closer to a tie."""
        farthest = float(as_known(self.farthest))
        if self.count < _FEWEST or min(self.above, self.below) < _RARER or not farthest:
            return False
        distances = [distance / farthest for distance, _ in self.last]
        return are_short(distances, _CLOSE, _CLOSEST)

    def refuse(self, derivatives: Callable[[Any], list[Any]], bars: list[Any]) -> None:
        """Raise if the search loses a derivative, or its distances to a tie shrank to zero.

        `derivatives` are those of the difference of two operands, by each input, and `bars` those
        of the result. A program that is recorded does not ask for them.
        """
        if self.is_recorded:
            raise_search(self)
        slopes = [
            derivatives(operands) for operands in (*self.first, *(each for _, each in self.last))
        ]
        lost = [k for k, bar in enumerate(bars) if is_all_zero(bar)]
        if any(largest_entry(each[k]) for each in slopes for k in lost):
            raise_search(self)
        if 2 * self.far > self.count:  # steps through a table, or through time
            return
        for of_input in zip(*slopes, strict=True):
            sizes = list(map(largest_entry, of_input))
            first = max(sizes[:_FIRST])
            distances = [
                distance / self.farthest * first / size if size > _STILL * first else 1.0
                for (distance, _), size in zip(self.last, sizes[_FIRST:], strict=True)
            ]
            if are_short(distances, _SHORT, _SHORTEST):
                raise_search(self)

    def note_constant(self, x, entries) -> None:
        """Note that a program made entries of a traced value constant; True means all."""
        if isinstance(x, SeriesHandle):
            self.waiting.append((x, entries))
        elif x.level.mode == "forward":
            self.is_constant_moved |= is_moved(x, entries)
        else:
            self.constants.append(ConstantEntries(x.slot, x.shape, entries))

    @property
    def has_many_constants(self) -> bool:
        """Whether enough is noted to tell that constants lose a derivative."""
        count = len(self.constants) + len(self.waiting)
        return self.is_constant_moved or count >= _MOST


class NotedDecisions(dict[Hashable, Decisions]):
    """The decisions at a level, by place.

    A tape sweeps through this, and forward mode has it check the tangents of the result.
    """

    left_out: Decisions | None = None  # what masks leave out, after a comparison that may be one

    def notes(self, primal) -> bool:
        """Whether the level itself notes an operation: masks, and what `noting_levels` does."""
        return primal is np.where

    def answer(self, level, primal, args: Args) -> Any:
        """Note what a mask leaves out; `noting_levels` notes other operations."""
        if len(args) == 3:
            condition = np.asarray(as_known(plain(beneath_lanes(args[0]))), bool)
            for x, is_out in ((args[1], ~condition), (args[2], condition)):
                if level.owns(x) and is_out.any() and (is_out.all() or is_out.shape == x.shape):
                    self.left_out = self.left_out or Decisions(frame_above(1))
                    if level.mode == "reverse":  # in forward mode, what it owns has a tangent
                        self.left_out.note_constant(x, True if is_out.all() else is_out)
        return NotImplemented

    def sweep(self, recording: FinishedTape, seeds: Iterable[tuple[Any, Any]]) -> list[Any]:
        """Sweep, and check what was noted: raise for cut digits and for a search, and raise or warn
        if an input of a constant has a zero cotangent. Results of which nobody asks, whose
        cotangents are zero, as of other entries of a batch, tell nothing.
        """
        self.require_digits()
        seeds = list(seeds)
        pairs = [(slot, seed) for slot, seed in seeds if slot is not None]
        is_constant = not (pairs or all(is_all_zero(seed) for _, seed in seeds))
        searches = [decisions for decisions in self.values() if decisions.are_a_search()]
        is_of_one = is_of_a_number(pairs)
        noted = [
            decisions
            for decisions in self.values()
            if decisions.constants and (is_of_one or decisions.branch is not None)
        ]
        if not (searches or noted) or (pairs and all(is_all_zero(bar) for _, bar in pairs)):
            return sweep(recording, pairs)
        spare = recording.copy()
        bars = sweep(recording, pairs)
        for decisions in searches:
            decisions.refuse(lambda operands: sweep(spare.copy(), seeds_of(operands)), bars)
        if any(map(has_zeros, bars)):
            out = slopes_of_constants(spare, self.left_out) if self.left_out else []
            for decisions in noted:
                slopes = slopes_of_constants(spare, decisions)
                is_branch = is_constant and decisions.is_of_constant
                is_moved_by = is_branch and not all(map(is_zero, slopes))
                unmasked = [ZERO] * len(slopes)
                masked = out if out and decisions.may_be_mask else unmasked
                if is_moved_by or any(map(is_lost, slopes, bars, masked)):
                    tell_of_constants(decisions)
                elif self.notes(np.equal) and any(map(is_lost, slopes, bars, unmasked)):
                    warn_of_constants(decisions)
        return bars

    def require_digits(self) -> None:
        """Raise if steps as fine as roundoff cut off digits of a traced value."""
        for decisions in self.values():
            if decisions.cuts_digits:
                raise_lost(
                    decisions,
                    f"{decisions.reason}, which clean up digits and cut off its derivative",
                    "leave out what cuts off digits; or pass it stop_gradient(x), if a constant is"
                    " meant",
                )

    def require_tangents(self, tangents: Iterable[Any], has_tangents: bool) -> None:
        """Check what was noted in forward mode: raise for cut digits and for a search, and raise or
        warn if the tangent of a constant's input is missing in the result, which may have no
        tangent at all.
        """
        self.require_digits()

        def slopes(operands) -> list[Any]:
            return [sum(sign * plain(tangent_of(x)) for x, sign in own_operands(operands))]

        searches = [each for each in self.values() if each.are_a_search()]
        moved = [
            each
            for each in self.values()
            if each.is_constant_moved or any(is_moved(*noted) for noted in each.waiting)
        ]
        if has_tangents and all(map(is_zero, tangents)):
            moved += [each for each in self.values() if each.is_of_constant]
        masked = [each for each in moved if each.may_be_mask and self.left_out is not None]
        moved = [each for each in moved if each not in masked]
        is_nothing_left = bool(searches or moved) and all(map(is_all_zero, tangents))
        for decisions in searches:
            decisions.refuse(slopes, [ZERO] if is_nothing_left else [])
        if moved and is_nothing_left and has_tangents:
            branches = [each for each in moved if each.branch is not None]
            tell_of_constants((branches or moved)[0])
        elif masked and self.notes(np.equal) and all(map(is_all_zero, tangents)):
            warn_of_constants(masked[0])


def are_short(distances: list[float], all_of_them: float, one_of_them: float) -> bool:
    """Whether all of some numbers are below a bound, and one of them is below another."""
    return max(distances) < all_of_them and min(distances) < one_of_them


def note_decision(
    level,
    frame: FrameType,
    distance: Any,
    sides: tuple[bool, bool],
    operands: tuple[Any, ...],
    is_recorded: bool = False,
) -> None:
    """Note the distance from a tie of two numbers that code in a frame compares.

    It is noted at the level that traces them. `sides` are whether the first number, or an entry of
    it, is above the second, and whether one is not. A program that records the distance hands its
    call over where that is very short.
    """
    decisions = decisions_at(level, frame)
    decisions.count += 1
    decisions.above += sides[0]
    decisions.below += sides[1]
    decisions.is_recorded |= is_recorded
    known = float(as_known(distance))
    decisions.last.append((known, operands))
    if decisions.is_recorded:
        decisions.farthest = np.maximum(decisions.farthest, distance)
    elif known > decisions.farthest:
        decisions.farthest = known
    decisions.far += known > _FAR * as_known(decisions.farthest)
    if decisions.count <= _FIRST:
        decisions.first.append(operands)
    if decisions.is_recorded and decisions.count >= _FEWEST:
        bool(distance < _CLOSEST * decisions.farthest)


def note_branch(level, frame: FrameType, x, constant: float, is_of_constant: bool) -> None:
    """Note that code found a traced number equal to a constant."""
    decisions = decisions_at(level, frame)
    decisions.branch = constant
    decisions.is_of_constant |= is_of_constant
    decisions.may_be_mask = not is_decided_on(frame)
    decisions.note_constant(x, True)
    decisions.reason = f"x == {constant:.6g}, a branch for this number alone"
    if decisions.may_be_mask and type(level.stages) is not SlowMasks:
        level.stages = SlowMasks(level.stages)


class SlowMasks(dict[Any, Any]):
    """Replaces the `stages` of a level: finds the same, except for masks, which are noted."""

    def __init__(self, stages) -> None:
        super().__init__()
        self.stages = stages

    def __missing__(self, key) -> Any:
        is_mask = type(key) is tuple and key[1] is np.where
        found = None if is_mask else self.stages[key]
        super().__setitem__(key, found)
        return found

    def __setitem__(self, key, stage) -> None:
        self.stages[key] = stage

    def clear(self) -> None:
        """Forget what was found, there, too."""
        super().clear()
        self.stages.clear()


def note_constant_entries(
    x, entries, frame: FrameType, reason: str, *, cuts_digits: bool = False
) -> None:
    """Note that a program makes entries of a traced value constant, and why."""
    x, entries = beneath_lanes(x), beneath_lanes(entries)
    if not issubclass(type(x), TracedArray):
        return
    decisions = decisions_at(x.level, frame)
    decisions.reason = reason
    decisions.cuts_digits |= cuts_digits
    if not decisions.has_many_constants:
        is_whole = np.shape(entries) != x.shape or in_all_lanes(entries)
        decisions.note_constant(x, True if is_whole else entries)


def is_moved(x, entries) -> bool:
    """Whether entries of a value in forward mode have a tangent; True stands for all of them."""
    x_dot = tangent_of(x)
    if is_zero(x_dot) or entries is True:
        return bool(largest_entry(x_dot))
    return bool(largest_entry(np.where(entries, x_dot, 0.0)))


def tangent_of(x) -> Any:
    """The tangent of a value in forward mode: of a series, its first coefficient."""
    if not isinstance(x, SeriesHandle):
        return x.tangent
    coefficients = x.level.series(x)
    return coefficients[1] if len(coefficients) > 1 else ZERO


def decisions_at(level, frame: FrameType) -> Decisions:
    """The decisions at the place where a frame is."""
    place = place_in_code(frame)
    if level.decisions is None:
        level.decisions = NotedDecisions()
    try:
        found: Decisions = level.decisions[place]
    except KeyError:
        found = level.decisions[place] = Decisions(frame)
    return found


def is_of_a_number(pairs: list[tuple[int, Any]]) -> bool:
    """Whether a sweep is that of one number, or of a constant.

    Of one of several results, much has a derivative of zero.
    """
    return not pairs or (len(pairs) == 1 and np.shape(plain(pairs[0][1])) == ())


def largest_entry(tangent) -> float:
    """The largest entry of a tangent, in absolute value."""
    if isinstance(tangent, AbstractTangent):
        return 0.0
    return float(np.max(np.abs(plain(tangent)), initial=0.0))


def own_operands(operands: tuple[Any, ...]) -> list[tuple[Any, float]]:
    """The operands of a decision that belong to the level of the first one, with signs.

    The signs are those in the difference of the two.
    """
    level = operands[0].level
    return [
        (x, sign)
        for x, sign in zip(operands, (1.0, -1.0), strict=True)
        if getattr(x, "level", None) is level
    ]


def seeds_of(operands: tuple[Any, ...]) -> list[tuple[int, Any]]:
    """The cotangents whose sweep gives the derivative of the difference of two operands."""
    return [(x.slot, np.full(x.shape, sign, x.dtype)[()]) for x, sign in own_operands(operands)]


def slopes_of_constants(recording: FinishedTape, decisions: Decisions) -> list[Any]:
    """Cotangents that show which inputs change an entry that became constant; none if something has
    no derivative. No two of them cancel.
    """
    seeds = [each.seed(unequal(k)) for k, each in enumerate(decisions.constants)]
    try:
        return sweep(recording.copy(), seeds)
    except ChainRulesError:
        return []


def unequal(k: int) -> float:
    """Numbers of which no two are equal, or the negative of one another."""
    return 1.0 + k * 0.6180339887498949


def has_zeros(bar) -> bool:
    """Whether an entry of a cotangent is zero."""
    return is_zero(bar) or not (isinstance(bar, AbstractTangent) or np.all(plain(bar)))


def is_lost(slope, bar, masked) -> bool:
    """Whether an entry is nonzero in the first cotangent and zero in the others."""
    if any(isinstance(each, AbstractTangent) and not is_zero(each) for each in (bar, masked)):
        return False
    if isinstance(slope, AbstractTangent) or (not is_zero(masked) and np.shape(plain(slope)) == ()):
        return False
    none = [True if is_zero(each) else plain(each) == 0 for each in (bar, masked)]
    return bool(np.any((plain(slope) != 0) & none[0] & none[1]))


def is_all_zero(tangent) -> bool:
    """Whether a tangent is zero, as one of no derivative at all or in each entry."""
    return is_zero(tangent) or not (isinstance(tangent, AbstractTangent) or np.any(plain(tangent)))


def raise_search(decisions: Decisions) -> NoReturn:
    """Raise for a search: its result looks constant, but depends on the argument."""
    raise_lost(
        decisions,
        f"a search by {decisions.count} comparisons or signs, which come ever closer to a tie: its"
        " result depends on the argument, but the program's derivative is zero",
        "declare the equation that it solves, chainrules_py.implicit_function(solver, residual), and"
        " call that instead; or pass it stop_gradient(x), if a constant is meant",
    )


def tell_of_constants(decisions: Decisions) -> None:
    """Raise for a branch for one number that loses a derivative, and warn of other constants."""
    if decisions.branch is not None:
        raise_lost(
            decisions,
            f"a branch for {decisions.branch:.6g} alone: the compared number depends on the argument,"
            " but the lines of the branch have the derivative zero",
            "differentiate at a point beside it, or mark the function with @primitive and write its"
            " rule; or pass it stop_gradient(x), if a constant is meant",
        )
    warn_of_constants(decisions)


def warn_of_constants(decisions: Decisions) -> None:
    """Warn of numbers that became constant."""
    message = (
        f"{place_of_decisions(decisions)}: {decisions.reason}; x depends on the argument, but the"
        " derivative is zero here; differentiate what is computed before, or pass it"
        " stop_gradient(x), if a constant is meant"
    )
    warnings.warn_explicit(message, LostGradientWarning, decisions.code.co_filename, decisions.line)


def raise_lost(decisions: Decisions, got: str, instead: str) -> NoReturn:
    """Raise for decisions, by the function and line where they are."""
    raise LostGradientError(
        place_of_decisions(decisions), got, instead, operation=decisions.function, value=None
    )


def place_of_decisions(decisions: Decisions) -> str:
    """The function, module and line of decisions."""
    package = decisions.module.partition(".")[0]
    place = f"{decisions.function} of {decisions.module}" if package else decisions.function
    return f"{place} ({decisions.code.co_filename}:{decisions.line})"
