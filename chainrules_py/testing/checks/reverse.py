"""Check that a reverse rule is pure, re-entrant and linear, however a seed arrives."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from chainrules_py import (
    ZERO,
    AbstractZero,
    InplaceableThunk,
    Thunk,
    accumulate,
    accumulated,
    unthunk,
)
from chainrules_py.checks.comparing import changes, same_value, snapshot
from chainrules_py.tangents.structural import entries, with_entries
from chainrules_py.testing.checks.validity import require_cotangents, require_pair
from chainrules_py.testing.checks.value import require_same_value
from chainrules_py.testing.coordinates import Vector
from chainrules_py.testing.failures import Diagnosis
from chainrules_py.testing.tolerances import mismatch
from chainrules_py.testing.trial import Trial
from chainrules_py.values.structure import fields, is_container

Bars = tuple[Vector, ...]


class ReverseRun:
    """A reverse rule called once, and its pullback as a function of coordinates."""

    def __init__(self, trial: Trial, needs: tuple[bool, ...] | None = None) -> None:
        self.trial, self.needs = trial, needs or trial.wanted
        self._answers: dict[bytes, Bars] = {}
        self.y, self.pullback = require_pair(trial, "reverse", trial.reverse(self.needs))
        require_same_value(trial, "reverse", self.y)

    def __call__(self, seed: Vector) -> Bars:
        """Return the cotangents for a seed, both in coordinates, computed once."""
        key = seed.tobytes()
        if key not in self._answers:
            self._answers[key] = self.trial.bars(self.cotangents(self.trial.bar(seed)))
        return self._answers[key]

    def remember(self, seed: Vector, found: tuple[Any, ...]) -> None:
        """Have `found`, which `cotangents` returned, be the answer for a seed."""
        self._answers[seed.tobytes()] = self.trial.bars(found)

    def cotangents(self, y_bar) -> tuple[Any, ...]:
        """The cotangents as they came, forced and valid."""
        return require_cotangents(self.trial, self.trial.pull(self.pullback, y_bar), self.needs)


def check_reentrant(trial: Trial, run: ReverseRun) -> None:
    """Check that calls of the pullback or the rule in between change no earlier answer."""
    y_before = snapshot(run.y)
    first = run.cotangents(trial.bar(trial.seeds[0]))
    kept = snapshot(first)
    other = ReverseRun(trial)
    other(trial.seeds[1])
    run(trial.seeds[1])
    _require_unchanged(trial, kept, "the cotangents of an earlier call", "stale-buffer")
    _require_unchanged(trial, y_before, "its own output", "mutates-output")
    again = run.cotangents(trial.bar(trial.seeds[0]))
    for index in trial.active:
        if not same_value(unthunk(first[index]), unthunk(again[index])):
            sentence = (
                "called again with the same seed, the pullback gives another result: it keeps state"
            )
            raise trial.failure(
                "re-entrant", "reverse", Diagnosis("not-reentrant", sentence), index
            )
    run.remember(trial.seeds[0], again)


def _require_unchanged(trial: Trial, before, what: str, kind: str) -> None:
    if changes(before):
        raise trial.failure(
            "re-entrant", "reverse", Diagnosis(kind, f"a later call wrote to {what}")
        )


def check_linear(trial: Trial, run: ReverseRun) -> None:
    """pullback(a + 3 b) == pullback(a) + 3 pullback(b): the factor is exact in every dtype."""
    a, b = trial.seeds
    at_a, at_b, at_sum = run(a), run(b), run(a + 3.0 * b)
    for index in trial.active:
        with np.errstate(invalid="ignore"):  # infinite partials: inf - inf says nothing
            expected = at_a[index] + 3.0 * at_b[index]
        if (trial.differs(at_sum[index], expected) & np.isfinite(expected)).any():
            raise trial.failure(
                "linear", "reverse", _nonlinear(trial, run, index, at_a[index]), index
            )


def _nonlinear(trial: Trial, run: ReverseRun, index: int, at_a: Vector) -> Diagnosis:
    if not mismatch(run(2.0 * trial.seeds[0])[index], at_a, 1e-3).any():
        return Diagnosis(
            "ignores-seed", "a seed twice as large gives the same cotangent: the seed is not used"
        )
    if _right_for_ones(trial, run, index):
        return Diagnosis(
            "unit-seed-only", "not linear in the seed, and right for a seed of ones only"
        )
    return Diagnosis("not-linear", "pullback(a + b) is not pullback(a) + pullback(b)")


def _right_for_ones(trial: Trial, run: ReverseRun, index: int) -> bool:
    ones = np.ones(trial.output.size)
    along = trial.oracle_along({index: trial.directions[index]})
    expected = float(ones @ along.value)
    return bool(
        abs(float(run(ones)[index] @ trial.directions[index]) - expected) <= 1e-3 * abs(expected)
    )


def check_zero_seed(trial: Trial, run: ReverseRun) -> None:
    """A seed of zeros gives zeros, through infinite partials too."""
    for index, bar in enumerate(run(np.zeros(trial.output.size))):
        if np.any(bar != 0):
            raise trial.failure("zero seed", "reverse", zero_diagnosis(bar), index)


def zero_diagnosis(answer: Vector) -> Diagnosis:
    """Explain why zeros gave something else."""
    if np.isnan(answer).any():
        return Diagnosis("zero-not-strong", "a seed of zeros gives nan: 0*inf needs a strong zero")
    return Diagnosis("not-linear", "a seed of zeros does not give zeros")


def check_partial_seeds(trial: Trial, run: ReverseRun) -> None:
    """Seeds of several outputs with ZERO for the others add up to the seed of all."""
    if not is_container(trial.y) or not seeds_of_parts(trial):
        return
    total = run(trial.seeds[0])
    parts = [trial.bars(run.cotangents(part)) for part in seeds_of_parts(trial)]
    added = tuple([np.sum(bars, axis=0) for bars in zip(*parts, strict=True)])
    sentence = (
        "the cotangents of single outputs, the others being ZERO, do not add up to that of all"
    )
    require_equal(trial, "partial seeds", added, total, Diagnosis("zero-output", sentence))


def require_equal(
    trial: Trial,
    check: str,
    got: Bars,
    expected: Bars,
    diagnosis: Diagnosis,
    needs: tuple[bool, ...] | None = None,
) -> None:
    """Raise where the cotangent of some argument is another one, of all or of those needed."""
    for index in trial.active:
        needed = needs is None or needs[index]
        if needed and trial.differs(got[index], expected[index]).any():
            raise trial.failure(check, "reverse", diagnosis, index)


def seeds_of_parts(trial: Trial) -> list[Any]:
    """For each output with a tangent space, the random seed with every other output ZERO."""
    whole = trial.output.tangent(trial.seeds[0])
    if isinstance(whole, AbstractZero):
        return []
    present = {
        key: entry for key, entry in entries(whole).items() if not isinstance(entry, AbstractZero)
    }
    blank = dict.fromkeys(fields(trial.y), ZERO)
    return [
        trial.handed(with_entries(type(trial.y), {**blank, key: entry}))
        for key, entry in present.items()
    ]


def check_needs(trial: Trial, run: ReverseRun) -> None:
    """Asking for some cotangents only gives the same ones."""
    full = run(trial.seeds[0])
    for pattern in needs_patterns(trial):
        narrow = ReverseRun(trial, pattern)(trial.seeds[0])
        others = ", ".join(trial.names[i] for i in trial.active if not pattern[i])
        sentence = f"the cotangent changes when nobody needs that of {others}"
        require_equal(trial, "needs", narrow, full, Diagnosis("needs", sentence), pattern)


def needs_patterns(trial: Trial) -> list[tuple[bool, ...]]:
    """Each argument alone, and all but each: every pattern for up to three arguments."""
    if len(trial.active) < 2:
        return []
    count = range(len(trial.args))
    alone = [tuple(i == kept for i in count) for kept in trial.active]
    without = [tuple(i in trial.active and i != dropped for i in count) for dropped in trial.active]
    return list(dict.fromkeys(alone + without))


def check_accumulates(trial: Trial, run: ReverseRun) -> None:
    """Check that accumulating a cotangent twice doubles it, and writes nothing borrowed."""
    bars = trial.pull_lazily(run.pullback, trial.bar(trial.seeds[0]))
    kept = snapshot(tuple(bar for bar in bars if not isinstance(bar, Thunk)))
    for index in trial.active:
        total = accumulate(accumulate(ZERO, bars[index]), bars[index])
        value = trial.layouts[index].tangent_vector(bars[index])
        for twice in (accumulated(total), *_added_in_place(bars[index])):
            if trial.differs(trial.layouts[index].tangent_vector(twice), 2 * value).any():
                sentence = "accumulated twice, it is not twice its value (add_into, zeros)"
                raise trial.failure(
                    "accumulates", "reverse", Diagnosis("accumulation", sentence), index
                )
    _require_unchanged(trial, kept, "a borrowed cotangent", "accumulation")


def _added_in_place(bar) -> Iterator[Any]:
    """The buffer of an inplaceable thunk after adding the thunk twice."""
    if isinstance(bar, InplaceableThunk):
        buffer = bar.zeros()
        bar.add_into(buffer)
        bar.add_into(buffer)
        yield buffer
