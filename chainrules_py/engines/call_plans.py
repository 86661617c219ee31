"""Plans of calls: what an engine finds out at the first call of a kind, and uses at all others.

Most of the time of a small operation goes into finding its rule. A plan has found it: it brings the
arguments of a call to where the rule wants them, and has the rule bound to their classes.

>>> import numpy as np
>>> from chainrules_py import default_rules
>>> args = (np.array([[1.0, 2.0], [3.0, 4.0]]), 0)
>>> plan = plan_for(default_rules, bound_in_reverse, np.sum, args, {}, needed=(0,))
>>> values, options = plan.arranged(args, {})
>>> y, pull, residuals = plan.bound.stage(*values, **options)
>>> y.tolist(), pull(residuals, np.array([10.0, 20.0]))[0].tolist()
([4.0, 6.0], [[10.0, 20.0], [10.0, 20.0]])
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar

from chainrules_py.calls.callform import Arrangement
from chainrules_py.checks.contract import require_count, value_and_pullback
from chainrules_py.rules.config import NO_CONFIG, HasReverseMode, RuleConfig
from chainrules_py.rules.rule import Mode, Rule, with_defaults
from chainrules_py.table.registry import RuleTable
from chainrules_py.values.records import Record

Args = Sequence[Any]
Options = dict[str, Any]
Stage = Callable[..., tuple[Any, Any, Any]]


class Bound(Protocol):
    """The part of a plan that is the engine's own: the rule, and what the engine runs of it."""

    @property
    def rule(self) -> Rule:
        """The rule that differentiates the call."""
        ...


class CanonicalCall(Record):
    """A call in canonical form; `needs` says of each value whether it is differentiated.

    `written` is the primal as it was called. Calls of this kind may have options, in a position or
    at a default, of which `options` are those of the call that is planned.
    """

    table: RuleTable
    written: Any
    primal: Any
    values: Args
    options: Options
    needs: tuple[bool, ...]
    may_have_options: bool

    @property
    def types(self) -> tuple[type, ...]:
        """The classes of the values."""
        return tuple(map(type, self.values))


B = TypeVar("B", bound=Bound)
Bind = Callable[[CanonicalCall], B | None]


def plan_for(
    table: RuleTable,
    bind: Bind[B],
    primal: Any,
    args: Args,
    options: Options,
    needed: tuple[int, ...],
) -> "CallPlan[B] | None":
    """Return the plan of a call, of which the arguments at the positions `needed` are differentiated.

    It is made at the first call of its kind, and forgotten when a rule arrives. Calls are of one
    kind if their primals and needed arguments are the same, and the classes of all arguments and
    options. `bind` makes the engine's own part, see `CallPlan.of`; plans are stored under it. None
    is returned, and stored, for calls that an engine has to look at one by one.
    """
    plans = table.memory.of_engines[bind]
    key: tuple[Any, ...] = (primal, needed, *map(type, args))
    if options:
        key = (*key, *options, *map(type, options.values()))
    try:
        return plans[key]  # type: ignore[no-any-return]
    except TypeError:  # the primal cannot be hashed
        return None
    except KeyError:
        pass
    plans[key] = plan = CallPlan.of(table, bind, primal, args, options, needed)
    return plan


