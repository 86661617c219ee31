"""Plans of calls: what an engine finds out at the first call of a kind, and uses at all others.

Most of the time of a small operation goes into finding its rule. A plan has found it. Calls are of
one kind if they have the same function, the same differentiated arguments, and the same classes of
arguments and options.

The engine's own part is a function `bind`. It is given the first call of a kind, in canonical form,
and returns the *bound call*: the rule, and what the engine runs for all calls of the kind. Where it
returns None, calls of the kind have no plan, and the engine looks at them one by one. The rest is
the same in all engines, and is done here: `planned` gives what is bound to a call, and the call's
arguments and options as the rule takes them.

>>> import numpy as np
>>> from chainrules_py import default_rules
>>> args = (np.array([[1.0, 2.0], [3.0, 4.0]]), 0)
>>> bound, args, options = planned(default_rules, bound_in_reverse, np.sum, args, {}, needed=(0,))
>>> y, pull, residuals = bound.stage(*args, **options)
>>> y.tolist(), pull(residuals, np.array([10.0, 20.0]))[0].tolist()
([4.0, 6.0], [[10.0, 20.0], [10.0, 20.0]])

`bound_in_reverse` is the `bind` of an engine that needs nothing but the rule. The adapters of
autograd and PyTorch have their own; the tape has its own keys, too, and calls `plan_of`.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple, TypeVar

from chainrules_py.annotations import Function, Options
from chainrules_py.checks.contract import debugging, require_count, value_and_pullback
from chainrules_py.rules.config import NO_CONFIG, RuleConfig
from chainrules_py.rules.rule import Mode, Rule
from chainrules_py.table.registry import RuleTable, in_force
from chainrules_py.values.records import Record

Args = Sequence[Any]
Arrange = Callable[[Args, Options], tuple[Args, Options]]
Stage = Callable[..., tuple[Any, Any, Any]]


class CanonicalCall(Record):
    """The first call of a kind, in canonical form; `needs` says of each value whether it is
    differentiated.

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

    @property
    def needed(self) -> tuple[int, ...]:
        """The positions of the values that are differentiated."""
        return tuple([k for k, need in enumerate(self.needs) if need])

    def rule(
        self, mode: Mode, types: tuple[type, ...], config: RuleConfig = NO_CONFIG
    ) -> Rule | None:
        """Return the rule for values of these classes, if an engine can run it by itself.

        None where there is no rule, where it has no derivative, and where it asks the engine to
        differentiate. Options that it does not take are refused.
        """
        rule = self.table.rule_for(mode, self.primal, types, config)
        if rule is None or not rule.differentiable or "config" in rule.wants:
            return None
        self.table.check_options(rule, self.options, config)
        return rule


class BoundCall(Record):
    """The rule that an adapter has found for the calls of one kind; it adds what it runs.

    `needed` are the positions of the arguments that are differentiated. An adapter that finds, by
    the value of a call, that calls of this kind are none for plans, says so by `refuse`.
    """

    table: RuleTable
    primal: Any
    rule: Rule | None
    needed: tuple[int, ...]
    refused: ClassVar[bool] = False

    def refuse(self) -> None:
        """From now on, calls of this kind have no plan."""
        vars(self)["refused"] = True


B = TypeVar("B", bound=BoundCall)
UNKNOWN = object()  # in the place of plans that are not made yet; None stands for calls without one


def planned(
    table: RuleTable,
    bind: Callable[[CanonicalCall], B | None],
    primal: Any,
    args: Args,
    options: Options,
    needed: tuple[int, ...],
) -> tuple[B, Args, Options] | None:
    """Return what is bound to a call, and its arguments and options as the rule takes them.

    The arguments at the positions `needed` are differentiated. None is returned for calls that an
    engine has to look at one by one. A plan is made at the first call of its kind, stored under
    `bind`, and forgotten when a rule arrives.
    """
    table = in_force(table)
    plans = table.memory.of_engines[(bind, "debug") if debugging() else bind]
    key: tuple[Any, ...] = (primal, needed, *map(type, args))
    if options:
        key = (*key, *options, *map(type, options.values()))
    try:
        plan = plans.get(key, UNKNOWN)
    except TypeError:  # the primal cannot be hashed
        return None
    if plan is UNKNOWN:
        plans[key] = plan = plan_of(table, bind, primal, args, options, needed)
    if plan is None:
        return None
    bound, arrange, _ = plan
    if bound.refused:
        return None
    if arrange is not None:
        args, options = arrange(args, options)
    return bound, args, options


