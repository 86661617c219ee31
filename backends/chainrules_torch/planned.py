"""Planned calls: tensors and numbers by position, one array as the value, no `torch.func` at work.

Most calls are such. Their rule is looked up once for each kind of call. Then this is what a person
would write for one rule: `forward` runs it and saves its residuals, `backward` calls its pullback.
Where PyTorch asks for more, a tangent or a derivative of the derivative, the call is handed to the
functions of all other calls (`ByTorch`, `ByNumPy`).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.autograd import forward_ad

from chainrules_py import RuleTable, unthunk
from chainrules_py.engines import (
    BoundCall,
    CanonicalCall,
    FlatCall,
    FlatValue,
    Pullback,
    Pushforward,
    closing_stage,
    fitted,
    planned,
    qualified_name,
    tape_config,
    with_items_at,
)
from chainrules_torch.arrays.namespace import has
from chainrules_torch.arrays.tensor_array import TensorArray
from chainrules_torch.by_numpy import apply
from chainrules_torch.by_torch import ByTorch
from chainrules_torch.compiling import uncompiled
from chainrules_torch.conversion import array_of_tensor, as_tensor, is_tensor
from chainrules_torch.functions import is_differentiated, plain_apply
from chainrules_torch.older_batches import by_vmap, is_older_batch
from chainrules_torch.programs import NumpyCall
from chainrules_torch.replaying import Replays
from chainrules_torch.routes import Route, route_of
from chainrules_torch.tensor_rules import (
    TensorCall,
    TensorPush,
    fitted_tensor,
    on_tensors,
    wrapped,
)

NUMBERS = (np.generic, np.ndarray, float, complex)
FLAT = frozenset({TensorArray, torch.Size, dict})  # classes of residuals that hold no other tensor
CONSTANTS = bool | int | float | str | None  # options that certainly hold no tensor


class UnplannedValueError(Exception):
    """The value is not one array of numbers: such calls are not planned from then on."""


class BoundRule(BoundCall):
    """A rule bound for the calls of one kind; `tensors` are the positions of tensors."""

    stage: Any
    tensors: tuple[int, ...]
    has_numbers: bool
    route: Route

    def __repr__(self) -> str:
        return f"to_torch({qualified_name(self.primal)})"

    def canonical(
        self, args: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        """Return the call of the primal that this is."""
        return self.primal, args, options


class BoundByNumPy(BoundRule):
    """A rule that runs on NumPy's arrays."""

    def run_rule(self, ctx, args: tuple[Any, ...], options: dict[str, Any]) -> torch.Tensor:
        """Run the rule on the memory of the tensors, where they are on the CPU."""
        arrays = list(map(array_of_tensor, args))
        y, ctx.pull, ctx.residuals = self.stage(*arrays, **options)
        if type(y) is not np.ndarray and not isinstance(y, NUMBERS):
            raise UnplannedValueError
        result = as_tensor(y, args[self.tensors[0]], arrays, self)
        if not (result.is_floating_point() or result.is_complex()):
            raise UnplannedValueError
        ctx.arrays, ctx.is_array = arrays, type(y) is np.ndarray
        return result

    def cotangents(self, ctx, args: Sequence[Any], y_bar: torch.Tensor) -> tuple[Any, ...]:
        """Return the cotangents, none of which shares memory."""
        seed = array_of_tensor(y_bar)
        found = ctx.pull(ctx.residuals, seed if ctx.is_array else seed[()])
        results: list[Any] = [None] * (len(args) + 2)
        given = [*ctx.arrays, seed]
        for k in self.needed:
            x, bar = ctx.arrays[k], found[k]
            if type(bar) is not np.ndarray or bar.shape != x.shape or bar.dtype != x.dtype:
                bar = fitted(unthunk(bar), x)
            results[k + 2] = as_tensor(bar, args[k], given, self)
            given.append(bar)
        return tuple(results)


