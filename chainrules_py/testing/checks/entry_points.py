"""Check that `rrule` takes seeds of every kind: typed zeros, thunks, plain containers."""

from typing import Any

from chainrules_py.tangents import ZERO, AbstractZero, Thunk, unthunk
from chainrules_py.tangents.plain_containers import as_plain_container
from chainrules_py.testing.checks.reverse import ReverseRun, require_equal
from chainrules_py.testing.failures import Diagnosis
from chainrules_py.testing.subject import RuleSubject
from chainrules_py.testing.trial import Trial


def check_seed_kinds(trial: Trial, run: ReverseRun) -> None:
    """Check that ZERO gives zeros, and thunks and plain containers the usual answer."""
    subject = trial.subject
    if not isinstance(subject, RuleSubject):
        return
    natural = trial.bar(trial.seeds[0])
    ours: dict[str, Any] = {"needs": trial.wanted, "config": subject.config}
    entry_point = subject.rules.rrule
    _, pullback = trial.guarded(
        "reverse", lambda: entry_point(subject.primal, *trial.args, **ours, **subject.options)
    )
    expected = run(trial.seeds[0])
    for seed in (Thunk(lambda: natural), as_plain_container(natural, trial.y)):
        found = trial.bars(trial.pull(pullback, seed))
        sentence = f"a seed that is a {type(seed).__name__} gives another cotangent"
        require_equal(trial, "seed kinds", found, expected, Diagnosis("seed-kind", sentence))
    if not all(isinstance(unthunk(bar), AbstractZero) for bar in trial.pull(pullback, ZERO)):
        raise trial.failure(
            "seed kinds", "reverse", Diagnosis("seed-kind", "the seed ZERO does not give zeros")
        )
