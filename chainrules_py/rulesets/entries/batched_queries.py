"""Questions, orders and selections of many examples at once."""

from typing import Any

import numpy as np

from chainrules_py import axes_rule, batched
from chainrules_py.batching.along_axes import from_the_end
from chainrules_py.batching.indices import positions_in_lanes, read_in_lanes
from chainrules_py.batching.lanes import Lanes, Same, behind_lanes, flat_lanes, is_known
from chainrules_py.batching.parts import as_laned, in_one, library_of_parts, parts_in_lanes
from chainrules_py.batching.words import aligned, in_a_loop
from chainrules_py.rulesets.formulas.runs import index_along
from chainrules_py.values.arrays import library_of_types, shape_of

axes_rule(np.packbits, np.unpackbits, kind="mixes", flat=True)
axes_rule(np.einsum_path, kind="fact")


# --- Selections by a condition that is the same in all lanes ---


@batched.register(np.compress)
def compress_batched(
    lanes: Lanes, condition: object, a: object, *, axis: int | None = None, **options
):
    """Select along an axis of each lane."""
    if lanes[0]:
        mask = in_one(lanes[0], condition) != 0
        whole: Any = as_laned(lanes[1], a, mask.shape[0])
        if whole.ndim > 1 and is_known(mask):
            return taken_where(mask, whole, axis)
    if lanes[0] or lanes[1] is not True or np.ndim(a) == 1:  # type: ignore[arg-type]
        return in_a_loop(np.compress, lanes)(condition, a, axis=axis, **options)
    own: Any = a
    if axis is None:
        own, axis = flat_lanes(own), 0
    xp = library_of_parts([own])
    return xp.compress(condition, own, axis=from_the_end(axis, own.ndim - 1), **options)


def taken_where(mask, a, axis: int | None) -> Any:
    """Take where the mask of each lane, a vector, holds: along an axis, or of the flat array."""
    if axis is None:
        a, axis = flat_lanes(a), 0
    along = a.ndim - 1 + from_the_end(axis, a.ndim - 1)
    (positions,) = positions_in_lanes(mask)
    return read_in_lanes((True, (False,) * along + (True,)), a, index_along(along, positions))


# --- Comparisons of whole arrays ---


@batched.register(np.allclose)
def allclose_batched(lanes: Lanes, a: object, b: object, **options):
    """Whether all entries of a lane are close."""
    pair = both(lanes, a, b)
    return all_of_lane(library_of_parts(list(pair)).isclose(*pair, **options))


@batched.register(np.array_equal)
def array_equal_batched(lanes: Lanes, a1: object, a2: object, *, equal_nan: bool = False):
    """Whether all entries of a lane are equal, and its shape."""
    first, second = shapes_of(lanes, a1, a2)
    if first != second:
        return Same(False)
    one, other = both(lanes, a1, a2)
    equal = one == other
    if equal_nan:
        equal = equal | ((one != one) & (other != other))
    return all_of_lane(equal)


@batched.register(np.array_equiv)
def array_equiv_batched(lanes: Lanes, a1: object, a2: object):
    """Whether all entries of a lane are equal after broadcasting."""
    try:
        np.broadcast_shapes(*shapes_of(lanes, a1, a2))
    except ValueError:
        return Same(False)
    one, other = both(lanes, a1, a2)
    return all_of_lane(one == other)


def both(lanes: Lanes, a, b) -> tuple[Any, Any]:
    """Two arrays or numbers that broadcast in each lane as they do in one."""
    own = [x if hasattr(x, "ndim") else np.asarray(x) for x in (a, b)]
    first, second = aligned(lanes, (own[0], own[1]), [0, 1])
    return first, second


def shapes_of(lanes: Lanes, *arrays) -> tuple[tuple[int, ...], ...]:
    """The shapes of one lane."""
    pairs = zip(lanes, arrays, strict=True)
    return tuple([shape_of(x)[1:] if lane else np.shape(x) for lane, x in pairs])


def all_of_lane(y) -> Any:
    """Whether all entries of each lane are true."""
    return flat_lanes(y).all(axis=1)


@batched.register(np.isin)
def isin_batched(
    lanes: Lanes, element: object, test_elements: object, *, invert: bool = False, **options
):
    """Whether entries are among those of another array; of the same lane, if it has lanes."""
    if not lanes[1]:
        xp = library_of_types((type(element),)).namespace
        return xp.isin(element, test_elements, invert=invert, **options)
    tests: Any = test_elements
    one: Any = element if lanes[0] else np.asarray(element)
    flat = flat_lanes(tests)
    among = flat.reshape((flat.shape[0],) + (1,) * (one.ndim - bool(lanes[0])) + flat.shape[1:])
    found = (one[..., None] == among).any(axis=-1)
    return ~found if invert else found


# --- Orders and places ---


@batched.register(np.lexsort)
def lexsort_batched(lanes: Lanes, keys: object, *, axis: int = -1):
    """Sort by several keys along an axis of each lane."""
    parts = parts_in_lanes(lanes[0], keys)
    rank = parts[0].ndim - 1
    return library_of_parts(parts).lexsort(parts, axis=from_the_end(axis, rank))


@batched.register(np.ravel_multi_index)
def ravel_multi_index_batched(lanes: Lanes, multi_index: object, dims: object, **options):
    """The flat places of indices, whose parts broadcast."""
    parts = parts_in_lanes(lanes[0], multi_index)
    rank = max(part.ndim for part in parts) - 1
    own = tuple([behind_lanes(part, rank) for part in parts])
    return library_of_parts(parts).ravel_multi_index(own, dims, **options)


@batched.register(np.sort_complex)
def sort_complex_batched(lanes: Lanes, a: object):
    """Sort along the last axis."""
    own: Any = a
    if own.ndim < 2:
        return in_a_loop(np.sort_complex, lanes)(a)
    return library_of_parts([own]).sort_complex(a)
