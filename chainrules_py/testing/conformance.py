"""`check_engine`: an engine differentiates every sample, held to what rules are held to.

An engine is anything with one or both of

    vjp(f, *args) -> (y, pullback)            pullback(y_bar) -> one gradient per argument
    jvp(f, args, tangents) -> (y, y_dot)      one tangent per argument, zeros for constants

where `y_bar` and the tangents are arrays and numbers, in containers like the value's and the
arguments'. Gradients may be plain containers where rules return a `Tangent`. An engine is asked to
differentiate functions of no argument (all is constant), and itself: forward over reverse, reverse
over reverse, forward over forward, each against finite differences of its own first derivative.
`Settings(second_order="off")` leaves that out.

An engine with a function `call(primal, args, options)` is asked to run its samples by that.

Of the programs that write, draw or take functions (`programs`), an engine may refuse any; a wrong
derivative is a failure.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.rules.rule import MODES, Mode
from chainrules_py.tangents import AbstractZero, zero_tangent
from chainrules_py.tangents.plain_containers import as_plain_container, as_tangent
from chainrules_py.testing.cases import Case, cases, drawn_samples, primals_of
from chainrules_py.testing.checks.lanes import check_lanes
from chainrules_py.testing.checks.series import check_coefficients
from chainrules_py.testing.checks.towers import check_towers
from chainrules_py.testing.failures import MissingSamplesError, UnsuitableCallError
from chainrules_py.testing.freezing import frozen
from chainrules_py.testing.programs import PROGRAMS, EngineProgram, refusal
from chainrules_py.testing.samples import (
    DOUBLE,
    dtypes_of,
    load_shipped,
    require_samples,
)
from chainrules_py.testing.settings import Settings
from chainrules_py.testing.subject import Pullback
from chainrules_py.testing.trial import Trial
from chainrules_py.testing.verification import check_whole
from chainrules_py.values.identity import is_handed_over, qualified_name
from chainrules_py.values.places import with_items_at
from chainrules_py.values.progress import Progress


class EngineSubject:
    """An engine differentiating one primal with fixed options."""

    def __init__(self, engine, primal, options: Options, called: Any) -> None:
        self.engine, self.primal, self.options = engine, primal, options
        self.called = called  # what traced values are given to

    @property
    def advice(self) -> str:
        """What the author of the engine can do; its rule decides where the call reached it."""
        if self.called is not self.primal or is_handed_over(self.primal):
            return (
                "correct the engine: check_rule(primal, ...) on the same call shows whether the"
                " rule is right"
            )
        return (
            "correct the engine: its traced values see only calls inside of this function; if it has"
            " a rule, a function call(primal, args, options) of the engine gets the call itself"
        )

    def modes(self, args: Args) -> tuple[Mode, ...]:
        """The modes that the engine has."""
        ways: tuple[tuple[Mode, str], ...] = (("forward", "jvp"), ("reverse", "vjp"))
        return tuple(mode for mode, name in ways if hasattr(self.engine, name))

    def reverse(self, args: Args, needs: tuple[bool, ...]) -> tuple[Any, Pullback]:
        """The engine's vjp, in which constants are closed over and are no arguments."""
        chosen = [index for index, need in enumerate(needs) if need]
        y, pullback = self.engine.vjp(
            self.of_chosen(args, chosen), *(args[index] for index in chosen)
        )

        def engine_pullback(y_bar) -> tuple[Any, ...]:
            grads = map(as_tangent, pullback(as_plain_container(y_bar, y)))
            return tuple(with_items_at([*map(zero_tangent, args)], chosen, grads))

        return y, engine_pullback

    def forward(self, dots: Args, args: Args) -> tuple[Any, Any]:
        """The engine's jvp."""
        chosen = [index for index, dot in enumerate(dots) if not isinstance(dot, AbstractZero)]
        tangents = tuple(as_plain_container(dots[index], args[index]) for index in chosen)
        y, y_dot = self.engine.jvp(
            self.of_chosen(args, chosen), tuple(args[index] for index in chosen), tangents
        )
        return y, as_tangent(y_dot)

    def where(self, mode: Mode, args: Args) -> str:
        """The engine and the primal."""
        name = getattr(self.engine, "__name__", type(self.engine).__name__)
        return f"{name}.{'vjp' if mode == 'reverse' else 'jvp'}({qualified_name(self.primal)})"

    def of(self, function) -> "EngineSubject":
        """The engine differentiating another function."""
        return EngineSubject(self.engine, function, {}, function)

    def of_chosen(self, args: Args, chosen: Sequence[int]) -> Function:
        """What is differentiated, as a function of the chosen arguments."""
        return lambda *xs: self.called(*with_items_at(args, chosen, xs), **self.options)