class CallPlan(Generic[B]):
    """How the calls of one kind are differentiated: where the arguments go, and by which rule.

    `bound` is the engine's own part. `moved` are the names of the last positional arguments that
    are options of the rule, and `defaults` the defaults of all options: one that is given its
    default is left out. Calls that are not `regular` are brought to canonical form one by one.
    Unless a plan `arranges`, the arguments are where the rule wants them.
    """

    __slots__ = ("arrangement", "arranges", "bound", "defaults", "moved", "regular", "table")

    def __init__(
        self,
        bound: B,
        table: RuleTable,
        arrangement: Arrangement,
        regular: bool,
        arranges: bool,
        moved: tuple[str, ...],
        defaults: tuple[tuple[str, Any], ...],
    ) -> None:
        self.bound, self.table, self.arrangement = bound, table, arrangement
        self.regular, self.arranges = regular, arranges
        self.moved, self.defaults = moved, defaults

    @classmethod
    def of(
        cls,
        table: RuleTable,
        bind: Bind[B],
        primal: Any,
        args: Args,
        options: Options,
        needed: Sequence[int],
    ) -> "CallPlan[B] | None":
        """Make the plan for calls like this one; None where their classes do not say enough.

        `bind` is given the call in canonical form. It returns None where it wants no plan.
        """
        arrangement = table.arrangement(primal, len(args), options)
        if arrangement is None or not args:
            return None
        values, given = arrangement.arrange(list(args), options)
        if needed and max(needed) >= len(values):
            return None  # an option is differentiated
        is_rewritten = arrangement.adapt is not None
        if is_rewritten and (values[0] is not args[0] or any(needed)):
            return None  # another argument than the first is needed: where it is now is not known

        needs = tuple([k in needed for k in range(len(values))])
        moved = () if is_rewritten else arrangement.form.names[arrangement.arity : len(args)]
        names = (*options, *moved)
        canonical = arrangement.primal, values, given, needs
        bound = bind(CanonicalCall(table, primal, *canonical, may_have_options=bool(names)))
        if bound is None:
            return None
        accepted = bound.rule.options
        regular = not is_rewritten and (accepted is None or accepted.issuperset(names))
        arranges = not regular or bool(names)
        known = arrangement.form.defaults
        defaults = tuple((name, known[name]) for name in names if name in known)
        return cls(bound, table, arrangement, regular, arranges, moved, defaults)

    def arranged(self, args: Args, options: Options) -> tuple[Args, Options]:
        """Return the arguments and options as the rule takes them."""
        found = self.arranged_at_once(args, options)
        if found is None:
            found = self.arrangement.arrange(list(args), options)
            self.table.check_options(self.bound.rule, found[1])
        return found

    def arranged_at_once(self, args: Args, options: Options) -> tuple[Args, Options] | None:
        """Return the arguments and options of a regular call without defaults; None for others."""
        if not self.regular:
            return None
        if self.moved:
            count = len(args) - len(self.moved)
            options = options | dict(zip(self.moved, args[count:], strict=True))
            args = args[:count]
        for name, default in self.defaults:
            if options[name] is default:
                return None
        return args, options


# The engine's own part, for engines that need nothing else


class BoundRule:
    """A rule and its function for arguments of some classes; `stage` is its form with residuals."""

    __slots__ = ("rule", "run", "stage")

    def __init__(self, rule: Rule, run: Callable[..., Any], stage: Stage) -> None:
        self.rule, self.run, self.stage = rule, run, stage


def bound_in_reverse(call: CanonicalCall) -> BoundRule | None:
    """Bind the reverse rule of a call; None for a function without derivative."""
    rule, run = rule_and_function(call.table, "reverse", call.primal, call.types, call.needs)
    if not rule.differentiable:
        return None
    call.table.check_options(rule, call.options)
    return BoundRule(rule, run, closing_stage(rule, run, len(call.values)))


def rule_and_function(
    table: RuleTable,
    mode: Mode,
    primal: Any,
    types: tuple[type, ...],
    needs: tuple[bool, ...],
    config: RuleConfig = NO_CONFIG,
    tangents: tuple[type, ...] = (),
) -> tuple[Rule, Callable[..., Any]]:
    """Return the rule of a canonical call, and its function for arguments of these classes.

    If only the other mode has a rule, a config that differentiates makes one of that. NoRuleError
    is raised where there is none.
    """
    rule = table.rule_for(mode, primal, types, config)
    if rule is None and isinstance(config, HasReverseMode):
        from chainrules_py.table.derived_rules import derived_rule  # which few calls need

        return derived_rule(table, config, mode, primal, types, needs, tangents)
    function = table.resolve(mode, primal, types, needs, config, tangents)
    assert rule is not None, "resolve raises where there is no rule"
    if "config" in rule.wants:
        function = with_defaults(function, {"config": config})
    return rule, function


def closing_stage(rule: Rule, run: Callable[..., Any], count: int) -> Stage:
    """Make the stage of a rule that returns a pullback, which is all of its residuals.

    What the pullback returns is held to be `count` cotangents.
    """

    def apply_pullback(pullback: Any, y_bar: Any) -> Any:
        return require_count(rule, pullback(y_bar), count)

    apply_pullback.reads_arguments = reads_arguments  # type: ignore[attr-defined]

    def stage(*args: Any, **options: Any) -> tuple[Any, Any, Any]:
        result = run(*args, **options)
        if type(result) is not tuple or len(result) != 2:
            value_and_pullback(rule, result)  # raises
        y, pullback = result
        return y, apply_pullback, pullback

    return stage


def reads_arguments(pullback: Callable[[Any], Any], y_bar: Any) -> bool:
    """Tell whether a pullback may look at the arguments of its call again.

    One that knows has an attribute of this name, a function of the cotangent.
    """
    told = getattr(pullback, "reads_arguments", None)
    return told is None or told(y_bar)
