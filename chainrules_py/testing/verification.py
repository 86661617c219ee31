"""`check_rule` and its kin: everything a rule promises, for one call.

    check_rule(np.hypot, np.ones(3), np.ones((2, 3)))           # both modes
    check_rrule(np.sum, x, axis=0)                              # the reverse rule; options go to the primal
    check_batching(np.sum, x, axis=0)                           # the rule for many examples at once
    check_rule(relu, x, settings=Settings(rules=mine))          # of an overlay, with other tolerances, at a kink, ...
    check_engine_call(engine, np.sin, x)                        # an engine's vjp and jvp in place of the rules

The checks run in an order in which the first failure is the cause: what came back, whether it is
pure, linear, right, and only then the finer promises. See `docs/design/testing.md` for the list.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from chainrules_py import NoRuleError, NotImplementedTangent
from chainrules_py.annotations import Args, Options
from chainrules_py.rules.rule import Mode
from chainrules_py.testing.checks import against_oracle, entry_points, forward, reverse
from chainrules_py.testing.checks.batching import check_batching as check_trial_in_lanes
from chainrules_py.testing.checks.second_order import check_second_order
from chainrules_py.testing.checks.variants import dtype_variants, layout_variants
from chainrules_py.testing.coordinates import Vector
from chainrules_py.testing.failures import CheckFailure, Diagnosis, UnsuitableCallError
from chainrules_py.testing.freezing import asks_for_writable_arrays, frozen
from chainrules_py.testing.settings import Settings
from chainrules_py.testing.subject import RuleSubject
from chainrules_py.testing.trial import Trial
from chainrules_py.values.identity import qualified_name

BOTH: tuple[Mode, ...] = ("forward", "reverse")
_DEFAULT = Settings()


def check_rule(primal: Any, *args: Any, settings: Settings = _DEFAULT, **options: Any) -> None:
    """Check every promise of a primal's rules for one call; CheckFailure at the first broken.

    >>> check_rule(np.multiply, np.arange(3.0), np.ones((2, 3)))
    """
    check_whole(trial_of_rules(primal, args, options, settings))


def check_frule(primal: Any, *args: Any, settings: Settings = _DEFAULT, **options: Any) -> None:
    """Every promise of the forward rule of a primal for one call."""
    check_whole(trial_of_rules(primal, args, options, settings), ("forward",))


def check_rrule(primal: Any, *args: Any, settings: Settings = _DEFAULT, **options: Any) -> None:
    """Every promise of the reverse rule of a primal for one call."""
    check_whole(trial_of_rules(primal, args, options, settings), ("reverse",))


def check_batching(primal: Any, *args: Any, settings: Settings = _DEFAULT, **options: Any) -> None:
    """Check the rule for batching of a primal against one call per lane; nothing where it has none.

    >>> check_batching(np.add, np.arange(3.0), np.ones((2, 3)))
    """
    check_trial_in_lanes(trial_of_rules(primal, args, options, settings))


def trial_of_rules(primal, args: Args, options: Options, settings: Settings) -> Trial:
    """Prepare the check of a call of a primal's rules, in canonical form."""
    _require_settings(primal, options)
    primal, args, options = settings.rules.canonical(primal, args, options)
    return Trial(RuleSubject(primal, options, settings), frozen(args), settings)


def _require_settings(primal, options: Options) -> None:
    for name in ("rules", "config"):
        if name in options:
            got = f"{name} went to the primal, as one of its options"
            instead = f"pass settings=Settings({name}=...)"
            where, value = f"check_rule({qualified_name(primal)})", options[name]
            raise UnsuitableCallError(
                where, got, instead, primal=primal, argument=name, value=value
            )


def check_whole(
    trial: Trial,
    modes: tuple[Mode, ...] = BOTH,
    again: Callable[[Trial, Mode], None] = check_second_order,
) -> None:
    """Check the subject of a trial for its call, the derived calls, and its derivative.

    Arrays go in read-only, but where compiled code refuses these.
    """
    try:
        _check_whole(trial, modes, again)
    except Exception as error:
        cause = error.__cause__ if isinstance(error, CheckFailure) else error
        if trial.writable or cause is None or not asks_for_writable_arrays(cause):
            raise
    else:
        return
    _check_whole(trial.with_writable_arrays(), modes, again)


