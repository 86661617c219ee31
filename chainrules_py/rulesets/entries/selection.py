"""Functions that pick each entry from one of their arguments.

They are `where`, by a mask, and `clip`, by comparison.
"""

from typing import Any

import numpy as np

from chainrules_py import composed
from chainrules_py.makers import (
    Linearised,
    LinearMap,
    linear_rule,
    linearised_rule,
    non_differentiable,
)
from chainrules_py.makers.linear_maps import TO_ZERO
from chainrules_py.projection import Space, unbroadcast
from chainrules_py.rulesets.formulas.array_likes import ArrayLike, on_arrays
from chainrules_py.table.registry import default_rules
from chainrules_py.tangents import ZERO
from chainrules_py.values.arrays import Array, Scalar, shape_of

non_differentiable(np.where)  # with one argument: the rule for three is the more specific one


def where_adjoint_x(out_bar, condition: object, x: Space, y: object, *, xp):
    """The cotangent where x was taken; no product, so that nothing not taken can make a nan."""
    return unbroadcast(xp.where(condition, out_bar, 0), x.shape, xp)


def where_adjoint_y(out_bar, condition: object, x: object, y: Space, *, xp):
    """The cotangent where y was taken."""
    return unbroadcast(xp.where(condition, 0, out_bar), y.shape, xp)


linear_rule(np.where, ZERO, where_adjoint_x, where_adjoint_y, together=True)


@linearised_rule(np.where)
def where_of_lists_linearised(condition: object, x: ArrayLike, y: ArrayLike, *, xp) -> Linearised:
    """`where`, for lists of numbers in the place of arrays.

    It is linear in both, and nothing that is not taken counts.
    """

    def chosen(x, y, *, xp) -> Linearised:
        x_shape, y_shape = shape_of(x), shape_of(y)
        in_x = LinearMap(
            lambda dot: xp.where(condition, dot, 0),
            lambda bar: unbroadcast(xp.where(condition, bar, 0), x_shape, xp),
        )
        in_y = LinearMap(
            lambda dot: xp.where(condition, 0, dot),
            lambda bar: unbroadcast(xp.where(condition, 0, bar), y_shape, xp),
        )
        return xp.where(condition, x, y), in_x, in_y

    out, *maps = on_arrays(chosen, (x, y), xp)
    return out, TO_ZERO, *maps


# Of anything else it makes an array of objects or of text, in which a derivative would be lost.
for _entry_point in (default_rules.rrule, default_rules.frule):
    _entry_point.opt_out(np.where, object, object, object)


@composed(np.clip)
def clip(a: Array | Scalar, a_min: object, a_max: object, *, xp) -> Any:
    """The upper bound wins where they cross; ties share equally."""
    y: Any = a
    if a_min is not None:
        y = xp.maximum(y, a_min)
    if a_max is not None:
        y = xp.minimum(y, a_max)
    return xp.positive(y) if y is a else y