class CallPlan(NamedTuple):
    """How the calls of one kind are differentiated.

    `bound` is what the engine runs. `arrange` brings arguments and options to where the rule wants
    them; it is None where they are there already. A call `is_rewritten` if its primal is another
    function than the one that was called, as that of a ufunc's method, or if options become
    arguments.
    """

    bound: Any
    arrange: Arrange | None
    is_rewritten: bool


def plan_of(
    table: RuleTable,
    bind: Callable[[CanonicalCall], Any],
    primal,
    args: Args,
    options: Options,
    needed: Sequence[int],
    by_class: bool = False,
) -> CallPlan | None:
    """Make the plan of calls like this one, for engines that store plans themselves.

    None where the classes do not say enough, and where `bind` returns None. What it returns has a
    `rule`, which is None if all options are taken. With `by_class`, calls like this one have options
    of the same classes, so that these may become arguments.
    """
    arrangement = table.names.arrangement(primal, len(args), options, by_class)
    if arrangement is None or not args:
        return None
    values, given = arrangement.arrange(args, options)
    if needed and max(needed) >= len(values):
        return None  # an option is differentiated
    is_adapted = arrangement.adapt is not None
    if is_adapted and (values[0] is not args[0] or any(needed)):
        return None  # another argument than the first is needed: where it is now is not known
    is_rewritten = is_adapted or arrangement.moves_options

    needs = tuple([k in needed for k in range(len(values))])
    moved = () if is_rewritten else arrangement.form.names[arrangement.arity : len(args)]
    names = (*options, *moved)
    canonical = arrangement.primal, values, given, needs
    bound = bind(CanonicalCall(table, primal, *canonical, may_have_options=bool(names)))
    if bound is None:
        return None

    rule = bound.rule
    accepted = None if rule is None else rule.options
    takes_all = accepted is None or accepted.issuperset(names)
    if not (names or is_rewritten):
        return CallPlan(bound, None, is_rewritten)
    if rule is None or (takes_all and not is_rewritten):
        return CallPlan(bound, arrangement.arrange, is_rewritten)

    def arrange(args: Args, options: Options) -> tuple[Args, Options]:
        args, options = arrangement.arrange(args, options)
        table.check_options(rule, options)
        return args, options

    return CallPlan(bound, arrange, is_rewritten)


# The bound calls of engines that need nothing but the rule


class BoundRule(BoundCall):
    """A rule for arguments of some classes; `stage` returns the value, `pull` and the residuals."""

    stage: Stage


def bound_in_reverse(call: CanonicalCall) -> BoundRule | None:
    """Bind the reverse rule of a call; None for a function without derivative."""
    rule, run = call.table.rule_and_function("reverse", call.primal, call.types, call.needs)
    if not rule.differentiable:
        return None
    call.table.check_options(rule, call.options)
    stage = closing_stage(rule, run, len(call.values))
    return BoundRule(call.table, call.primal, rule, call.needed, stage)


def closing_stage(rule: Rule, run: Function, count: int) -> Stage:
    """Make the stage of a rule that returns a pullback, which is all of its residuals.

    What the pullback returns is held to be `count` cotangents.
    """

    def apply_pullback(pullback: Any, y_bar: Any):
        return require_count(rule, pullback(y_bar), count)

    apply_pullback.reads_arguments = reads_arguments  # type: ignore[attr-defined]

    def stage(*args: Any, **options: Any) -> tuple[Any, Any, Any]:
        result = run(*args, **options)
        if type(result) is not tuple or len(result) != 2:
            value_and_pullback(rule, result)  # raises
        y, pullback = result
        return y, apply_pullback, pullback

    return stage


def reads_arguments(pullback: Callable[[Any], Any], y_bar) -> bool:
    """Tell whether a pullback may look at the arguments of its call again.

    One that knows has an attribute of this name, a function of the cotangent.
    """
    told = getattr(pullback, "reads_arguments", None)
    return told is None or told(y_bar)
