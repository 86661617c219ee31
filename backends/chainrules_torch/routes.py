"""Which way a call takes: its rule runs on tensors where it can, and in NumPy, outside of PyTorch,
where not.

It is found by trying, on the first call of each kind, and remembered until a rule arrives. PyTorch
computes the value where it has the primal under NumPy's name, or where the body of the primal runs
on tensors and gives what NumPy gives; else NumPy does, and the rule is told the value.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from chainrules_py.engines import FlatCall
from chainrules_torch.arrays.namespace import has, is_missing
from chainrules_torch.conversion import is_differentiable
from chainrules_torch.functions import transforming
from chainrules_torch.tensor_rules import TensorCall, known
from chainrules_torch.traced import values_of

ENGINE = "chainrules_torch.routes"


@dataclass(frozen=True)
class Route:
    """How a kind of call is computed; `reasons` say why a part of it is not computed by PyTorch."""

    is_traced: bool
    is_native: bool
    reasons: tuple[str, ...] = ()


def route_of(flat: FlatCall, leaves: Sequence[Any]) -> Route:
    """The route of a call."""
    key = (flat, transforming(), *map(_kind, leaves))
    routes = flat.table.memory.of_engines[ENGINE]
    found: Route | None = routes.get(key)
    if found is None:
        routes[key] = Route(True, True)  # what a rule that calls its own function finds meanwhile
        found = routes[key] = _tried(flat, leaves)
        # a call that is wrong says nothing about its kind
        if not found.is_traced and not _is_computed(flat, leaves):
            del routes[key]
    return found


def _kind(leaf: Any) -> Any:
    return (leaf.dtype, leaf.ndim) if isinstance(leaf, torch.Tensor) else type(leaf)


def _tried(flat: FlatCall, leaves: Sequence[Any]) -> Route:
    reasons: list[str] = []
    for is_native in (False,) if is_missing(flat.primal) else (True, False):
        reason = _failure(lambda is_native=is_native: _run(TensorCall(flat, is_native), leaves))  # type: ignore[misc]
        if reason is None:
            return Route(True, is_native, tuple(reasons))
        reasons.append(reason)
    return Route(False, False, tuple(reasons))


def _run(call: TensorCall, leaves: Sequence[Any]) -> None:
    """Compute the value and both derivatives of a call; a body of Python's must give what it gives
    on NumPy's arrays.
    """
    results = values_of(call, leaves)
    if call.is_native and not has(call.flat.primal):
        _require_equal(results, values_of(TensorCall(call.flat, False), leaves))
    active = [
        k for k, x in enumerate(leaves) if isinstance(x, torch.Tensor) and is_differentiable(x)
    ]
    if active and any(map(is_differentiable, results)):
        ones = [torch.ones_like(y) if is_differentiable(y) else None for y in results]
        call.pulled(leaves, results, active, ones)
        call.pushed(
            leaves,
            results,
            [torch.ones_like(x) if k in active else None for k, x in enumerate(leaves)],
        )


def _require_equal(found: Sequence[torch.Tensor], expected: Sequence[torch.Tensor]) -> None:
    if [(y.shape, y.dtype) for y in found] != [(y.shape, y.dtype) for y in expected]:
        raise ValueError("the value has another shape or dtype than NumPy's")
    if not transforming():
        torch.testing.assert_close(list(found), list(expected), equal_nan=True)


def _is_computed(flat: FlatCall, leaves: Sequence[Any]) -> bool:
    return _failure(lambda: values_of(TensorCall(flat, False), leaves)) is None


def _failure(run: Callable[[], Any]) -> str | None:
    known.is_trial, before = True, known.is_trial
    try:
        with torch.no_grad():
            run()
    # whatever a rule says to tensors, it says again, or not, to NumPy's arrays
    except Exception as error:
        return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
    finally:
        known.is_trial = before
    return None
