"""The kernels of a scalar rule for one pattern of dtypes: which of them are launched for these
shapes, and with what.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from chainrules_cupy.kernels.adding import Group, SlotLayout, adding, begun, groups_of, outputs
from chainrules_cupy.kernels.shapes import Shape, broadcast_shape, summed_axes
from chainrules_cupy.kernels.writing import KernelSource, Request, has_tangent
from chainrules_cupy.sums import in_slices, is_starved, sum_of_products
from chainrules_py.accumulation import Owned
from chainrules_py.annotations import Function
from chainrules_py.tangents import NO_TANGENT

# what a result is brought to: shape and dtype, or () and the class of a Python number
ResultSpace = tuple[Shape, Any]


@dataclass(frozen=True)
class Launcher:
    """Makes kernels of sources: by CuPy, or for tests by something else."""

    elementwise: Callable[[KernelSource], Callable[..., tuple[Any, ...]]]
    summing: Callable[[KernelSource], Function]


class KernelPlan:
    """The kernels for one pattern of dtypes.

    `live` are the positions of the results that have tangents, and `is_plain` says that all have.
    An operand that varies is passed to a kernel: `passed` are their positions. A constant is
    written into the kernel instead; `has_constants` says that there is one.
    """

    def __init__(
        self, request: Request, launcher: Launcher, kinds: tuple[Any, ...], targets: tuple[Any, ...]
    ) -> None:
        self.source = request.write(kinds, targets)
        self.launcher = launcher
        self.xp = request.namespaces[0]
        self.live = tuple(k for k, target in enumerate(targets) if has_tangent(target))
        self.passed = tuple(k for k, kind in enumerate(kinds) if isinstance(kind, type | np.dtype))
        self.dtypes = tuple(product.dtype for product in self.source.products)
        self.groups = tuple((k,) for k in range(len(self.dtypes)))
        self.has_constants = len(self.passed) < len(kinds)
        self.is_plain = len(self.live) == len(targets)
        self.elementwise = cache(self._elementwise)
        self.summing = cache(self._summing)
        self.adding = cache(self._adding)
        self.all = self.elementwise(self.live)

    def run(self, operands: tuple[Any, ...], spaces: tuple[ResultSpace, ...]) -> tuple[Any, ...]:
        """Launch what the shapes ask for.

        The first operand is a cotangent, which is as wide as all of them together, or a tangent,
        and then each space is.
        """
        wide = operands[0].shape
        passed = self.arguments(operands)
        for shape, _ in spaces:
            if shape != wide:
                break
        else:
            if self.is_plain:
                return self.all(*passed)
        wide = broadcast_shape(tuple([getattr(operand, "shape", ()) for operand in operands]))
        found = self._found(passed, {k: spaces[k][0] for k in self.live}, wide)
        return tuple(found.get(k, NO_TANGENT) for k in range(len(spaces)))

    def run_onto(
        self,
        operands: tuple[Any, ...],
        spaces: tuple[ResultSpace, ...],
        slots: tuple[Any, ...],
        accumulators: list[Any],
    ) -> bool:
        """Add the results to their accumulators in one launch, and tell whether that was done.

        It is done if each result is as wide as the cotangent, and if it saves another launch.
        """
        bar = operands[0]
        shape = bar.shape
        if not self.is_plain:
            return False
        for each, _ in spaces:
            if each != shape:
                return False

        distinct, groups, dtypes = self.sums(slots)
        accs = [accumulators[slot] for slot in distinct]
        found = begun(accs, dtypes, bar, shape)
        if found is None:
            return False

        begins, arrays, owns = found
        saves_a_launch = bool(arrays) or len(distinct) < len(slots)
        if not saves_a_launch:
            return False

        if owns:
            arrays += outputs(accs, dtypes, shape, self.xp)
        add = self.adding((groups, begins))
        totals = add(*self.arguments(operands), *arrays)
        for slot, acc, total in zip(distinct, accs, totals, strict=True):
            if type(acc) is not Owned:
                accumulators[slot] = Owned(total)  # new: nobody else holds it
        return True

    def sums(
        self, slots: tuple[Any, ...]
    ) -> tuple[tuple[Any, ...], tuple[Group, ...], tuple[np.dtype[Any], ...]]:
        """Return the slots without repetitions, which products each of them gets, and the dtypes of
        these sums.
        """
        if len(slots) < 2 or len(set(slots)) == len(slots):
            return slots, self.groups, self.dtypes
        products = groups_of(slots)
        groups = tuple(products.values())
        dtypes = tuple([self.dtypes[first] for first, *_ in groups])
        return tuple(products), groups, dtypes

    def arguments(self, operands: tuple[Any, ...]) -> tuple[Any, ...]:
        """The operands that a kernel is given: all but those that are constants in it."""
        return tuple([operands[k] for k in self.passed]) if self.has_constants else operands

    def _found(
        self, passed: tuple[Any, ...], shapes: dict[int, Shape], wide: Shape
    ) -> dict[int, Any]:
        """The results in their shapes, by position.

        Of those that are summed, some are summed by the kernel that computes them; all others are
        computed by one kernel, in full width.
        """
        axes_of = {k: axes for k, shape in shapes.items() if (axes := summed_axes(wide, shape))}
        stored = [k for k, axes in axes_of.items() if self.is_stored(k, wide, axes, shapes[k])]
        in_full = tuple(k for k in shapes if k not in axes_of or k in stored)
        found: dict[int, Any] = {}
        if in_full:
            found.update(zip(in_full, self.elementwise(in_full)(*passed), strict=True))

        for k, axes in axes_of.items():
            if k in stored:
                found[k] = self.xp.sum(found[k], axis=axes)
            else:
                found[k] = self.sum_of(k, passed, wide, axes, shapes[k])
        return {k: self._shaped(x, shapes[k], k in axes_of) for k, x in found.items()}

    def sum_of(
        self, k: int, passed: tuple[Any, ...], wide: Shape, axes: tuple[int, ...], shape: Shape
    ) -> Any:
        """Compute a product and sum it over axes, in one kernel."""
        if self.can_wait(k) and is_starved(wide, shape):
            return sum_of_products(self.xp, self.summing(k), passed, wide, axes)
        return self.summing(k)(*passed, axis=axes)

    def is_stored(self, k: int, wide: Shape, axes: tuple[int, ...], shape: Shape) -> bool:
        """Tell whether a product is to be stored before it is summed, because only a few blocks
        would compute and sum it.
        """
        return self.can_wait(k) and is_starved(wide, shape) and not in_slices(wide, axes)

    def can_wait(self, k: int) -> bool:
        """Tell whether a product, or parts of its sum, may be stored: not in half precision, which
        is rounded once.
        """
        return self.source.products[self.live.index(k)].dtype.char != "e"

    def _shaped(self, x, shape: Shape, summed: bool) -> Any:
        if x.shape == shape:
            return x
        return x.reshape(shape) if summed else self.xp.broadcast_to(x, shape)

    def _elementwise(self, chosen: tuple[int, ...]) -> Callable[..., tuple[Any, ...]]:
        return self.launcher.elementwise(self._part(chosen))

    def _summing(self, k: int) -> Function:
        return self.launcher.summing(self._part((k,)))

    def _adding(self, layout: SlotLayout) -> Callable[..., tuple[Any, ...]]:
        return self.launcher.elementwise(adding(self.source, layout))

    def _part(self, chosen: tuple[int, ...]) -> KernelSource:
        products = tuple(self.source.products[self.live.index(k)] for k in chosen)
        return KernelSource(self.source.name, self.source.parameters, products)
