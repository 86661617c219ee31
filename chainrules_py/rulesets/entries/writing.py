"""NumPy's functions that write into an array: assignment and its relatives.

Their rules declare what they overwrite. Such a rule writes into that argument, as the function does, and its pullback takes the
cotangent of what the array holds afterwards. It may write into that in turn, and returns it, in the place of that argument, as
the cotangent of what the array held before: what was overwritten has no influence any more, so its entries become zero there,
and are the cotangents of what was written. Neither way touches more entries than the function does.

All are assignments to some index: of a mask, of positions, or along an axis.
"""

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from chainrules_py.arrays import Array
from chainrules_py.entry_points import Pullback
from chainrules_py.makers import primitive
from chainrules_py.projection import ProjectTo
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.registry import default_rules
from chainrules_py.rulesets.entries.replacing import values_adjoint
from chainrules_py.tangents import NO_TANGENT, AbstractZero

rrule, frule = default_rules.rrule, default_rules.frule


def assigned(a: Any, index: Any, values: Any, need: bool, xp: Any) -> Callable[[Any], tuple[Any, Any]]:
    """Do ``a[index] = values``; returns what takes the cotangent of `a` to its cotangent before, and to that of the values."""
    a[index] = values
    if not need:
        return partial(overwritten, index)
    if type(values) is float or type(values) is np.float64:
        return partial(number_overwritten, index, a.shape, xp)
    return partial(values_overwritten, index, ProjectTo(values), a.shape, xp)


def overwritten(index: Any, a_bar: Any) -> tuple[Any, Any]:
    """What a constant overwrites."""
    a_bar[index] = 0.0
    return a_bar, NO_TANGENT


def number_overwritten(index: Any, shape: tuple[int, ...], xp: Any, a_bar: Any) -> tuple[Any, Any]:
    """What a real number overwrites, one entry mostly."""
    number_bar = a_bar[index] if type(index) is int or type(index) is tuple else None
    if number_bar is None or getattr(number_bar, "shape", ()) != ():
        number_bar = values_adjoint(a_bar, index, shape, (), xp)
    if type(number_bar) not in (float, np.float64):
        number_bar = number_bar.copy()  # not a view of what comes next
    a_bar[index] = 0.0
    return a_bar, number_bar.real


def values_overwritten(index: Any, space: Any, shape: tuple[int, ...], xp: Any, a_bar: Any) -> tuple[Any, Any]:
    """What an array overwrites."""
    values_bar = space(values_adjoint(a_bar, index, shape, space.shape, xp).copy())
    a_bar[index] = 0.0
    return a_bar, values_bar


@rrule.register(operator.setitem, overwrites="a")
def setitem_rrule(a: Array, index: object, values: object, *, xp: Any, needs: tuple[bool, ...]) -> tuple[Any, Pullback]:
    """a[index] = values."""
    adjoint = assigned(a, index, values, needs[2], xp)

    def setitem_pullback(a_bar: Any) -> tuple[Any, Any, Any]:
        a_bar, values_bar = adjoint(a_bar)
        return a_bar, NO_TANGENT, values_bar

    return a, setitem_pullback


@frule.register(operator.setitem, overwrites="a")
def setitem_frule(dots: tuple[Any, Any, Any], a: Array, index: object, values: object) -> tuple[Any, Any]:
    """The tangent of what is written, into the tangent of the array."""
    assigned(a, index, values, False, None)
    dots[0][index] = 0.0 if isinstance(dots[2], AbstractZero) else dots[2]
    return a, dots[0]


@primitive
def added_at(a: Any, index: Any, values: Any) -> Any:
    """Add values to the entries at an index, repeatedly where that repeats, as ``numpy.add.at(a, index, values)``."""
    np.add.at(a, index, values)
    return a


@rrule.register(added_at, overwrites="a")
def added_at_rrule(a: Array, index: object, values: object, *, xp: Any, needs: tuple[bool, ...]) -> tuple[Any, Pullback]:
    """What was there keeps its influence, and what is added has the same."""
    xp.add.at(a, index, values)
    space = ProjectTo(values)

    def added_at_pullback(a_bar: Any) -> tuple[Any, Any, Any]:
        if not needs[2]:
            return a_bar, NO_TANGENT, NO_TANGENT
        added_bar = a_bar[index].copy()
        extra = max(len(space.shape) - added_bar.ndim, 0)
        return a_bar, NO_TANGENT, space(xp.reshape(unbroadcast(added_bar, space.shape[extra:], xp), space.shape))

    return a, added_at_pullback


@frule.register(added_at, overwrites="a")
def added_at_frule(dots: tuple[Any, Any, Any], a: Array, index: object, values: object, *, xp: Any) -> tuple[Any, Any]:
    """Adds the tangents at the same entries."""
    xp.add.at(a, index, values)
    if not isinstance(dots[2], AbstractZero):
        xp.add.at(dots[0], index, dots[2])
    return a, dots[0]
