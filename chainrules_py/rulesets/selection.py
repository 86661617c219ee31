"""Functions that pick each entry from one of their arguments: `where` by a mask, `clip` by comparison."""

from typing import Any

import numpy as np

from chainrules_py.arrays import Array, Scalar
from chainrules_py.makers import ArraySpec, non_differentiable
from chainrules_py.makers.linearised import LinearMap, linearised_rule
from chainrules_py.projection import unbroadcast

non_differentiable(np.where)  # with one argument: the rule for three is the more specific one


@linearised_rule(np.where)
def where_linearised(
    condition: object, x: Array | Scalar, y: Array | Scalar, *, xp: Any
) -> tuple[Any, None, LinearMap, LinearMap]:
    """Each argument receives the cotangent where it was taken; no product, so that nothing not taken can make a nan."""
    x_shape, y_shape = ArraySpec.of(x).shape, ArraySpec.of(y).shape

    def x_pushforward(x_dot: Any) -> Any:
        return xp.where(condition, x_dot, 0)

    def x_pullback(out_bar: Any) -> Any:
        return unbroadcast(xp.where(condition, out_bar, 0), x_shape, xp)

    def y_pushforward(y_dot: Any) -> Any:
        return xp.where(condition, 0, y_dot)

    def y_pullback(out_bar: Any) -> Any:
        return unbroadcast(xp.where(condition, 0, out_bar), y_shape, xp)

    return xp.where(condition, x, y), None, LinearMap(x_pushforward, x_pullback), LinearMap(y_pushforward, y_pullback)


def weighted(share: Any, shape: tuple[int, ...], xp: Any) -> LinearMap:
    """Multiplication by a constant real share, from an argument that was broadcast."""
    return LinearMap(lambda dot: share * dot, lambda y_bar: unbroadcast(share * y_bar, shape, xp))


def share_above(a: Any, b: Any, xp: Any) -> Any:
    """The part of ``maximum(a, b)`` that is a's: 1, 0, or a half at a tie."""
    return xp.where(a == b, 0.5, a > b)


@linearised_rule(np.clip)
def clip_linearised(
    a: Array | Scalar, a_min: object, a_max: object, *, xp: Any
) -> tuple[Any, LinearMap, LinearMap | None, LinearMap | None]:
    """minimum(maximum(a, a_min), a_max), in this order, so that the upper bound wins where they cross; ties share equally."""
    lower, upper = bound(a_min), bound(a_max)
    from_a = from_min = 1.0
    raised = a
    if lower is not None:
        from_a = share_above(a, lower, xp)
        from_min = 1 - from_a
        raised = xp.maximum(a, lower)
    from_raised = 1.0 if upper is None else share_above(upper, raised, xp)
    return (
        xp.clip(a, lower, upper),
        weighted(from_a * from_raised, ArraySpec.of(a).shape, xp),
        None if lower is None else weighted(from_min * from_raised, ArraySpec.of(lower).shape, xp),
        None if upper is None else weighted(1 - from_raised, ArraySpec.of(upper).shape, xp),
    )


def bound(given: Any) -> Any:
    """A bound, None where there is none."""
    return given if isinstance(given, Array | Scalar) else None
