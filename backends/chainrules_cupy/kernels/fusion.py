"""What a generated rule calls in place of its products.

One launch computes all that have the cotangent's shape; another, for each that was broadcast, computes and sums at once, unless
that would leave the device idle (`sums`).

Kernels are made on first use per pattern of dtypes, and remembered. A pattern that has no kernel is remembered as such.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from chainrules_cupy.errors import refuse_mixed_devices
from chainrules_cupy.kernels.adding import Layout, adding, given, layout_of, settle, sums_of
from chainrules_cupy.kernels.ctypes import NoSpelling
from chainrules_cupy.kernels.postponed import FusedProduct
from chainrules_cupy.kernels.shapes import Shape, broadcast_shape, summed_axes
from chainrules_cupy.kernels.writing import KernelSource, Request, has_tangent
from chainrules_cupy.sums import in_slices, is_starved, sum_of_products
from chainrules_py.tangents import NO_TANGENT

Space = tuple[Shape, Any]  # what a result is brought to: shape and dtype, or () and the class of a Python number

# Constants that a kernel is better written for than given: exponents and factors that make other operations of a power.
FOLDED = frozenset((-2, -1, 1, 2, 3))


@dataclass(frozen=True)
class Launcher:
    """How sources become kernels: CuPy's way, or for tests another."""

    elementwise: Callable[[KernelSource], Callable[..., tuple[Any, ...]]]
    summing: Callable[[KernelSource], Callable[..., Any]]


@dataclass(frozen=True, eq=False)
class Fused:
    """The products of one scalar rule, for one pattern of needs."""

    request: Request
    launcher: Launcher
    arrays: tuple[type, ...]
    plans: dict[Any, "Plan | None"] = field(default_factory=dict)

    def __call__(self, operands: tuple[Any, ...], spaces: tuple[Space, ...]) -> tuple[Any, ...] | None:
        """All results, each in its space; None where these types have no kernel."""
        plan = self._plan_for(operands, spaces)
        return None if plan is None else self._launched(plan.run, operands, spaces)

    def onto(
        self, operands: tuple[Any, ...], spaces: tuple[Space, ...], slots: tuple[Any, ...], accumulators: list[Any]
    ) -> bool:
        """Add each result to the accumulator at its slot, all in one launch; False, and nothing done, where that can't be."""
        plan = self._plan_for(operands, spaces)
        return plan is not None and self._launched(plan.run_onto, operands, spaces, slots, accumulators)

    def later(self, operands: tuple[Any, ...], spaces: tuple[Space, ...]) -> FusedProduct | None:
        """The result not multiplied out, if there is one only, as wide as the cotangent."""
        plan = self._plan_for(operands, spaces)
        return None if plan is None else plan.postpone(operands, spaces)

    def _launched(self, run: Callable[..., Any], operands: tuple[Any, ...], *more: Any) -> Any:
        try:
            return run(operands, *more)
        except (TypeError, ValueError, RuntimeError) as error:
            refuse_mixed_devices(f"the kernel of {self.request.name}", operands, error)
            raise

    def _plan_for(self, operands: tuple[Any, ...], spaces: tuple[Space, ...]) -> "Plan | None":
        arrays = self.arrays  # what is not pretty here is paid by every operation on a device: 0.7 us in all
        kinds = tuple([x.dtype if type(x) in arrays else key_of(x) for x in operands])
        targets = (spaces[0][1],) if len(spaces) == 1 else tuple([target for _, target in spaces])
        try:
            return self.plans[kinds, targets]
        except KeyError:
            plan = self.plans[kinds, targets] = self._plan(tuple(map(kind_of, operands)), targets)
            return plan

    def _plan(self, kinds: tuple[Any, ...], targets: tuple[Any, ...]) -> "Plan | None":
        try:
            return Plan(self.request, self.launcher, kinds, targets)
        except NoSpelling:
            return None


