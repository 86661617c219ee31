"""NumPy's functions that write where a mask, positions or an axis say.

Their rules declare what they overwrite.

All are assignments to an index (`writing`), of values that are repeated where there are too few. Of
each function it is said which index that is, and which value, counted in the flat array of values,
comes to each of its entries; the rules follow:

    copyto, putmask, place    masks, and the number of a value for each entry of the whole array
    put, fill_diagonal        flat positions, so that nothing but these is touched
    put_along_axis            an axis; the values broadcast, as in an assignment
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from chainrules_py.annotations import Args, Options
from chainrules_py.projection import ProjectTo
from chainrules_py.projection.dense import namespace_of
from chainrules_py.rulesets.entries.indexing import along_axis, as_index, within
from chainrules_py.rulesets.entries.replacing import is_whole_mask, numbered, values_adjoint
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.rulesets.entries.writing import overwritten, own_tangent, values_overwritten
from chainrules_py.table.entry_points import Pullback
from chainrules_py.table.registry import default_rules
from chainrules_py.tangents import NO_TANGENT, ZERO, AbstractZero
from chainrules_py.values.arrays import Array, Scalar, shape_of

rrule, frule = default_rules.rrule, default_rules.frule

Shape = tuple[int, ...]
# an index, and the number of the value for each of its entries; None where the values broadcast;
# for a mask, the numbers are those for all entries of the array
Places = tuple[Any, Any]


def places_of_copyto(
    shape: Shape, values: Shape, where: Any = True, casting: str = "same_kind"
) -> Places:
    """Where a mask of `copyto` holds, and which values are there."""
    if where is True:
        return ..., None
    xp = namespace_of(where)
    return xp.broadcast_to(where, shape), xp.broadcast_to(numbered(values, xp), shape)


def masked(shape: Shape, values: Shape, mask) -> Places:
    """Where a mask of `putmask` holds: an entry gets the value of its own number."""
    xp = namespace_of(mask)
    holds = xp.reshape(xp.asarray(mask) != 0, shape)
    return holds, numbered(shape, xp) % math.prod(values)


def places_of_place(shape: Shape, values: Shape, mask) -> Places:
    """Where a mask of `place` holds: one value after the other."""
    xp = namespace_of(mask)
    holds = xp.reshape(xp.asarray(mask) != 0, shape)
    before = xp.reshape(xp.cumsum(xp.reshape(holds, -1)), shape) - 1
    return holds, xp.where(holds, before, 0) % math.prod(values)


def flat_places(positions, shape: Shape, values: Shape) -> Places:
    """The entries at positions in the flat array, for which the values are repeated."""
    xp = namespace_of(positions)
    return xp.unravel_index(positions, shape), xp.arange(positions.size) % math.prod(values)


def put_places(shape: Shape, values: Shape, ind, mode: str = "raise") -> Places:
    """The flat positions, as `mode` reads those outside of the array.

    Negative ones count from the end.
    """
    size = math.prod(shape)
    positions = within(as_index(ind), size, mode)
    return flat_places(namespace_of(positions).reshape(positions, -1) % max(size, 1), shape, values)


def diagonal_places(shape: Shape, values: Shape, wrap: bool = False) -> Places:
    """The diagonal, as far as the matrix is square.

    A tall one goes on after a row's pause with `wrap`.
    """
    step = 1 + sum(math.prod(shape[k + 1 :]) for k in range(len(shape) - 1))
    *_, columns = shape
    end = math.prod(shape) if wrap or len(shape) > 2 else columns * columns
    return flat_places(np.arange(0, min(end, math.prod(shape)), step), shape, values)


def places_along_axis(shape: Shape, values: Shape, indices, axis: int | None = -1) -> Places:
    """The places of one entry in each line along an axis, or of flat positions."""
    if axis is None:
        return put_places(shape, values, indices)
    return along_axis(as_index(indices), shape, axis), None


def written_to(places: Places, space, shape: Shape, xp, a_bar) -> tuple[Any, Any]:
    """The cotangent of an array before some of its entries were written to, and that of the values."""
    index, source = places
    if source is None:
        return values_overwritten(index, space, shape, xp, a_bar)
    if is_whole_mask(index, shape):  # how many entries it chooses may differ from lane to lane
        written_bar, source = xp.where(index, a_bar, 0).reshape(-1), source.reshape(-1)
    else:
        written_bar = values_adjoint(a_bar, index, shape, source.shape, xp)
    values_bar = scatter_add(written_bar, source, (math.prod(space.shape),), written_bar.dtype)
    a_bar[index] = 0.0
    return a_bar, space(xp.reshape(values_bar, space.shape))


def by_rrule(primal, find, args: Args, need: bool, options: Options, xp) -> tuple[Any, Pullback]:
    """The value and the pullback of a call; `find` says where it writes."""
    a, *where, values = args
    indices = (NO_TANGENT,) * len(where)
    getattr(xp, primal.__name__)(*args, **options)
    if writes_nothing(values):
        return a, lambda a_bar: (a_bar, *indices, ZERO)
    places = find(a.shape, shape_of(values), *where, **options)
    adjoint = partial(overwritten, places[0])
    if need:
        adjoint = partial(written_to, places, ProjectTo(values), a.shape, xp)

    def placing_pullback(a_bar) -> tuple[Any, ...]:
        a_bar, values_bar = adjoint(a_bar)
        return a_bar, *indices, values_bar

    return a, placing_pullback


def writes_nothing(values) -> bool:
    """Whether no values are there; `put` and `putmask` then let the array be."""
    return 0 in shape_of(values)


def by_frule(primal, dots: tuple[Any, ...], args: Args, options: Options, xp) -> tuple[Any, Any]:
    """Call a function on the values, and on their tangents."""
    write = getattr(xp, primal.__name__)
    write(*args, **options)
    a_dot, values_dot = own_tangent(dots[0], args[0], xp), dots[-1]
    if writes_nothing(args[-1]):
        return args[0], a_dot
    write(
        a_dot, *args[1:-1], 0.0 if isinstance(values_dot, AbstractZero) else values_dot, **options
    )
    return args[0], a_dot


def writes_values(primal, find: Callable[..., Places]) -> None:
    """Register both rules of a function of an array and values."""

    def writing_rrule(
        a: Array, values: Array | Scalar, *, xp, needs: tuple[bool, ...], **options
    ) -> tuple[Any, Pullback]:
        return by_rrule(primal, find, (a, values), needs[1], options, xp)

    def writing_frule(
        dots: tuple[Any, Any], a: Array, values: Array | Scalar, *, xp, **options
    ) -> tuple[Any, Any]:
        return by_frule(primal, dots, (a, values), options, xp)

    rrule.register(primal, overwrites="a")(writing_rrule)
    frule.register(primal, overwrites="a")(writing_frule)


def writes_values_where(primal, find: Callable[..., Places]) -> None:
    """Register both rules of a function of an array, where to write, and values."""

    def writing_rrule(
        a: Array,
        where: object,
        values: Array | Scalar,
        *,
        xp,
        needs: tuple[bool, ...],
        **options,
    ) -> tuple[Any, Pullback]:
        return by_rrule(primal, find, (a, where, values), needs[2], options, xp)

    def writing_frule(
        dots: tuple[Any, Any, Any],
        a: Array,
        where: object,
        values: Array | Scalar,
        *,
        xp,
        **options,
    ) -> tuple[Any, Any]:
        return by_frule(primal, dots, (a, where, values), options, xp)

    rrule.register(primal, overwrites="a")(writing_rrule)
    frule.register(primal, overwrites="a")(writing_frule)


writes_values(np.copyto, places_of_copyto)
writes_values(np.fill_diagonal, diagonal_places)
writes_values_where(np.put, put_places)
writes_values_where(np.putmask, masked)
writes_values_where(np.place, places_of_place)
writes_values_where(np.put_along_axis, places_along_axis)
