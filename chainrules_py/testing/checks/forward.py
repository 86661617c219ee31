"""Check that a forward rule is pure, repeatable and linear, for every pattern of zeros."""

from typing import Any

import numpy as np

from chainrules_py.checks.comparing import same_value
from chainrules_py.testing.checks.reverse import needs_patterns, zero_diagnosis
from chainrules_py.testing.checks.validity import require_pair, require_tangent
from chainrules_py.testing.checks.value import require_same_value
from chainrules_py.testing.coordinates import Vector
from chainrules_py.testing.failures import Diagnosis
from chainrules_py.testing.tolerances import mismatch
from chainrules_py.testing.trial import Trial


class ForwardRun:
    """A forward rule as a function of tangents that checks each answer's form."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self._along: dict[tuple[int, ...], Vector] = {}

    def tangent(self, dots: tuple[Any, ...]) -> Any:
        """The tangent of the output as it came, forced and valid."""
        y, y_dot = require_pair(self.trial, "forward", self.trial.forward(dots))
        require_same_value(self.trial, "forward", y)
        return require_tangent(self.trial, y_dot, self.trial.y)

    def __call__(self, dots: tuple[Any, ...]) -> Vector:
        """The tangent of the output in coordinates."""
        return self.trial.output.tangent_vector(self.tangent(dots))

    def along(self, only: tuple[int, ...] | None = None) -> Vector:
        """Return the tangent along random directions of some arguments, computed once."""
        chosen = self.trial.active if only is None else only
        if chosen not in self._along:
            self._along[chosen] = self(self.trial.dots(chosen))
        return self._along[chosen]

    def remember(self, found) -> None:
        """Take `found` for the tangent along the random directions of all active arguments."""
        self._along[self.trial.active] = self.trial.output.tangent_vector(found)


def check_repeatable(trial: Trial, run: ForwardRun) -> None:
    """Equal tangents give equal answers each time."""
    first = run.tangent(trial.dots())
    if not same_value(first, run.tangent(trial.dots())):
        sentence = "called again with the same tangents, it gives another result"
        raise trial.failure("re-entrant", "forward", Diagnosis("not-reentrant", sentence))
    run.remember(first)


def check_linear(trial: Trial, run: ForwardRun) -> None:
    """The tangent at minus three times the direction is minus three times the tangent."""
    once = run.along()
    thrice = run(trial.dots_of({index: -3.0 * trial.directions[index] for index in trial.active}))
    if (trial.differs(thrice, -3.0 * once) & np.isfinite(once)).any():
        raise trial.failure("linear", "forward", _nonlinear(trial, run, once, thrice))


def _nonlinear(trial: Trial, run: ForwardRun, once: Vector, thrice: Vector) -> Diagnosis:
    if not mismatch(thrice, once, 1e-3).any():
        return Diagnosis(
            "ignores-seed", "another tangent gives the same answer: the tangents are not used"
        )
    ones = {index: np.ones(trial.layouts[index].size) for index in trial.active}
    if not mismatch(run(trial.dots_of(ones)), trial.oracle_along(ones).value, 1e-3).any():
        return Diagnosis(
            "unit-seed-only", "not linear in the tangents, and right for tangents of ones only"
        )
    return Diagnosis("not-linear", "f'(-3 x_dot) is not -3 f'(x_dot)")


def check_zero_seed(trial: Trial, run: ForwardRun) -> None:
    """Tangents of zeros, dense or typed, give zeros, through infinite partials too."""
    dense = trial.dots_of({index: np.zeros(trial.layouts[index].size) for index in trial.active})
    for dots in (dense, trial.dots(())):
        y_dot = run(dots)
        if np.any(y_dot != 0):
            raise trial.failure("zero seed", "forward", zero_diagnosis(y_dot))


def check_needs(trial: Trial, run: ForwardRun) -> None:
    """The tangent along some arguments, the others being ZERO, is the sum over single ones."""
    patterns = needs_patterns(trial)
    if not patterns:
        return
    single = {index: run.along((index,)) for index in trial.active}
    for pattern in [trial.wanted, *patterns]:
        chosen = tuple(index for index in trial.active if pattern[index])
        with np.errstate(invalid="ignore"):  # infinite partials: inf - inf says nothing
            added = np.sum([single[index] for index in chosen], axis=0)
        if (trial.differs(run.along(chosen), added) & np.isfinite(added)).any():
            zeros = ", ".join(trial.names[i] for i in trial.active if i not in chosen) or "none"
            sentence = f"the tangents along single arguments do not add up (ZERO: {zeros})"
            raise trial.failure("needs", "forward", Diagnosis("needs", sentence))
