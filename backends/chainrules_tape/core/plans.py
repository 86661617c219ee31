"""What the engine remembers of one rule table: which function differentiates which call.

Everything here is looked up once per call signature. It is remembered in the table's own memory, which is replaced whenever a
rule or an array library arrives, so that there is nothing to invalidate.
"""

from collections.abc import Callable
from typing import Any

from chainrules_py.config import RuleConfig
from chainrules_py.contract import checked_rule, require_count, value_and_pullback
from chainrules_py.derived_rules import derived_rule
from chainrules_py.errors import NoRuleError
from chainrules_py.guards import guarded_frule, is_proven, require_shapes, spaces_of
from chainrules_py.registry import RuleTable
from chainrules_py.rule import Mode, Rule, with_defaults
from chainrules_py.strictness import never_strict
from chainrules_tape.core.errors import Refusal, refuse_buffers
from chainrules_tape.core.levels import Level, innermost
from chainrules_tape.core.overwritten import OverwrittenMemory
from chainrules_tape.core.subclasses import refuse_other_classes

Stage = Callable[..., tuple[Any, Any, Any]]


class Plan:
    """How one call signature is differentiated in one mode: `run` is the rule's function, `stage` its form for tapes."""

    __slots__ = ("accepted", "differentiable", "rule", "run", "stage")

    def __init__(self, rule: Rule, run: Callable[..., Any], stage: Stage) -> None:
        self.rule, self.run, self.stage = rule, run, stage
        self.differentiable = rule.differentiable
        self.accepted: set[tuple[str, ...]] = set()  # option names that were checked


class Engine:
    """A rule table as this engine uses it, in debug mode or not; `config` is what rules may ask the engine for."""

    def __init__(self, table: RuleTable, debug: bool, config: RuleConfig) -> None:
        self.table, self.debug, self.config = table, debug, config
        self.plans: dict[Any, Plan] = {}
        self.listless: dict[Any, bool] = {}  # whether a call with lists has no rule
        self.stages: dict[Any, Any] = {}  # what operators and functions look up on a tape: see `operations`
        self.runs: dict[Any, Any] = {}  # and in forward mode

    def plan(self, mode: Mode, primal: Any, types: tuple[type, ...], needs: tuple[bool, ...]) -> Plan:
        """The plan for a call in canonical form; NoRuleError where the table has no rule in either mode."""
        key = (mode, primal, types, needs)
        try:
            return self.plans[key]
        except KeyError:
            self.plans[key] = plan = self._plan(mode, primal, types, needs)
            return plan

    def wants_arrays(self, mode: Mode, primal: Any, types: tuple[type, ...], needs: tuple[bool, ...]) -> bool:
        """Whether a call has lists where NumPy sees arrays, and the table has rules for arrays only."""
        if list not in types and tuple not in types:
            return False
        key = (mode, primal, types, needs)
        try:
            return self.listless[key]
        except KeyError:
            return self.listless.setdefault(key, is_numpys(primal) and not self._has_plan(mode, primal, types, needs))

    def _has_plan(self, *key: Any) -> bool:
        try:
            self.plan(*key)
        except NoRuleError:
            return False
        return True

    def _plan(self, mode: Mode, primal: Any, types: tuple[type, ...], needs: tuple[bool, ...]) -> Plan:
        refuse_other_classes(primal, types)
        function = self.table.find(mode, primal, types, needs, self.config)
        rule = self.table.rule_for(mode, primal, types, self.config)
        if function is None or rule is None:
            rule, function = derived_rule(self.table, self.config, mode, primal, types, needs)
        if "config" in rule.wants:
            function = with_defaults(function, {"config": self.config})
        stage = None if self.debug else getattr(function, "stage", None)
        if self.debug:
            function = checked_rule(rule, function, needs)
        elif mode == "forward" and not is_proven(rule):
            function = guarded_frule(rule, function)
        return Plan(rule, function, stage if stage is not None else closing_stage(rule, function, len(types)))

    def stage(self, primal: Any, types: tuple[type, ...], needs: tuple[bool, ...]) -> Stage:
        """For operators: a function ``(*values) -> (y, pull, kept)``; pull is None where y is a constant."""
        plan = self.plan("reverse", primal, types, needs)
        return plan.stage if plan.differentiable else constant_stage(plan.run)


class Derivative(Level):
    """One derivative being taken: hands operations to the rules of an engine, and wraps what they return."""

    __slots__ = ("engine", "overwritten", "refused", "stages")
    stages: Any  # what operators and functions look up

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self.engine = engine
        self.refused: Refusal | None = None  # the last one, which somebody may have caught
        self.overwritten: OverwrittenMemory | None = None  # by augmented assignments

    def options(self, plan: Plan, options: dict[str, Any], args: tuple[Any, ...] = ()) -> dict[str, Any]:
        """Options as the rule may see them; raises for those it does not take or would not differentiate."""
        names = tuple(options)
        constant = innermost(options.values()) is None
        if constant and names in plan.accepted:
            return options
        stripped = {name: self.strip(value) for name, value in options.items()}
        active = {name: options[name] for name, value in stripped.items() if value is not options[name]}
        refuse_buffers(plan.rule, options, "out" in active, args)
        self.engine.table.check_options(plan.rule, stripped)
        self.engine.table.check_options(plan.rule, active, self.engine.config)
        if constant and "out" not in names:
            plan.accepted.add(names)
        return stripped


def is_numpys(primal: Any) -> bool:
    """Whether a function is NumPy's own, and so takes lists for arrays."""
    return (getattr(primal, "__module__", None) or "").partition(".")[0] == "numpy"


def closing_stage(rule: Rule, run: Callable[..., Any], count: int) -> Stage:
    """The form for tapes of a rule that returns a pullback: that is what is kept, and what it returns is counted."""
    if not is_proven(rule):
        return guarded_stage(rule, run, count)

    def apply_pullback(pullback: Any, y_bar: Any) -> Any:
        return require_count(rule, pullback(y_bar), count)

    def stage(*args: Any, **options: Any) -> tuple[Any, Any, Any]:
        result = run(*args, **options)
        y, pullback = result if type(result) is tuple and len(result) == 2 else value_and_pullback(rule, result)
        return y, apply_pullback, pullback

    return stage


def guarded_stage(rule: Rule, run: Callable[..., Any], count: int) -> Stage:
    """The same for a rule that is not this library's: the cotangents have to have the shapes of the arguments, too."""

    def apply_pullback(kept: Any, y_bar: Any) -> Any:
        pullback, spaces = kept
        return require_shapes(rule, require_count(rule, pullback(y_bar), count), spaces)

    apply_once = never_strict(apply_pullback)

    def stage(*args: Any, **options: Any) -> tuple[Any, Any, Any]:
        y, pullback = value_and_pullback(rule, run(*args, **options))
        return y, apply_once, (pullback, spaces_of(args))

    return stage


def constant_stage(rule: Callable[..., Any]) -> Stage:
    """The form for tapes of a function without derivative: nothing is recorded."""

    def stage(*args: Any, **options: Any) -> tuple[Any, None, None]:
        return rule(*args, **options)[0], None, None

    return stage
