"""The mutation gate: a rule whose derivative is changed on purpose must fail its own samples.

For each rule, each argument and each mode there are three mutants: the argument's derivative scaled
by 1.5, with its sign flipped, and with the partial conjugated. A mutant that no sample of the
primal kills shows that nobody tests that derivative. Conjugation changes nothing where partials are
real (`add`), nothing changes a typed ZERO (`floor`): such mutants are told by their answers and
left out.
"""

import operator
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from chainrules_py import (
    ZERO,
    AbstractZero,
    NotImplementedTangent,
    RuleConfig,
    RuleTable,
    Tangent,
    is_zero,
    unthunk,
)
from chainrules_py.annotations import Function
from chainrules_py.rules.rule import INJECTED, Rule
from chainrules_py.testing.cases import Case, cases_of
from chainrules_py.testing.coordinates import Layout
from chainrules_py.testing.dual import part_by_part
from chainrules_py.testing.failures import CheckFailure
from chainrules_py.testing.random_tangents import rand_tangent
from chainrules_py.testing.samples import COMPLEX, DOUBLE, dtypes_of
from chainrules_py.testing.settings import Settings
from chainrules_py.values.structure import is_container

Change = Literal["scaled", "negated", "conjugated"]


@dataclass(frozen=True)
class Mutant:
    """One rule with the derivative of one argument changed."""

    rule: Rule
    argument: int
    change: Change

    def __str__(self) -> str:
        return f"{self.rule.label} argument {self.argument} {self.change}"

    def mutated(self) -> Rule:
        """The wrong rule."""

        def specialise(types: Any, needs: Any, library: Any) -> Function:
            right = self.rule.bind(types, needs, library)
            return self._reverse(right) if self.rule.mode == "reverse" else self._forward(right)

        return self.rule.replaced(specialise=specialise, wants=self.rule.wants - INJECTED)

    def _reverse(self, right: Function) -> Function:
        def mutated_rrule(*args: Any, **options: Any) -> tuple[Any, Callable[[Any], Any]]:
            y, pullback = right(*args, **options)
            return y, lambda y_bar: self._changed_bars(pullback, y_bar)

        return mutated_rrule

    def _changed_bars(self, pullback: Callable[[Any], Any], y_bar: Any) -> tuple[Any, ...]:
        bars = list(pullback(y_bar))
        mirrored = pullback(change("conjugated", y_bar)) if self.change == "conjugated" else bars
        bars[self.argument] = change(self.change, mirrored[self.argument])
        return tuple(bars)

    def _forward(self, right: Function) -> Function:
        def mutated_frule(dots: tuple[Any, ...], *args: Any, **options: Any) -> tuple[Any, Any]:
            y, y_dot = right(dots, *args, **options)
            if isinstance(dots[self.argument], AbstractZero):
                return y, y_dot
            return y, y_dot + self._difference(right, dots, args, options)

        return mutated_frule

    def _difference(self, right: Function, dots: tuple[Any, ...], args: Any, options: Any) -> Any:
        """Return the argument's contribution to the tangent as changed, minus as it was."""
        blank = [dot * 0 if not isinstance(dot, AbstractZero) else dot for dot in dots]
        blank[self.argument] = dots[self.argument]
        alone = right(tuple(blank), *args, **options)[1]
        blank[self.argument] = change("conjugated", dots[self.argument])
        mirrored = (
            right(tuple(blank), *args, **options)[1] if self.change == "conjugated" else alone
        )
        return change(self.change, mirrored) - alone


def change(kind: Change, tangent) -> Any:
    """Scale a tangent by 1.5, negate it or conjugate it; zeros stay as they are."""
    tangent = unthunk(tangent)
    if isinstance(tangent, AbstractZero | NotImplementedTangent):
        return tangent
    if isinstance(tangent, Tangent) or is_container(tangent):
        return part_by_part(partial(change, kind), tangent)
    return CHANGES[kind](tangent)


def _scaled(tangent):
    return tangent * (tangent.dtype.type(1.5) if hasattr(tangent, "dtype") else 1.5)


CHANGES: dict[Change, Callable[[Any], Any]] = {
    "scaled": _scaled,
    "negated": operator.neg,
    "conjugated": np.conj,
}


@dataclass(frozen=True)
class GateReport:
    """The mutants that were killed, those that survived, and rules that no sample reaches."""

    killed: int
    equivalent: int
    survivors: tuple[Mutant, ...]
    unreached: tuple[Rule, ...]