class BoundByTorch(BoundRule):
    """A rule that runs on tensors; `replays` are those of its pullback, None where nothing is to be
    recorded.
    """

    replays: Replays | None = None

    def run_rule(self, ctx, args: tuple[Any, ...], options: dict[str, Any]) -> torch.Tensor:
        """Run the rule on the tensors."""
        arrays = map(wrapped, args) if self.has_numbers else map(TensorArray, args)
        y, ctx.pull, residuals = self.stage(*arrays, **options)
        if type(y) is not TensorArray:
            raise UnplannedValueError
        result: torch.Tensor = y.tensor
        if not (result.dtype.is_floating_point or result.dtype.is_complex):
            raise UnplannedValueError
        ctx.residuals = residuals
        if result._is_view() or id(result) in map(id, args):
            return result.clone()
        # PyTorch hangs a graph on the result, which is to be no part of what the graph holds.
        return result.data if may_hold(residuals, y) else result

    def cotangents(self, ctx, args: Sequence[Any], y_bar: torch.Tensor) -> tuple[Any, ...]:
        """Return the cotangents, none of which is that of the value itself."""
        if self.replays is None:
            found = ctx.pull(ctx.residuals, TensorArray(y_bar))
        else:
            found = self.replays.pulled(ctx.pull, ctx.residuals, args, self.needed, y_bar)
        results: list[Any] = [None] * (len(args) + 2)
        for k in self.needed:
            bar = found[k]
            if type(bar) is not torch.Tensor:
                bar = fitted_tensor(bar, args[k])
            results[k + 2] = bar.clone() if bar is y_bar else bar
        return tuple(results)


Bound = BoundByNumPy | BoundByTorch


def may_hold(residuals, y: TensorArray) -> bool:
    """Tell whether the value may be part of the residuals."""
    if type(residuals) is not tuple or not FLAT.issuperset(map(type, residuals)):
        return True
    return id(y) in map(id, residuals)


class Planned(torch.autograd.Function):  # type: ignore[misc]
    """The function of a call that has a plan; it has no `setup_context`, which costs a call."""

    @staticmethod
    @uncompiled
    def forward(ctx, rule: Bound, options: dict[str, Any], *args) -> torch.Tensor:
        """Compute the value, and save what the derivatives need."""
        result = rule.run_rule(ctx, args, options)
        ctx.rule, ctx.options = rule, options
        if rule.has_numbers:
            ctx.args, args = args, tuple([args[k] for k in rule.tensors])
        ctx.save_for_backward(*args, result)
        if forward_ad._current_level >= 0:
            ctx.save_for_forward(*args, result)
        return result

    @staticmethod
    @uncompiled
    def backward(ctx, y_bar: torch.Tensor) -> tuple[Any, ...]:
        """Return one cotangent per input; None for the rule, the options, and constants."""
        args, result = saved_of(ctx)
        if is_older_batch(y_bar):
            return by_vmap(lambda bar: differentiable_cotangents(ctx, args, result, bar), [y_bar])
        if is_differentiated():
            return differentiable_cotangents(ctx, args, result, y_bar)
        return ctx.rule.cotangents(ctx, args, y_bar)

    @staticmethod
    @uncompiled
    def jvp(ctx, _: None, __: None, *dots) -> Any:
        """Return the tangent, by a function that can be differentiated again."""
        if any(map(is_older_batch, dots)):
            return by_vmap(lambda *shown: (Planned.jvp(ctx, None, None, *shown),), dots)[0]
        rule = ctx.rule
        args, result = saved_of(ctx)
        call, leaves, places = flat_call(rule, args, ctx.options)
        moved = [k for k, place in enumerate(places) if dots[place] is not None]
        tangents = [dots[places[k]] for k in moved]
        if rule.route.rule_in_torch:
            push = TensorPush(tensor_call(rule, call, result), len(leaves), 1, moved)
            return ByTorch.apply(push, *leaves, result, *tangents)[0]
        pushforward = Pushforward(NumpyCall(call), len(leaves), tuple(moved), wanted=(0,))
        return apply(pushforward, *leaves, *tangents)[0]


def saved_of(ctx) -> tuple[Sequence[Any], torch.Tensor]:
    """Return the arguments and the value that were saved; PyTorch raises if one was changed since.

    It is asked for them once: `torch.utils.checkpoint` raises where somebody asks twice.
    """
    *args, result = ctx.saved_tensors
    if not ctx.rule.has_numbers:
        return args, result
    return with_items_at(ctx.args, ctx.rule.tensors, args), result