def _check_whole(
    trial: Trial, modes: tuple[Mode, ...], again: Callable[[Trial, Mode], None]
) -> None:
    subject, settings = trial.subject, trial.settings
    trial.require_suitable()
    present: tuple[Mode, ...] = tuple(mode for mode in modes if mode in subject.modes(trial.args))
    if not present:
        raise NoRuleError(
            f"the test kit, {trial.describe()}",
            f"there is no rule in {' or '.join(modes)} mode for these types",
            f"register one for {qualified_name(subject.primal)}",
            mode=modes[0],
            primal=subject.primal,
            types=tuple(map(type, trial.args)),
            nearest=(),
        )
    trial, rev = _without_declared_gaps(trial, present)
    check_trial(trial, present, rev)
    check_variants(trial, present)
    if settings.batching and present[-1] == subject.modes(trial.args)[-1]:  # once for both modes
        check_trial_in_lanes(trial)
    if settings.second_order != "off" and not settings.conventions:
        for mode in present:
            again(trial, mode)


def _without_declared_gaps(
    trial: Trial, modes: tuple[Mode, ...]
) -> tuple[Trial, reverse.ReverseRun | None]:
    """Hold arguments fixed whose derivative is declared not to be implemented."""
    rev = reverse.ReverseRun(trial) if "reverse" in modes else None
    if rev is not None:
        found = dict(enumerate(rev.cotangents(trial.bar(trial.seeds[0]))))
    else:
        pushed = forward.ForwardRun(trial)
        found = {index: pushed.tangent(trial.dots((index,))) for index in trial.active}
    missing = tuple(
        index for index, tangent in found.items() if isinstance(tangent, NotImplementedTangent)
    )
    if not missing:
        return trial, rev
    return (
        replace(trial, settings=replace(trial.settings, fixed=(*trial.settings.fixed, *missing))),
        None,
    )


_FORWARD: tuple[Callable[[Trial, forward.ForwardRun], None], ...] = (
    *(forward.check_repeatable, forward.check_linear, forward.check_zero_seed),
    *(against_oracle.check_forward, forward.check_needs),
)
_REVERSE: tuple[Callable[[Trial, reverse.ReverseRun], None], ...] = (
    *(reverse.check_reentrant, reverse.check_linear),
    *(reverse.check_zero_seed, against_oracle.check_reverse),
    *(reverse.check_partial_seeds, reverse.check_needs),
    *(reverse.check_accumulates, entry_points.check_seed_kinds),
)
# what depends on dtypes: that all answers are valid, right and adjoint
_OF_NUMBERS = (
    (against_oracle.check_forward, forward.check_needs),
    (
        against_oracle.check_reverse,
        reverse.check_needs,
    ),
)


def check_trial(
    trial: Trial,
    modes: tuple[Mode, ...],
    rev: reverse.ReverseRun | None = None,
    checks: Any = (_FORWARD, _REVERSE),
) -> None:
    """All checks of one call that need no other call, causes first."""
    fwd = forward.ForwardRun(trial)
    of_forward, of_reverse = checks
    if "forward" in modes:
        for check in of_forward:
            check(trial, fwd)
    if "reverse" in modes:
        rev = rev or reverse.ReverseRun(trial)
        for check in of_reverse:
            check(trial, rev)
    # Where there is no derivative to compare with, being adjoint to the other rule is what there is
    # to check.
    if trial.subject.modes(trial.args) == BOTH and (rev or trial.settings.conventions):
        against_oracle.check_adjoint(trial, fwd, rev or reverse.ReverseRun(trial))


def check_variants(trial: Trial, modes: tuple[Mode, ...]) -> None:
    """Check that memory layouts give equal answers, and dtypes valid and right ones."""
    relaid = [*layout_variants(trial)] if trial.settings.layouts else []
    expected = [*_answers(trial, modes)] if relaid else []
    for variant in relaid:
        for (mode, index, at), (_, _, there) in zip(
            expected, _answers(variant, modes), strict=True
        ):
            if trial.differs(there, at, 10).any():
                raise _layout_failure(variant, mode, index)
    if trial.settings.dtypes and not trial.settings.conventions:
        for variant in dtype_variants(trial):
            if variant.is_taken():
                check_trial(variant, modes, checks=_OF_NUMBERS)


def _answers(trial: Trial, modes: tuple[Mode, ...]) -> Iterator[tuple[Mode, int | None, Vector]]:
    """The tangent of the output, the cotangent of each argument, or both, in coordinates."""
    if "forward" in modes:
        yield "forward", None, forward.ForwardRun(trial).along()
    if "reverse" in modes:
        bars = reverse.ReverseRun(trial)(trial.seeds[0])
        for index in trial.active:
            yield "reverse", index, bars[index]


def _layout_failure(variant: Trial, mode: Mode, argument: int | None) -> CheckFailure:
    sentence = f"the same numbers in another memory layout ({variant.variant}) give another answer"
    return variant.failure("layouts", mode, Diagnosis("layout", sentence), argument)
