"""A product of a scalar rule that is not multiplied out, because only its sum may be wanted.

For ``(points - means) ** 2`` the cotangent of the difference is as large as all pairs, and the
gradient in the means is a sum over it. A reduction kernel computes the product as it sums, so that
it is neither written nor read.
"""

from typing import Any

from chainrules_cupy.kernels.plans import KernelPlan, ResultSpace
from chainrules_cupy.kernels.shapes import Shape, summed_axes
from chainrules_py.annotations import Function
from chainrules_py.tangents import Product, unthunk


class FusedProduct(Product):
    """The only product of a plan, as wide as the cotangent among its operands."""

    __slots__ = ("_passed", "_plan")

    def __init__(self, plan: KernelPlan, passed: tuple[Any, ...], shape: Shape) -> None:
        super().__init__(plan.all, plan.source.name)
        self._plan, self._passed = plan, passed
        self.shape, self.dtype = shape, plan.source.products[0].dtype

    def summed_to(self, shape: Shape, unbroadcast: Function) -> Any:
        """The product summed to a shape, by one kernel that multiplies as it sums.

        Where so few sums would leave most of the device idle, the product is stored first.
        """
        plan = self._plan
        axes = summed_axes(self.shape, shape)
        if self.forced or not axes or plan.is_stored(0, self.shape, axes, shape):
            return unbroadcast(unthunk(self), shape, plan.xp)
        total = plan.sum_of(0, self._passed, self.shape, axes, shape)
        return total if total.shape == shape else total.reshape(shape)

    def _evaluate(self) -> Any:
        (product,) = self._plan.all(*self._passed)
        return product

    def _release(self) -> None:
        super()._release()
        self._passed = ()


def postponed(
    plan: KernelPlan, operands: tuple[Any, ...], spaces: tuple[ResultSpace, ...]
) -> FusedProduct | None:
    """The result of a plan, not multiplied out; None where it has several, or one that is not as
    wide as the cotangent.
    """
    shape = operands[0].shape
    if not plan.is_plain or len(spaces) != 1:
        return None
    ((own_shape, _),) = spaces
    return FusedProduct(plan, plan.arguments(operands), shape) if own_shape == shape else None