def differentiable_cotangents(
    ctx, args: Sequence[Any], result: torch.Tensor, y_bar: torch.Tensor
) -> tuple[Any, ...]:
    """Return the cotangents, known to PyTorch as functions of arguments and cotangent."""
    rule = ctx.rule
    call, leaves, places = flat_call(rule, args, ctx.options)
    needed = [k for k, place in enumerate(places) if place in rule.needed]
    bars: Sequence[torch.Tensor]
    if rule.route.rule_in_torch:
        bars = tensor_call(rule, call, result).pulled(leaves, [result], needed, [y_bar])
    else:
        pullback = Pullback(NumpyCall(call), len(leaves), tuple(needed), given=(0,))
        bars = apply(pullback, *leaves, y_bar)
    return (None, None, *with_items_at([None] * len(args), rule.needed, bars))


def tensor_call(rule: Bound, call: FlatCall, result: torch.Tensor) -> TensorCall:
    """Make the call as one whose value is one array."""
    made = TensorCall(call, rule.route.value_in_torch)
    made.shape.results_in(FlatValue.of(result))
    return made


def flat_call(
    rule: Bound, args: Sequence[Any], options: dict[str, Any]
) -> tuple[FlatCall, list[Any], list[int]]:
    """Return the call, its leaves, and the places of these among the arguments."""
    call, leaves = FlatCall.of(*rule.canonical(tuple(args), options), is_tensor, rule.table)
    return call, leaves, [k for k, x in enumerate(args) if not isinstance(x, int)]


# Which calls have a plan


def planned_call(
    primal, args: tuple[Any, ...], options: dict[str, Any], rules: RuleTable
) -> torch.Tensor | None:
    """Compute the value of a call that has a plan; None for all others."""
    needed = tuple([k for k, x in enumerate(args) if getattr(x, "requires_grad", False)])
    if not needed:
        return None
    found: Any = planned(rules, bound_rule, primal, args, options, needed)
    return None if found is None else value_of_planned(*found)


def value_of_planned(
    rule: Bound, args: Sequence[Any], options: dict[str, Any]
) -> torch.Tensor | None:
    """Compute the value of a call that is bound; None if it is not one array of numbers."""
    try:
        y: torch.Tensor = plain_apply(Planned)(rule, options, *args)
    except UnplannedValueError:
        rule.refuse()
        return None
    return y


def bound_rule(call: CanonicalCall) -> Bound | None:
    """Bind the rule of a call, or None where its arguments or its rule are unusual."""
    table, primal, args, options = call.table, call.primal, call.values, call.options
    if not all(isinstance(x, torch.Tensor | float | int) for x in args):
        return None
    if not all(isinstance(value, CONSTANTS) for value in options.values()):
        return None

    route = route_of(*FlatCall.of(primal, tuple(args), options, is_tensor, table))
    runs_on_tensors = route.value_in_torch and (has(primal) or not is_on_cpu(args))
    own: type = TensorArray if runs_on_tensors else np.ndarray
    config = on_tensors(table) if runs_on_tensors else tape_config(table)
    types = tuple(own if is_tensor(x) else type(x) for x in args)
    rule = call.rule("reverse", types, config)
    if rule is None:
        return None
    run = table.resolve("reverse", primal, types, call.needs, config)

    tensors = tuple(k for k, x in enumerate(args) if is_tensor(x))
    has_numbers = len(tensors) < len(args)
    common = table, primal, rule, call.needed
    closed = closing_stage(rule, run, len(args))
    if not runs_on_tensors:
        return BoundByNumPy(*common, closed, tensors, has_numbers, route)
    # The stage does without NumPy's flags for zero times infinity, which PyTorch does not raise.
    stage = getattr(run, "stage", None)
    is_recorded = stage is not None and not has_numbers and not call.may_have_options
    replays = Replays() if is_recorded else None
    return BoundByTorch(*common, stage or closed, tensors, has_numbers, route, replays=replays)


def is_on_cpu(args: Sequence[Any]) -> bool:
    """Tell whether NumPy can read all tensors among the arguments."""
    return all(x.is_cpu for x in args if is_tensor(x))