def check_engine_call(
    engine: Any, primal: Any, *args: Any, settings: Settings | None = None, **options: Any
) -> None:
    """Every promise, for one call differentiated by an engine; raises `CheckFailure`."""
    _require_engine(engine)
    trial = _trial(engine, primal, args, options, settings or Settings())
    check_whole(trial, again=check_towers)


def _trial(
    engine,
    primal,
    args: tuple[Any, ...],
    options: Mapping[str, Any],
    settings: Settings,
) -> Trial:
    """Prepare the check of a call, in canonical form, as an engine differentiates it."""
    primal, args, options = settings.rules.canonical(primal, args, dict(options))
    called = _called_by(engine, primal, settings)
    return Trial(EngineSubject(engine, primal, options, called), frozen(args), settings)


def _called_by(engine, primal, settings: Settings) -> Any:
    """Return what calls a primal with traced values: the engine's `call`, or the primal itself."""
    call = getattr(engine, "call", None)
    is_program = not any(settings.rules.rules(primal))  # no call of the table
    if call is None or is_program:
        return primal
    return lambda *args, **options: call(primal, args, options)


def _trial_of(engine, case: Case) -> Trial:
    """Prepare the check of one sample, without layouts and dtypes beside its own."""
    settings = replace(case.effective_settings(), layouts=False, dtypes=False)
    return _trial(engine, case.primal, case.sample.args, case.sample.options, settings)


def engine_cases(
    primals: Iterable[Any] | None = None,
    *,
    dtypes: Iterable[str] = DOUBLE,
    settings: Settings | None = None,
) -> Iterator[Case]:
    """List one case per sample of these primals, by default of all that have rules.

    The samples of chainrules-samples are loaded first, which may be absent where primals are given.
    A primal that was asked for may be a function without a rule, and raises `MissingSamplesError`
    where it has no samples.
    """
    load_shipped(required=primals is None)
    wanted, chosen = tuple(dtypes), settings or Settings()
    if primals is None:
        found = cases(primals_of(chosen.rules.load_all()), settings=chosen, dtypes=wanted)
    else:
        found = _cases_of_each(primals, wanted, chosen)
    return (case for case in found if case.mode == "reverse" and case.sample.error is None)


def _cases_of_each(
    primals: Iterable[Any], dtypes: tuple[str, ...], settings: Settings
) -> Iterator[Case]:
    if not isinstance(primals, Iterable):
        raise UnsuitableCallError(
            "the samples for an engine",
            f"primals is {qualified_name(primals)}, which is not a list of primals",
            f"write [{qualified_name(primals)}], or check_engine_call(engine,"
            f" {qualified_name(primals)}, *args) for one call",
            primal=primals,
            argument="primals",
            value=primals,
        )
    return (case for primal in primals for case in _one_per_sample(primal, dtypes, settings))


def _one_per_sample(primal, dtypes: tuple[str, ...], settings: Settings) -> Iterator[Case]:
    if not dtypes_of(primal):  # samples are of the function that a name such as np.add.reduce means
        primal = next((rule.primal for rule in settings.rules.rules(primal)), primal)
    require_samples(primal)
    for dtype in dtypes:
        for sample in drawn_samples(primal, dtype, settings.seed):
            yield Case(primal, sample, dtype, "reverse", settings)


def run_engine_case(engine: Any, case: Case, *, inner: Iterable[Mode] = MODES) -> None:
    """One sample through an engine.

    Derivatives in the modes `inner` are differentiated once more, which takes most of the time.
    """

    def again(trial: Trial, mode: Mode) -> None:
        if mode in inner:
            check_towers(trial, mode)

    check_whole(_trial_of(engine, case), again=again)


def run_engine_case_in_lanes(engine: Any, case: Case) -> None:
    """One sample through the `vmap` of an engine, with its pullbacks and pushforwards.

    ``engine.vmap(f, in_axes)`` takes axes as trees over the arguments, and puts the lanes of a
    result first.
    """
    trial = _trial_of(engine, case)
    for mode in trial.subject.modes(trial.args):
        check_lanes(trial, mode)


def run_engine_program(
    engine: Any, program: EngineProgram, *, settings: Settings | None = None
) -> str | None:
    """One program through an engine: None where it is right, what the engine said where it refuses.

    A wrong derivative is a `CheckFailure`.
    """

    def call(primal, *args, **options) -> Any:
        own = getattr(engine, "call", None)
        return primal(*args, **options) if own is None else own(primal, args, options)

    subject = EngineSubject(engine, program.plain, {}, program.called_by(call))
    chosen = replace(settings or Settings(), layouts=False, dtypes=False)
    trial = Trial(subject, program.args, chosen)
    return refusal(lambda: check_whole(trial, again=check_towers))


