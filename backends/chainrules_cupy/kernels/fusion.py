"""Compute the cotangents of a scalar rule in fused kernels, in place of array expressions.

One launch computes all that have the cotangent's shape; another, for each that was broadcast,
computes and sums at once, unless that would leave the device idle (`sums`).

Kernels are made on first use per pattern of dtypes, and cached, as is that a pattern has none.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chainrules_cupy.errors import refuse_mixed_devices
from chainrules_cupy.kernels.ctypes import NoSpelling
from chainrules_cupy.kernels.plans import KernelPlan, Launcher, ResultSpace
from chainrules_cupy.kernels.postponed import FusedProduct, postponed
from chainrules_cupy.kernels.writing import Request

# Numbers that are written into a kernel's source, and not passed to it: with such an exponent or
# factor a power becomes a product or a quotient.
FOLDED = frozenset((-2, -1, 1, 2, 3))
KERNEL_ERRORS = (TypeError, ValueError, RuntimeError)


@dataclass(frozen=True, eq=False)
class Fused:
    """The products of one scalar rule, for one pattern of needs."""

    request: Request
    launcher: Launcher
    arrays: tuple[type, ...]
    plans: dict[Any, KernelPlan | None] = field(default_factory=dict)

    def __call__(
        self, operands: tuple[Any, ...], spaces: tuple[ResultSpace, ...]
    ) -> tuple[Any, ...] | None:
        """All results, each in its space; None where these types have no kernel."""
        plan = self._plan_for(operands, spaces)
        if plan is None:
            return None
        try:
            return plan.run(operands, spaces)
        except KERNEL_ERRORS as error:
            self._explain(operands, error)
            raise

    def onto(
        self,
        operands: tuple[Any, ...],
        spaces: tuple[ResultSpace, ...],
        slots: tuple[Any, ...],
        accumulators: list[Any],
    ) -> bool:
        """Add each result to the accumulator at its slot, all in one launch; False, and nothing
        done, where that can't be.
        """
        plan = self._plan_for(operands, spaces)
        if plan is None:
            return False
        try:
            return plan.run_onto(operands, spaces, slots, accumulators)
        except KERNEL_ERRORS as error:
            self._explain(operands, error)
            raise

    def later(
        self, operands: tuple[Any, ...], spaces: tuple[ResultSpace, ...]
    ) -> FusedProduct | None:
        """A product that is computed when it is asked for; None unless the rule has one result
        alone, and that has the cotangent's shape.
        """
        plan = self._plan_for(operands, spaces)
        return None if plan is None else postponed(plan, operands, spaces)

    def _explain(self, operands: tuple[Any, ...], error: Exception) -> None:
        refuse_mixed_devices(f"the kernel of {self.request.name}", operands, error)

    def _plan_for(
        self, operands: tuple[Any, ...], spaces: tuple[ResultSpace, ...]
    ) -> KernelPlan | None:
        # what is not pretty here is paid by every operation on a device: 0.7 us in all
        arrays = self.arrays
        kinds = tuple([x.dtype if type(x) in arrays else key_of(x) for x in operands])
        targets = (spaces[0][1],) if len(spaces) == 1 else tuple([target for _, target in spaces])
        try:
            return self.plans[kinds, targets]
        except KeyError:
            plan = self.plans[kinds, targets] = self._plan(
                tuple(map(kind_for_kernel, operands)), targets
            )
            return plan

    def _plan(self, kinds: tuple[Any, ...], targets: tuple[Any, ...]) -> KernelPlan | None:
        try:
            return KernelPlan(self.request, self.launcher, kinds, targets)
        except NoSpelling:
            return None


def fuse_with(
    launcher: Launcher, namespaces: tuple[Any, ...], arrays: tuple[type, ...]
) -> Callable[..., Fused | None]:
    """`ArrayLibrary.fuse` for a library with these namespaces, kernels, and array classes."""

    def fuse(
        name: str, sources: tuple[str, ...], operands: tuple[str, ...], scope: Mapping[str, Any]
    ) -> Fused | None:
        request = Request(name, sources, operands, scope, namespaces)
        # a rule that has no kernel for doubles has none at all: its generated code need not ask
        try:
            request.write((np.dtype(float),) * len(operands), (np.dtype(float),) * len(sources))
        except NoSpelling:
            return None
        return Fused(request, launcher, arrays)

    return fuse


def kind_for_kernel(operand) -> Any:
    """Return what a kernel is compiled for: a dtype, a class of Python numbers, or a small number."""
    dtype = getattr(operand, "dtype", None)
    if dtype is not None:
        return dtype
    return operand if operand in FOLDED and type(operand) is not bool else type(operand)


def key_of(operand) -> Any:
    """Return `kind_for_kernel` as part of a dict key: 2 differs from 2.0, and a class from an equal dtype."""
    cls = type(operand)
    if cls is float or cls is int:
        return (cls, operand) if operand in FOLDED else (cls,)
    kind = kind_for_kernel(operand)
    return kind if isinstance(kind, np.dtype) else (cls, kind)
