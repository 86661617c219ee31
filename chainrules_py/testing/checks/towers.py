"""Check an engine's derivatives of its own derivative, in every combination of two modes.

The first derivative is a function as any other: it is held to finite differences of itself.
"""

from dataclasses import replace
from typing import Any

from chainrules_py.annotations import Function
from chainrules_py.errors import NoRuleError
from chainrules_py.rules.rule import Mode
from chainrules_py.tangents.plain_containers import as_plain_container
from chainrules_py.testing.checks.against_oracle import require_right
from chainrules_py.testing.checks.forward import ForwardRun
from chainrules_py.testing.checks.reverse import ReverseRun
from chainrules_py.testing.failures import CheckFailure, Diagnosis
from chainrules_py.testing.trial import Trial

RELATIVE = 1e-5  # finite differences of an engine lose digits that those of the primal keep


def check_towers(trial: Trial, inner: Mode) -> None:
    """Forward over `inner` and reverse over `inner`."""
    if not trial.is_twice_checked():
        return
    tower = _trial_of(trial, _first_derivative(trial, inner), inner)
    for outer in trial.subject.modes(trial.args):
        try:
            require_right(tower, (ForwardRun if outer == "forward" else ReverseRun)(tower))
        except CheckFailure as failure:
            may_be_missing = trial.settings.second_order == "where rules exist"
            if may_be_missing and isinstance(failure.__cause__, NoRuleError):
                continue
            said = f"{outer} over {inner}: {failure.diagnosis} (out is the first derivative)"
            diagnosis = Diagnosis("second-order", said)
            raise trial.failure(
                "second order", outer, diagnosis, entries=failure.entries
            ) from failure.__cause__


def _trial_of(trial: Trial, first: Function, inner: Mode) -> Trial:
    """The trial of a first derivative at the arguments of a trial."""
    settings = replace(trial.settings, relative=RELATIVE, singular=True, oracle=True)
    subject: Any = trial.subject
    return replace(trial, subject=subject.of(first), settings=settings, terms=trial.terms_of(inner))


def _first_derivative(trial: Trial, mode: Mode) -> Function:
    """The engine's first derivative as a function of the arguments.

    Its results are plain containers, whose parts an engine can differentiate: a `Tangent` is not.
    """
    engine, function = trial.engine, trial.call_of_active
    dots, seed = trial.plain_dots(), trial.plain_seed()

    def gradients(*args):
        bars = engine.vjp(function, *[args[index] for index in trial.active])[1](seed)
        pairs = zip(bars, trial.point, strict=True)
        return tuple([as_plain_container(bar, x) for bar, x in pairs])

    def tangent(*args) -> Any:
        point = tuple([args[index] for index in trial.active])
        return as_plain_container(engine.jvp(function, point, dots)[1], trial.y)

    return gradients if mode == "reverse" else tangent