def mutation_gate(rules: Iterable[Rule], table: RuleTable) -> GateReport:
    """Change every derivative of every rule and see whether the samples notice."""
    overlay = RuleTable(parent=table, name="mutants")
    settings = Settings(
        rules=overlay,
        layouts=False,
        dtypes=False,
        batching=False,
        second_order="off",
        jacobians="never",
    )
    killed, equivalent, survivors, unreached = 0, 0, [], []
    for rule in rules:
        if rule.function is None or not rule.differentiable or rule.config is not RuleConfig:
            # a rule with a config runs in an engine only, and `check_engine` checks it there
            continue
        reached = _cases_reaching(rule, table, settings)
        # of SciPy's own source one program runs for all numbers of arguments, by its own defaults
        if not reached and not hasattr(rule.body, "is_own_source"):
            unreached.append(rule)
        for mutant, chosen in _mutants(rule, reached):
            if is_killed(mutant, chosen, overlay):
                killed += 1
            elif _is_equivalent(mutant, chosen, overlay):
                equivalent += 1
            else:
                survivors.append(mutant)
    return GateReport(killed, equivalent, tuple(survivors), tuple(unreached))


def _cases_reaching(rule: Rule, table: RuleTable, settings: Settings) -> list[Case]:
    """List the cases in double precision that this very rule answers."""
    dtypes = [name for name in DOUBLE if name in dtypes_of(rule.primal)]
    if not dtypes:
        return []
    found = cases_of(rule.primal, settings=settings, dtypes=dtypes)
    return [
        case
        for case in found
        if case.mode == rule.mode and case.sample.error is None and _fires(rule, case, table)
    ]


def _fires(rule: Rule, case: Case, table: RuleTable) -> bool:
    primal, args, _ = table.canonical(case.primal, case.sample.args, dict(case.sample.options))
    return table.rule_for(rule.mode, primal, tuple(map(type, args))) is rule


def _mutants(rule: Rule, reached: list[Case]) -> Iterator[tuple[Mutant, list[Case]]]:
    """List each change of each argument that has a derivative in some case."""
    count = max((len(case.sample.args) for case in reached), default=0)
    for argument in range(count):
        active = [case for case in reached if _is_active(case, argument)]
        for kind in CHANGES if active else ():
            chosen = active
            if kind == "conjugated":
                chosen = [case for case in active if case.dtype in COMPLEX]
            if chosen:
                yield Mutant(rule, argument, kind), chosen


def _is_active(case: Case, argument: int) -> bool:
    args = case.sample.args
    return (
        argument < len(args)
        and argument not in case.sample.fixed
        and Layout(args[argument]).size > 0
    )


def is_killed(mutant: Mutant, cases: list[Case], overlay: RuleTable) -> bool:
    """Whether some case fails under the mutant."""
    with _installed(mutant, overlay):
        return any(_fails(case) for case in cases)


@contextmanager
def _installed(mutant: Mutant, overlay: RuleTable) -> Iterator[None]:
    rule = overlay.add(mutant.mutated())
    try:
        yield
    finally:
        overlay.remove(rule.mode, rule.primal)


def _fails(case: Case) -> bool:
    """Whether a wrong number was noticed; any other complaint is raised."""
    try:
        case.run()
    except CheckFailure as failure:
        if failure.check in ("runs", "returns", "primal"):
            raise
        return True
    return False


def _is_equivalent(mutant: Mutant, cases: list[Case], overlay: RuleTable) -> bool:
    """Whether the mutant is the right rule: it conjugates reals, or changes a zero."""
    if mutant.change != "conjugated":
        return all(_is_declared_zero(mutant, case, overlay) for case in cases)
    right = [_answer(mutant, case, overlay) for case in cases]
    with _installed(mutant, overlay):
        wrong = [_answer(mutant, case, overlay) for case in cases]
    return all(map(_are_equal, right, wrong))


def _is_declared_zero(mutant: Mutant, case: Case, table: RuleTable) -> bool:
    """Whether the rule answers with a typed zero."""
    return is_zero(_answer(mutant, case, table)[1])


def _answer(mutant: Mutant, case: Case, table: RuleTable) -> tuple[Any, Any]:
    """Return a value and the tangent of it that a table has for the mutant's argument alone, along
    directions that are the same each time.
    """
    sample, place = case.sample, mutant.argument
    primal, args, options = table.canonical(case.primal, sample.args, dict(sample.options))
    rng = np.random.default_rng(0)
    if mutant.rule.mode == "reverse":
        y, pullback = table.rrule(primal, *args, **options)
        return args[place], unthunk(pullback(rand_tangent(rng, y))[place])
    dots = [rand_tangent(rng, arg) if k == place else ZERO for k, arg in enumerate(args)]
    y, y_dot = table.frule(tuple(dots), primal, *args, **options)
    return y, unthunk(y_dot)


def _are_equal(right: tuple[Any, Any], wrong: tuple[Any, Any]) -> bool:
    """Whether two tangents of a value are the same up to roundoff."""
    if isinstance(right[1], NotImplementedTangent):
        return right[1] is wrong[1]
    layout = Layout(right[0])
    one, other = layout.tangent_vector(right[1]), layout.tangent_vector(wrong[1])
    return bool(np.allclose(one, other, rtol=1e-12, atol=1e-14, equal_nan=True))
