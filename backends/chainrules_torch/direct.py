"""The short way for most calls: tensors and numbers by position, one array as the value, no
transformation of `torch.func`.

Everything here is also done, for any call, by `functions`; this is what a person would write for
one rule: `forward` runs the rule and keeps its pullback, `backward` calls it. Which rule that is,
is looked up once for each kind of call. Where PyTorch asks for more than the pullback gives, a
tangent or a derivative of the derivative, the call is handed on.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.autograd import forward_ad

from chainrules_py import RuleTable, unthunk
from chainrules_py.engines import FlatCall, FlatValue, Rule, qualified_name, require_count
from chainrules_torch.arrays.namespace import has
from chainrules_torch.arrays.tensor_array import TensorArray
from chainrules_torch.compiling import uncompiled
from chainrules_torch.conversion import as_array, as_tensor
from chainrules_torch.functions import apply, plain_apply
from chainrules_torch.outside import CONFIG
from chainrules_torch.programs import Call, Pull, Push, fitted
from chainrules_torch.replaying import recorded, tensors_in
from chainrules_torch.routes import Route, route_of
from chainrules_torch.tensor_rules import CONFIG as ON_TENSORS
from chainrules_torch.tensor_rules import TensorCall, TensorPush, wrapped
from chainrules_torch.tensor_rules import fitted as on_tensors
from chainrules_torch.traced import Traced

ENGINE = "chainrules_torch"
NUMBERS = (np.generic, np.ndarray, float, complex)
NEVER_SEEN, SEEN_ONCE, MOST_SHAPES = "never seen", "seen once", 64
# classes of what a pullback keeps that hold no other array
FLAT = frozenset({TensorArray, torch.Size, dict})
CONSTANTS = bool | int | float | str | None  # options that certainly hold no tensor


class UnplannedValueError(Exception):
    """The value is not one array: such calls go the long way from then on."""


@dataclass(frozen=True, eq=False, slots=True)
class Plan:
    """The rule of one kind of call: its stage for the pattern of needed arguments, and which
    arguments are tensors.
    """

    apply: Any
    stage: Any
    rule: Rule
    primal: Any
    rules: RuleTable
    needed: tuple[int, ...]
    tensors: tuple[int, ...]
    others: bool
    route: Route
    # of a declared rule by the shapes, dtypes and places of the tensors, None where a rule has none
    replays: Any

    def __repr__(self) -> str:
        return f"to_torch({qualified_name(self.primal)})"


def direct(
    primal: Any, args: tuple[Any, ...], options: dict[str, Any], rules: RuleTable
) -> torch.Tensor | None:
    """The value of a call that goes the short way; None where it does not, or is not in canonical
    form.
    """
    needs = tuple([getattr(x, "requires_grad", False) for x in args])
    key: Any = (primal, needs, *map(type, args))
    if options:
        key = (key, *options, *map(type, options.values()))
    plans = rules.memory.of_engines[ENGINE]
    try:
        plan = plans[key]
    except KeyError:
        plan = plans[key] = planned(primal, args, options, rules, needs)
    except TypeError:  # a primal that cannot be hashed
        return None
    if plan is None:
        return None
    try:
        y: torch.Tensor = plan.apply(plan, options, *args)
    except UnplannedValueError:
        plans[key] = None
        return None
    return y


def planned(
    primal: Any,
    args: tuple[Any, ...],
    options: dict[str, Any],
    rules: RuleTable,
    needs: tuple[bool, ...],
) -> Plan | None:
    """The rule for a kind of call, if it goes the short way: somebody needs a gradient, and tensors
    stand alone.
    """
    plain = all(isinstance(x, torch.Tensor | float | int) for x in args)
    if (
        not any(needs)
        or not plain
        or not all(isinstance(value, CONSTANTS) for value in options.values())
    ):
        return None
    canonical, arranged, kept = rules.canonical(primal, args, options)
    if arranged is not args or kept != options:
        return None
    route = route_of(
        *FlatCall.of(primal, args, options, lambda x: isinstance(x, torch.Tensor), rules)
    )
    native = route.is_native and (
        has(canonical) or not all(x.is_cpu for x in args if isinstance(x, torch.Tensor))
    )
    own, config = (TensorArray, ON_TENSORS) if native else (np.ndarray, CONFIG)
    types = tuple(own if isinstance(x, torch.Tensor) else type(x) for x in args)
    rule = rules.rule_for("reverse", canonical, types, config)
    if rule is None or not rule.differentiable or "config" in rule.wants:
        return None
    rules.check_options(rule, options, config)
    tensors = tuple(k for k, x in enumerate(args) if isinstance(x, torch.Tensor))
    needed = tuple(k for k, need in enumerate(needs) if need)
    run = rules.resolve("reverse", canonical, types, needs, config)
    # On tensors the stage does without NumPy's flags for zero times infinity, which PyTorch does
    # not raise.
    stage = getattr(run, "stage", None) if native else None
    apply = plain_apply(DirectOnTensors if native else Direct)
    others = len(tensors) < len(args)
    replays: Any = {} if stage and not others and not options else None
    return Plan(
        apply,
        stage or closing(run),
        rule,
        canonical,
        rules,
        needed,
        tensors,
        others,
        route,
        replays,
    )


def closing(run: Any) -> Any:
    """The stage of a rule that returns a pullback, which is all that is kept."""

    def stage(*args: Any, **options: Any) -> tuple[Any, Any, Any]:
        y, pullback = run(*args, **options)
        return y, apply_pullback, pullback

    return stage


def apply_pullback(pullback: Any, y_bar: Any) -> Any:
    """What a pullback makes of a cotangent."""
    return pullback(y_bar)


class Direct(torch.autograd.Function):  # type: ignore[misc]
    """The function of a call that has a plan."""

    @staticmethod
    @uncompiled
    def forward(ctx: Any, plan: Plan, options: dict[str, Any], *args: Any) -> torch.Tensor:
        """The value, as a tensor."""
        arrays = list(map(as_array, args))
        y, ctx.pull, ctx.residuals = plan.stage(*arrays, **options)
        if type(y) is not np.ndarray and not isinstance(y, NUMBERS):
            raise UnplannedValueError
        tensors = [args[k] for k in plan.tensors]
        result = as_tensor(y, tensors[0], arrays, plan)
        if not (result.is_floating_point() or result.is_complex()):
            raise UnplannedValueError
        ctx.plan, ctx.options, ctx.arrays, ctx.y = plan, options, arrays, type(y)
        ctx.save_for_backward(*tensors, result)
        ctx.save_for_forward(*tensors, result)
        return result

    @staticmethod
    @uncompiled
    def backward(ctx: Any, y_bar: torch.Tensor) -> tuple[Any, ...]:
        """One cotangent per input, by the pullback of the rule."""
        plan = ctx.plan
        args = arguments_of(ctx)
        results: list[Any] = [None] * (len(args) + 2)
        if torch.is_grad_enabled():
            for place, bar in differentiable_bars(ctx, args, y_bar):
                results[place + 2] = bar
            return tuple(results)
        seed = as_array(y_bar)
        found = require_count(
            plan.rule, ctx.pull(ctx.residuals, seed if ctx.y is np.ndarray else seed[()]), len(args)
        )
        given = [*ctx.arrays, seed]
        for k in plan.needed:
            x, bar = ctx.arrays[k], found[k]
            if type(bar) is not np.ndarray or bar.shape != x.shape or bar.dtype != x.dtype:
                bar = fitted(unthunk(bar), x)
            results[k + 2] = as_tensor(bar, args[k], given, plan)
            given.append(bar)
        return tuple(results)

    @staticmethod
    @uncompiled
    def jvp(ctx: Any, *dots: Any) -> Any:
        """The tangent, by the long way."""
        return pushed(ctx, dots[2:])


class DirectOnTensors(torch.autograd.Function):  # type: ignore[misc]
    """The function of a call that has a plan whose rule runs on tensors."""

    @staticmethod
    @uncompiled
    def forward(ctx: Any, plan: Plan, options: dict[str, Any], *args: Any) -> torch.Tensor:
        """The value, as a tensor."""
        arrays = map(wrapped, args) if plan.others else map(TensorArray, args)
        y, ctx.pull, residuals = plan.stage(*arrays, **options)
        result = y.tensor if type(y) is TensorArray else None
        if result is None or not (result.dtype.is_floating_point or result.dtype.is_complex):
            raise UnplannedValueError
        if result._is_view() or id(result) in map(id, args):
            result = result.clone()
        elif (
            type(residuals) is not tuple
            or id(y) in map(id, residuals)
            or not FLAT.issuperset(map(type, residuals))
        ):
            # what the pullback keeps is not what PyTorch hangs a graph on, of which it is a part
            result = result.data
        ctx.plan, ctx.options, ctx.residuals = plan, options, residuals
        if plan.others:
            ctx.arrays, args = args, tuple([args[k] for k in plan.tensors])
        ctx.save_for_backward(*args, result)
        if forward_ad._current_level >= 0:
            ctx.save_for_forward(*args, result)
        return result

    @staticmethod
    @uncompiled
    def backward(ctx: Any, y_bar: torch.Tensor) -> tuple[Any, ...]:
        """One cotangent per input, by the pullback of the rule."""
        plan, args = ctx.plan, arguments_of(ctx)
        results: list[Any] = [None] * (len(args) + 2)
        if torch.is_grad_enabled():
            for place, bar in differentiable_bars(ctx, args, y_bar):
                results[place + 2] = bar
            return tuple(results)
        found: Any
        if plan.replays is None:
            found = require_count(plan.rule, ctx.pull(ctx.residuals, TensorArray(y_bar)), len(args))
        else:
            found = pulled(plan, ctx.pull, ctx.residuals, args, y_bar)
        for k in plan.needed:
            t = found[k] if type(found[k]) is torch.Tensor else on_tensors(found[k], args[k])
            results[k + 2] = t.clone() if t is y_bar else t
        return tuple(results)

    @staticmethod
    @uncompiled
    def jvp(ctx: Any, *dots: Any) -> Any:
        """The tangent, by the long way."""
        return pushed(ctx, dots[2:])


def pulled(
    plan: Plan, pull: Any, residuals: Any, args: Sequence[torch.Tensor], y_bar: torch.Tensor
) -> Any:
    """The cotangents by a declared rule; by its recorded operations after two calls with tensors of
    these shapes.
    """
    key = tuple([(x.shape, x.dtype, x.is_cpu) for x in args])
    replay: Any = plan.replays.get(key, NEVER_SEEN)
    if replay is NEVER_SEEN:
        if len(plan.replays) >= MOST_SHAPES:
            plan.replays.clear()
        plan.replays[key] = SEEN_ONCE
    elif replay is SEEN_ONCE:
        like = {k: args[k] for k in plan.needed}
        replay = plan.replays[key] = (
            recorded(pull, residuals, like, y_bar) if all(x.is_cpu for x in args) else None
        )
    if callable(replay):
        return replay(*tensors_in(residuals), y_bar)
    return pull(residuals, TensorArray(y_bar))


def arguments_of(ctx: Any) -> Any:
    """The arguments of a call, its tensors unchanged since, or PyTorch's error."""
    saved = ctx.saved_tensors
    if not ctx.plan.others:
        return saved[:-1]
    tensors = dict(zip(ctx.plan.tensors, saved, strict=False))
    return [tensors.get(k, x) for k, x in enumerate(ctx.arrays)]


