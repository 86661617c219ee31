"""Rules of assignment to entries, and of sums into them.

The other functions of NumPy that write are in `placing`.

Their rules declare what they overwrite. Such a rule writes into that argument, as the function
does, and its pullback takes the cotangent of what the array holds afterwards. It may write into
that in turn, and returns it, in the place of that argument, as the cotangent of what the array held
before: what was overwritten has no influence any more, so its entries become zero there, and are
the cotangents of what was written. Neither pass touches more entries than the function does.
"""

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from chainrules_py.projection import ProjectTo
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.projection.dense import namespace_of
from chainrules_py.rulesets.entries.replacing import values_adjoint
from chainrules_py.rulesets.entries.scatter import is_basic
from chainrules_py.table.entry_points import Pullback
from chainrules_py.table.registry import default_rules
from chainrules_py.tangents import NO_TANGENT, AbstractZero
from chainrules_py.values.arrays import Array, is_numpys
from chainrules_py.values.indices import read

rrule, frule = default_rules.rrule, default_rules.frule
_PLAIN = frozenset({np.ndarray, np.float64})
_POSITIONS = frozenset({int, np.int64, tuple})


def assigned(a, index, values, need: bool, xp) -> Callable[[Any], tuple[Any, Any]]:
    """Do ``a[index] = values``, and return the adjoint.

    It takes the cotangent of `a` afterwards to that of `a` before, and to that of the values.
    """
    a[index] = values
    if not need:
        return partial(overwritten, index)
    if type(values) is float or type(values) is np.float64:
        return partial(number_overwritten, index, a.shape, xp)
    return partial(values_overwritten, index, ProjectTo(values), a.shape, xp)


def overwritten(index, a_bar) -> tuple[Any, Any]:
    """Clear the cotangent of entries that a constant overwrote."""
    a_bar[index] = 0.0
    return a_bar, NO_TANGENT


def number_overwritten(index, shape: tuple[int, ...], xp, a_bar) -> tuple[Any, Any]:
    """Move the cotangent of entries, mostly one, to the real number that overwrote them."""
    number_bar = a_bar[index] if type(index) is int or type(index) is tuple else None
    if number_bar is None or getattr(number_bar, "shape", ()) != ():
        number_bar = values_adjoint(a_bar, index, shape, (), xp)
    if type(number_bar) not in (float, np.float64):
        number_bar = number_bar.copy()  # not a view of what comes next
    a_bar[index] = 0.0
    return a_bar, number_bar.real


def values_overwritten(index, space, shape: tuple[int, ...], xp, a_bar) -> tuple[Any, Any]:
    """Move the cotangent of entries to the array that overwrote them."""
    values_bar = space(values_adjoint(a_bar, index, shape, space.shape, xp).copy())
    a_bar[index] = 0.0
    return a_bar, values_bar


@rrule.register(operator.setitem, overwrites="a")
def setitem_rrule(
    a: Array, index: object, values: object, *, xp, needs: tuple[bool, ...]
) -> tuple[Any, Pullback]:
    """a[index] = values."""
    adjoint = assigned(a, index, values, needs[2], xp)

    def setitem_pullback(a_bar) -> tuple[Any, Any, Any]:
        a_bar, values_bar = adjoint(a_bar)
        return a_bar, NO_TANGENT, values_bar

    return a, setitem_pullback


@rrule.register(operator.setitem, overwrites="a")
def set_entry_rrule(a: np.ndarray, index: object, value: float) -> tuple[Any, Pullback]:
    """a[index] = value for a number; a loop over entries calls this most."""
    y, pull, residuals = set_entry_stage(a, index, value)
    return y, partial(pull, residuals)


def set_entry_stage(a: np.ndarray, index, value: float) -> tuple[Any, Any, Any]:
    """Write a number; the index is the residual of the pullback."""
    a[index] = value
    return a, set_entry_pull, index


def set_entry_pull(index, a_bar) -> tuple[Any, Any, Any]:
    """The cotangents of the array before, and of the number."""
    value_bar = a_bar[index] if type(index) in _POSITIONS else None
    if type(value_bar) is not np.float64:
        a_bar, value_bar = number_overwritten(index, a_bar.shape, namespace_of(a_bar), a_bar)
    else:
        a_bar[index] = 0.0
    return a_bar, NO_TANGENT, value_bar


set_entry_rrule.stage = set_entry_stage  # type: ignore[attr-defined]


@frule.register(operator.setitem, overwrites="a")
def setitem_frule(
    dots: tuple[Any, Any, Any], a: Array, index: object, values: object, *, xp
) -> tuple[Any, Any]:
    """The tangent of what is written, into the tangent of the array."""
    a_dot = own_tangent(dots[0], a, xp)
    assigned(a, index, values, False, None)
    a_dot[index] = 0.0 if issubclass(type(dots[2]), AbstractZero) else dots[2]
    return a, a_dot


def own_tangent(a_dot, a, xp) -> Any:
    """The tangent of an array, into which the rule writes; zeros of its own for a constant."""
    return xp.zeros_like(a) if issubclass(type(a_dot), AbstractZero) else a_dot


def apply_at(ufunc: np.ufunc, a, indices, b, xp) -> None:
    """``ufunc.at(a, indices, b)``; of NumPy's arrays at slices by a view, which takes NumPy 1 us for
    2,000 entries and 21 for 100,000, where ``at`` takes 18 and 3,500.
    """
    if is_numpys(a) and is_basic(indices):
        part = a if indices is ... else a[indices]
        if is_numpys(part) and getattr(b, "ndim", 0) <= part.ndim:
            ufunc(part, b, out=part)
            return
    getattr(xp, ufunc.__name__).at(a, indices, b)


def sums_at(ufunc: np.ufunc, sign: int) -> None:
    """Register both rules of ``ufunc.at(a, indices, b)``, which adds or subtracts, repeatedly where
    an index repeats.
    """

    def at_rrule(
        a: Array, indices: object, b: object, *, xp, needs: tuple[bool, ...]
    ) -> tuple[Any, Pullback]:
        """The entries before keep their influence, and what is added has the same."""
        apply_at(ufunc, a, indices, b, xp)
        space = ProjectTo(b)

        def at_pullback(a_bar) -> tuple[Any, Any, Any]:
            if not needs[2]:
                return a_bar, NO_TANGENT, NO_TANGENT
            part = read(a_bar, indices)
            added_bar = -part if sign < 0 else part.copy()
            if added_bar.shape != space.shape:
                extra = max(len(space.shape) - added_bar.ndim, 0)  # leading axes of length one
                added_bar = unbroadcast(added_bar, space.shape[extra:], xp)
                added_bar = xp.reshape(added_bar, space.shape)
            return a_bar, NO_TANGENT, space(added_bar)

        return a, at_pullback

    def at_frule(
        dots: tuple[Any, Any, Any], a: Array, indices: object, b: object, *, xp
    ) -> tuple[Any, Any]:
        """Adds the tangents at the same entries."""
        a_dot = own_tangent(dots[0], a, xp)
        apply_at(ufunc, a, indices, b, xp)
        if not issubclass(type(dots[2]), AbstractZero):
            apply_at(ufunc, a_dot, indices, dots[2], xp)
        return a, a_dot

    rrule.register(ufunc.at, overwrites="a")(at_rrule)
    frule.register(ufunc.at, overwrites="a")(at_frule)


sums_at(np.add, 1)
sums_at(np.subtract, -1)