class Plan:
    """The kernels for one pattern of dtypes. An operand that varies is passed; a folded constant is part of the kernel."""

    def __init__(self, request: Request, launcher: Launcher, kinds: tuple[Any, ...], targets: tuple[Any, ...]) -> None:
        self.source, self.launcher = request.write(kinds, targets), launcher
        self.xp = request.namespaces[0]
        self.live = tuple(k for k, target in enumerate(targets) if has_tangent(target))
        self.passed = tuple(k for k, kind in enumerate(kinds) if isinstance(kind, type | np.dtype))
        self.folds, self.plain = len(self.passed) < len(kinds), len(self.live) == len(targets)
        self.elementwise = cache(self._elementwise)
        self.summing = cache(self._summing)
        self.adding = cache(self._adding)
        self.all = self.elementwise(self.live)

    def run(self, operands: tuple[Any, ...], spaces: tuple[Space, ...]) -> tuple[Any, ...]:
        """Launch what the shapes ask for.

        The first operand is a cotangent, which is as wide as all of them together, or a tangent, and then each space is.
        """
        wide = operands[0].shape
        passed = self._passed(operands)
        for shape, _ in spaces:
            if shape != wide:
                break
        else:
            if self.plain:
                return self.all(*passed)
        wide = broadcast_shape(tuple([getattr(operand, "shape", ()) for operand in operands]))
        found = self._found(passed, {k: spaces[k][0] for k in self.live}, wide)
        return tuple(found.get(k, NO_TANGENT) for k in range(len(spaces)))

    def run_onto(
        self, operands: tuple[Any, ...], spaces: tuple[Space, ...], slots: tuple[Any, ...], accumulators: list[Any]
    ) -> bool:
        """One launch, if all results are as wide as the cotangent, and it saves another launch."""
        like = operands[0]
        if not self.plain or any(shape != like.shape for shape, _ in spaces):
            return False
        sums = sums_of(slots, accumulators, self.source.products, like)
        if sums is None:
            return False
        passed = self._passed(operands)
        settle(sums, self.adding(layout_of(sums))(*passed, *given(sums, like, self.xp)), accumulators)
        return True

    def postpone(self, operands: tuple[Any, ...], spaces: tuple[Space, ...]) -> FusedProduct | None:
        """The result for later, if there is one only, as wide as the cotangent."""
        like = operands[0]
        alone = self.plain and len(spaces) == 1 and spaces[0][0] == like.shape
        return FusedProduct(self, self._passed(operands), like.shape) if alone else None

    def _passed(self, operands: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple([operands[k] for k in self.passed]) if self.folds else operands

    def _found(self, passed: tuple[Any, ...], shapes: dict[int, Shape], wide: Shape) -> dict[int, Any]:
        summed = {k: axes for k, shape in shapes.items() if (axes := summed_axes(wide, shape))}
        at_once = {k for k, axes in summed.items() if not self.is_stored(k, wide, axes, shapes[k])}
        whole = tuple(k for k in shapes if k not in at_once)
        found = dict(zip(whole, self.elementwise(whole)(*passed), strict=True)) if whole else {}
        for k, axes in summed.items():
            found[k] = self.sum_of(k, passed, wide, axes, shapes[k]) if k in at_once else self.xp.sum(found[k], axis=axes)
        return {k: self._shaped(x, shapes[k], k in summed) for k, x in found.items()}

    def sum_of(self, k: int, passed: tuple[Any, ...], wide: Shape, axes: tuple[int, ...], shape: Shape) -> Any:
        """A product summed over axes, computed on the way."""
        if self.can_wait(k) and is_starved(wide, shape):
            return sum_of_products(self.xp, self.summing(k), passed, wide, axes)
        return self.summing(k)(*passed, axis=axes)

    def is_stored(self, k: int, wide: Shape, axes: tuple[int, ...], shape: Shape) -> bool:
        """Whether a product is to be stored before it is summed, because only a few blocks would sum it on the way."""
        return self.can_wait(k) and is_starved(wide, shape) and not in_slices(wide, axes)

    def can_wait(self, k: int) -> bool:
        """Whether a product, or parts of its sum, may be stored: not in half precision, which is rounded once."""
        return self.source.products[self.live.index(k)].dtype.char != "e"

    def _shaped(self, x: Any, shape: Shape, summed: bool) -> Any:
        if x.shape == shape:
            return x
        return x.reshape(shape) if summed else self.xp.broadcast_to(x, shape)

    def _elementwise(self, chosen: tuple[int, ...]) -> Callable[..., tuple[Any, ...]]:
        return self.launcher.elementwise(self._part(chosen))

    def _summing(self, k: int) -> Callable[..., Any]:
        return self.launcher.summing(self._part((k,)))

    def _adding(self, layout: Layout) -> Callable[..., tuple[Any, ...]]:
        return self.launcher.elementwise(adding(self.source, layout))

    def _part(self, chosen: tuple[int, ...]) -> KernelSource:
        products = tuple(self.source.products[self.live.index(k)] for k in chosen)
        return KernelSource(self.source.name, self.source.parameters, products)


def fuse_with(launcher: Launcher, namespaces: tuple[Any, ...], arrays: tuple[type, ...]) -> Callable[..., Fused | None]:
    """`ArrayLibrary.fuse` for a library with these namespaces, kernels, and array classes."""

    def fuse(name: str, sources: tuple[str, ...], operands: tuple[str, ...], scope: Mapping[str, Any]) -> Fused | None:
        request = Request(name, sources, operands, scope, namespaces)
        try:  # a rule that has no kernel for doubles has none at all: its generated code need not ask
            request.write((np.dtype(float),) * len(operands), (np.dtype(float),) * len(sources))
        except NoSpelling:
            return None
        return Fused(request, launcher, arrays)

    return fuse


def kind_of(operand: Any) -> Any:
    """What a kernel has to know of an operand: its dtype, the class of a Python number, a small number itself."""
    dtype = getattr(operand, "dtype", None)
    if dtype is not None:
        return dtype
    return operand if operand in FOLDED and type(operand) is not bool else type(operand)


def key_of(operand: Any) -> Any:
    """The same as part of a key, where 2 is not 2.0, nor a class the dtype that NumPy calls its equal."""
    cls = type(operand)
    if cls is float or cls is int:
        return (cls, operand) if operand in FOLDED else (cls,)
    kind = kind_of(operand)
    return kind if isinstance(kind, np.dtype) else (cls, kind)
