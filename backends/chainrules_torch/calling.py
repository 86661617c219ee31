"""`to_torch`: a primal that has a rule as a function of tensors, which PyTorch differentiates by
that rule.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.autograd import forward_ad

from chainrules_py import RuleTable, default_rules
from chainrules_py.engines import (
    FlatCall,
    in_force,
    qualified_name,
    tape,
    tape_config,
    with_rules,
)
from chainrules_torch.arrays.namespace import has
from chainrules_torch.by_numpy import apply
from chainrules_torch.by_torch import ByTorch
from chainrules_torch.compiling import uncompiled
from chainrules_torch.conversion import array_of_tensor, is_tensor
from chainrules_torch.functions import transforming
from chainrules_torch.planned import planned_call
from chainrules_torch.programs import NumpyCall
from chainrules_torch.routes import route_of
from chainrules_torch.tensor_rules import TensorCall, wrapped
from chainrules_torch.whole_programs import ProgramCalls


@dataclass(unsafe_hash=True, repr=False)
class TorchFunction:
    """A primal on tensors; two are equal if their primal and their table are."""

    primal: Any
    table: RuleTable
    # of a function without rules, and the program that it is, with what is found out of it
    calls: ProgramCalls | None = field(default=None, init=False, compare=False)
    whole: Any = field(default=None, init=False, compare=False)

    def __post_init__(self) -> None:
        self.__name__ = self.__qualname__ = getattr(
            self.primal, "__name__", type(self.primal).__name__
        )

    @property
    def rules(self) -> RuleTable:
        """The rules by which a call is differentiated."""
        return in_force(self.table)

    @uncompiled
    def __call__(self, *args: Any, **options: Any) -> Any:
        """The value, with tensors for arrays and numbers with a dtype."""
        operation, given, named = self._operation(args, options)
        if operation is self.primal:
            return call_on_tensors(operation, given, named, self.rules)
        if given[1] is not args:  # the function captures tensors, which are arguments now
            return differentiated_by_numpy(
                *FlatCall.of(operation, given, {}, is_tensor, self.rules)
            )
        if not options and torch.is_grad_enabled() and not transforming():
            y = self._program_calls().call_planned(args)
            if y is not None:
                return y
        return call_on_tensors(operation, given, {}, self.rules)

    def _program_calls(self) -> ProgramCalls:
        """The planned calls of the whole program that the function is."""
        rules = self.rules
        if self.calls is None or self.calls.table is not rules:
            operation, given, _ = with_rules(self.primal, (), {}, rules)
            program = tape().DirectProgram(given[0])
            self.calls = ProgramCalls(operation, program, rules)
        return self.calls

    def _operation(
        self, args: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        """The call as one of a function with rules; of one without, the whole program is one."""
        found = with_rules(self.primal, args, options, self.rules, is_differentiated_by)
        if found[0] is not self.primal:
            self.whole = found[1][0]
        return found

    def __repr__(self) -> str:
        return f"to_torch({qualified_name(self.primal)})"

    def explain(self, *args: Any, **options: Any) -> str:
        """Which rules compute the derivatives of a call, and how PyTorch runs them."""
        operation, given, named = self._operation(args, options)
        if operation is not self.primal:
            explained: str = given[0].explained("PyTorch", "by NumPy, on the memory of the tensors")
            return explained
        return explain_call(operation, given, named, self.rules)


def to_torch(primal: Callable[..., Any], *, rules: RuleTable = default_rules) -> TorchFunction:
    """A function of tensors whose derivatives, in both modes and of any order, are those of a
    primal's rule.

    A function without rules is a program of NumPy's, which chainrules_tape differentiates
    (`chainrules_tape.as_primitive`).
    Tensors may be anywhere among the arguments, in containers, too; options go by keyword and are
    constants.

    >>> import torch
    >>> x = torch.tensor([0.0, 1.0], requires_grad=True)
    >>> torch.autograd.grad(to_torch(np.tanh)(x).sum(), x)
    (tensor([1.0000, 0.4200]),)
    """
    return TorchFunction(primal, rules)


@uncompiled
def call_on_tensors(
    primal, args: tuple[Any, ...], options: dict[str, Any], rules: RuleTable = default_rules
) -> Any:
    """Compute the value of a primal on tensors, as PyTorch differentiates it."""
    rules = in_force(rules)
    may_be_planned = not transforming() and torch.is_grad_enabled()
    if may_be_planned and (y := planned_call(primal, args, options, rules)) is not None:
        return y
    given = args, options
    primal, args, options = rules.canonical(primal, args, options)
    if may_be_planned and (args is not given[0] or options is not given[1]):
        y = planned_call(primal, args, options, rules)
        if y is not None:
            return y

    flat, leaves = FlatCall.of(primal, args, options, is_tensor, rules)
    route = route_of(flat, leaves)
    if route.rule_in_torch:
        call = TensorCall(flat, route.value_in_torch)
        return call.shape.rebuilt(ByTorch.apply(call, *leaves))
    return differentiated_by_numpy(flat, leaves)


def differentiated_by_numpy(flat: FlatCall, leaves: Sequence[Any]) -> Any:
    """Compute the value of a call whose rule needs NumPy, as PyTorch differentiates it."""
    needed = frozenset(k for k, x in enumerate(leaves) if is_tensor(x) and x.requires_grad)
    call = NumpyCall(flat, needed)
    return call.shape.rebuilt(apply(call, *leaves))


def is_differentiated_by(x) -> bool:
    """Tell whether a value is a tensor by which PyTorch differentiates, in any of its ways."""
    if not is_tensor(x):
        return False
    wrapped = torch._C._functorch.is_functorch_wrapped_tensor(x)  # pyright: ignore[reportAttributeAccessIssue]
    if x.requires_grad or wrapped:
        return True
    return forward_ad._current_level >= 0 and forward_ad.unpack_dual(x).tangent is not None


def value_by_numpy(
    primal, args: tuple[Any, ...], options: dict[str, Any], rules: RuleTable = default_rules
):
    """Compute the value of a primal on tensors by NumPy."""
    flat, leaves = FlatCall.of(primal, args, options, is_tensor, rules)
    call = NumpyCall(flat)
    return call.shape.rebuilt(apply(call, *leaves))


def explain_call(
    primal, args: tuple[Any, ...], options: dict[str, Any], rules: RuleTable = default_rules
) -> str:
    """Say which rules compute the derivatives of a call, and how PyTorch runs them."""
    flat, leaves = FlatCall.of(primal, args, options, is_tensor, rules)
    route = route_of(flat, leaves)
    as_argument = wrapped if route.rule_in_torch else array_of_tensor
    arguments, named = flat.arguments(list(map(as_argument, leaves)))

    value = "on tensors" if route.value_in_torch else "opaque, by NumPy"
    if route.value_in_torch and not has(flat.primal):
        value += ", and by NumPy where they are on the CPU and one of them requires a gradient"
    if route.rule_in_torch:
        derivatives, second = "on tensors", "by PyTorch"
    else:
        derivatives, second = "opaque, by NumPy", "by chainrules_tape"
    types = tuple(map(type, arguments))
    rule_for_batches = rules.rule_for("batching", flat.primal, types)
    is_one_call = route.value_in_torch or rule_for_batches is not None
    batch = "one call for the batch" if is_one_call else "one call for each entry of the batch"
    lines = [
        f"to_torch({flat})",
        f"  value: {value}",
        f"  derivatives: {derivatives}",
        *(f"    {reason}" for reason in route.reasons),
        str(rules.explain(flat.primal, *arguments, config=tape_config(rules), **named)),
        f"  derivatives of the rule: {second}",
        f"  vmap of the value: {batch}",
    ]
    return "\n".join(lines)