class Passed(int):
    """How many samples and programs an engine passes; `refused` has what it said of the others.

    These are programs that write, draw or take functions, by name: to refuse one is right, where
    the engine has not the ability that it needs.
    """

    refused: Mapping[str, str]

    def __new__(cls, passed: int, refused: Mapping[str, str]) -> "Passed":
        """Count, and keep what was said."""
        made = super().__new__(cls, passed)
        made.refused = refused
        return made

    def __repr__(self) -> str:
        """Say how many passed, and which programs are refused."""
        names = ", ".join(self.refused)
        told = f"; refused, as it should be: {names}" if names else ""
        return f"{int(self)} pass{told}"

    __str__ = int.__repr__


def check_engine(
    engine: Any,
    primals: Iterable[Any] | None = None,
    *,
    dtypes: Iterable[str] = DOUBLE,
    settings: Settings | None = None,
    lanes: bool = False,
) -> Passed:
    """Every sample through an engine: how many passed, or an ExceptionGroup with every failure.

    Without `primals`, programs that write, draw or take functions are run, too: one that the engine
    raises for is in ``.refused`` of what is returned. Samples of NumPy's and SciPy's functions are
    in the distribution chainrules-samples. NumPy does not hand every primal to traced values
    (`numpy.array`, most of `numpy.polynomial`, SciPy's functions): an engine with a function
    `call(primal, args, options)` is given all calls by that. By default the primal itself is called.
    ``settings=Settings(second_order="off")`` checks first derivatives only. What samples say of
    themselves has precedence over the settings, and no layouts and dtypes are added to theirs. With
    `lanes`, each sample goes through ``engine.vmap(f, in_axes)`` as well, with its derivatives. How
    far it is, a line of the standard error says where that is a terminal.
    """
    _require_engine(engine)
    if lanes:
        _require_abilities(engine, "vmap")
    passed, failures, wanted = 0, [], tuple(dtypes)
    refused: dict[str, str] = {}
    todo: list[Case | EngineProgram] = [*engine_cases(primals, dtypes=wanted, settings=settings)]
    if primals is None:
        todo += PROGRAMS.values()
    with Progress("samples", len(todo)) as progress:
        for number, case in enumerate(todo):
            progress.at(number)
            try:
                if isinstance(case, Case):
                    run_engine_case(engine, case)
                    if lanes:
                        run_engine_case_in_lanes(engine, case)
                else:
                    said = run_engine_program(engine, case, settings=settings)
                    if said is not None:
                        refused[case.name] = said
                        continue
                passed += 1
            except Exception as error:
                failures.append(error)
    if failures:
        raise ExceptionGroup(f"{len(failures)} of {passed + len(failures)} samples fail", failures)
    if not passed:
        raise MissingSamplesError(
            "check_engine",
            f"there is no sample of these primals in {' or '.join(wanted)}, so nothing was checked",
            "pass other dtypes=, or write @samples_for(primal) on a generator of Sample(...)",
            primal=primals,
        )
    return Passed(passed, refused)


def _require_engine(engine) -> None:
    if not (hasattr(engine, "vjp") or hasattr(engine, "jvp")):
        raise UnsuitableCallError(
            "check_engine",
            f"{engine!r} has neither vjp nor jvp",
            "pass an object or a module with vjp(f, *args) -> (y, pullback), jvp(f, args, tangents)"
            " -> (y, y_dot), or both",
            primal=None,
            argument="engine",
            value=engine,
        )


# Engines that have a Taylor mode, too: taylor(f, x, order, direction) -> coefficients 0 to order


def check_series(
    engine: Any, primal: Any, *args: Any, settings: Settings | None = None, **options: Any
) -> None:
    """Check the Taylor coefficients of one call, to order 3, against nested forward mode.

    >>> import chainrules_tape
    >>> check_series(chainrules_tape, np.tanh, np.array([0.3, -0.7]))
    """
    _require_abilities(engine, "taylor", "jvp")
    check_coefficients(_trial(engine, primal, args, options, settings or Settings()))


ABILITIES = {
    "taylor": "taylor(f, x, order, direction)",
    "jvp": "jvp(f, args, tangents)",
    "vmap": "vmap(f, in_axes)",
}


def _require_abilities(engine, *names: str) -> None:
    """Raise for an engine that lacks what is checked, or what it is compared with."""
    missing = [name for name in names if not hasattr(engine, name)]
    if not missing:
        return
    raise UnsuitableCallError(
        "the check of an engine",
        f"{engine!r} has no {' and no '.join(missing)}",
        f"pass an object with {' and '.join(ABILITIES[name] for name in names)}",
        primal=None,
        argument="engine",
        value=engine,
    )
