"""`check_engine`: an engine differentiates every sample, and its answers are held to what rules are held to.

An engine is anything with one or both of

    vjp(f, *args) -> (y, pullback)            pullback(y_bar) -> one gradient per argument
    jvp(f, args, tangents) -> (y, y_dot)      one tangent per argument, zeros for constants

Its gradients may be plain containers where rules return a `Tangent`, and it is asked to differentiate itself: forward over
reverse, reverse over reverse, forward over forward, each against finite differences of its own first derivative.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from chainrules_py.identity import qualified_name
from chainrules_py.registry import default_rules
from chainrules_py.rule import Mode
from chainrules_py.tangents import AbstractZero, zero_tangent
from chainrules_py.testing.cases import Case, cases, primals_of
from chainrules_py.testing.checks.towers import check_towers
from chainrules_py.testing.engine_tangents import as_container, as_tangent
from chainrules_py.testing.settings import Settings
from chainrules_py.testing.subject import Args, Pullback
from chainrules_py.testing.verification import check_subject

DOUBLES = ("float64", "complex128")


class EngineSubject:
    """An engine differentiating one primal with fixed options."""

    def __init__(self, engine: Any, primal: Any, options: dict[str, Any]) -> None:
        self.engine, self.primal, self.options = engine, primal, options

    def modes(self, args: Args) -> tuple[Mode, ...]:
        """The modes that the engine has."""
        ways: tuple[tuple[Mode, str], ...] = (("forward", "jvp"), ("reverse", "vjp"))
        return tuple(mode for mode, name in ways if hasattr(self.engine, name))

    def reverse(self, args: Args, needs: tuple[bool, ...]) -> tuple[Any, Pullback]:
        """The engine's vjp; constants are closed over, so that the engine never sees them as arguments."""
        chosen = [index for index, need in enumerate(needs) if need]
        y, pullback = self.engine.vjp(self._function(args, chosen), *(args[index] for index in chosen))

        def engine_pullback(y_bar: Any) -> tuple[Any, ...]:
            grads = dict(zip(chosen, pullback(as_container(y_bar, y)), strict=True))
            return tuple(as_tangent(grads[i], args[i]) if i in grads else zero_tangent(args[i]) for i in range(len(args)))

        return y, engine_pullback

    def forward(self, dots: Args, args: Args) -> tuple[Any, Any]:
        """The engine's jvp."""
        chosen = [index for index, dot in enumerate(dots) if not isinstance(dot, AbstractZero)]
        tangents = tuple(as_container(dots[index], args[index]) for index in chosen)
        y, y_dot = self.engine.jvp(self._function(args, chosen), tuple(args[index] for index in chosen), tangents)
        return y, as_tangent(y_dot, y)

    def where(self, mode: Mode, args: Args) -> str:
        """The engine and the primal."""
        name = getattr(self.engine, "__name__", type(self.engine).__name__)
        return f"{name}.{'vjp' if mode == 'reverse' else 'jvp'}({qualified_name(self.primal)})"

    def _function(self, args: Args, chosen: list[int]) -> Any:
        def function(*values: Any) -> Any:
            replaced = dict(zip(chosen, values, strict=True))
            return self.primal(*(replaced.get(i, arg) for i, arg in enumerate(args)), **self.options)

        return function


def check_engine_call(engine: Any, primal: Any, *args: Any, settings: Settings | None = None, **options: Any) -> None:
    """Every promise, for one call differentiated by an engine; raises `CheckFailure`."""
    chosen = settings or Settings()
    primal, args, options = chosen.rules.canonical(primal, args, options)
    check_subject(EngineSubject(engine, primal, options), args, chosen, again=check_towers)


def engine_cases(primals: Iterable[Any] | None = None, *, dtypes: Iterable[str] = DOUBLES) -> Iterator[Case]:
    """One case per sample (not per mode) of these primals, by default of all that have rules; error calls left out."""
    chosen = primals_of(default_rules.load_all()) if primals is None else primals
    wanted = tuple(dtypes)
    return (case for case in cases(chosen, dtypes=wanted) if case.mode == "reverse" and case.sample.error is None)


def run_engine_case(engine: Any, case: Case) -> None:
    """One sample through an engine."""
    settings = replace(case.effective_settings(), layouts=False, dtypes=False)
    check_engine_call(engine, case.primal, *case.sample.args, settings=settings, **case.sample.options)


def check_engine(engine: Any, primals: Iterable[Any] | None = None, *, dtypes: Iterable[str] = DOUBLES) -> int:
    """Every sample through an engine: how many passed, or an ExceptionGroup with every failure."""
    passed, failures = 0, []
    for case in engine_cases(primals, dtypes=dtypes):
        try:
            run_engine_case(engine, case)
            passed += 1
        except Exception as error:
            failures.append(error)
    if failures:
        raise ExceptionGroup(f"{len(failures)} of {passed + len(failures)} samples fail", failures)
    return passed