def differentiable_bars(
    ctx: Any, args: Any, y_bar: torch.Tensor
) -> Iterable[tuple[int, torch.Tensor]]:
    """The cotangents with their places among the arguments, known to PyTorch as functions of
    arguments and cotangent.
    """
    flat, leaves, places = laid_flat(ctx.plan, args, ctx.options)
    needed = [k for k, place in enumerate(places) if place in ctx.plan.needed]
    if ctx.plan.route.is_traced:
        result = ctx.saved_tensors[-1]
        bars: Sequence[Any] = traced_call(ctx.plan.route, flat, result).pulled(
            leaves, [result], needed, [y_bar]
        )
    else:
        bars = apply(Pull(Call(flat, frozenset()), len(leaves), needed, [0], 1), *leaves, y_bar)
    return zip([places[k] for k in needed], bars, strict=True)


def pushed(ctx: Any, dots: Sequence[Any]) -> torch.Tensor:
    """The tangent, known to PyTorch as a function of arguments and tangents."""
    flat, leaves, places = laid_flat(ctx.plan, arguments_of(ctx), ctx.options)
    moved = [k for k, place in enumerate(places) if dots[place] is not None]
    tangents = [dots[places[k]] for k in moved]
    found: torch.Tensor
    if ctx.plan.route.is_traced:
        result = ctx.saved_tensors[-1]
        push = TensorPush(traced_call(ctx.plan.route, flat, result), len(leaves), 1, moved)
        found = Traced.apply(push, *leaves, result, *tangents)[0]
    else:
        found = apply(Push(Call(flat, frozenset()), len(leaves), moved, [0]), *leaves, *tangents)[0]
    return found


def traced_call(route: Route, flat: FlatCall, result: torch.Tensor) -> TensorCall:
    """The call as one whose value is one array."""
    call = TensorCall(flat, route.is_native)
    call.described(FlatValue.of(result))
    return call


def laid_flat(
    plan: Plan, args: Any, options: dict[str, Any]
) -> tuple[FlatCall, list[Any], list[int]]:
    """The call, its leaves, and the places of these among the arguments."""
    places = [k for k, x in enumerate(args) if not isinstance(x, int)]
    return (
        *FlatCall.of(
            plan.primal, tuple(args), options, lambda x: isinstance(x, torch.Tensor), plan.rules
        ),
        places,
    )
