"""Which library computes a call: PyTorch where it can, and NumPy where not.

There are three answers, in this order:

    value in PyTorch, rule in PyTorch   PyTorch has the primal by NumPy's name, or its body runs on
                                        tensors and returns what it returns on NumPy's arrays
    value by NumPy, rule in PyTorch     only the rule runs on tensors; it is given the value
    value by NumPy, rule by NumPy       the rule needs NumPy's own arrays

Whether a function of Python runs on tensors nobody can tell without running it. So the first call
of each kind runs both derivatives on tensors, with the graph switched off; the answer is stored
until a rule arrives.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from chainrules_py.engines import FlatCall
from chainrules_torch.arrays.namespace import has, is_missing
from chainrules_torch.by_torch import values_of
from chainrules_torch.conversion import is_differentiable, is_tensor
from chainrules_torch.functions import transforming
from chainrules_torch.tensor_rules import TensorCall, known

ENGINE = "chainrules_torch.routes"


@dataclass(frozen=True)
class Route:
    """Which parts of a call PyTorch computes; `reasons` are the errors of those that it does not."""

    value_in_torch: bool
    rule_in_torch: bool
    reasons: tuple[str, ...] = ()


IN_TORCH = Route(value_in_torch=True, rule_in_torch=True)


def route_of(flat: FlatCall, leaves: Sequence[Any]) -> Route:
    """Return the route of a call, which is that of all calls of its kind."""
    key = (flat, transforming(), *map(_type_of_leaf, leaves))
    routes = flat.memory(ENGINE)
    found: Route | None = routes.get(key)
    if found is None:
        routes[key] = IN_TORCH  # for a rule that calls its own function meanwhile
        found = routes[key] = _decided(flat, leaves)
        if not found.rule_in_torch and not _runs_in_numpy(flat, leaves):
            del routes[key]  # a call that is wrong says nothing about its kind
    return found


def _type_of_leaf(leaf) -> Any:
    return (leaf.dtype, leaf.ndim) if is_tensor(leaf) else type(leaf)


def _decided(flat: FlatCall, leaves: Sequence[Any]) -> Route:
    reasons: list[str] = []
    for value_in_torch in (True, False):
        if value_in_torch and is_missing(flat.primal):
            continue
        failure = _failure(TensorCall(flat, value_in_torch), leaves, _run)
        if failure is None:
            return Route(value_in_torch, rule_in_torch=True, reasons=tuple(reasons))
        reasons.append(failure)
    return Route(value_in_torch=False, rule_in_torch=False, reasons=tuple(reasons))


def _runs_in_numpy(flat: FlatCall, leaves: Sequence[Any]) -> bool:
    return _failure(TensorCall(flat, value_in_torch=False), leaves, values_of) is None


def _run(call: TensorCall, leaves: Sequence[Any]) -> None:
    """Compute the value and both derivatives; a body of Python must give what NumPy gives."""
    results = values_of(call, leaves)
    if call.value_in_torch and not has(call.flat.primal):
        _require_equal(results, values_of(TensorCall(call.flat, value_in_torch=False), leaves))
    active = [k for k, x in enumerate(leaves) if is_tensor(x) and is_differentiable(x)]
    if not active or not any(map(is_differentiable, results)):
        return
    bars = [torch.ones_like(y) if is_differentiable(y) else None for y in results]
    dots = [torch.ones_like(x) if k in active else None for k, x in enumerate(leaves)]
    call.pulled(leaves, results, active, bars)
    call.pushed(leaves, results, dots)


def _require_equal(found: Sequence[torch.Tensor], expected: Sequence[torch.Tensor]) -> None:
    if [(y.shape, y.dtype) for y in found] != [(y.shape, y.dtype) for y in expected]:
        raise ValueError("the value has another shape or dtype than NumPy's")
    if not transforming():
        torch.testing.assert_close(list(found), list(expected), equal_nan=True)


def _failure(
    call: TensorCall, leaves: Sequence[Any], run: Callable[[TensorCall, Sequence[Any]], Any]
) -> str | None:
    """Run a call without a graph, and return the first line of the error that it raises."""
    before = known.is_trial
    known.is_trial = True
    try:
        with torch.no_grad():
            run(call, leaves)
    except Exception as error:  # any error of a rule on tensors: NumPy's arrays are tried next
        return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
    finally:
        known.is_trial = before
    return None
