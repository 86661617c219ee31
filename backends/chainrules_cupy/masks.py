"""Masks on a device, without asking it how many entries they select: the host does not wait.

Among the entries that a mask selects, each has a number, the count of those before it. So a value
can be brought to its entry (entry k of the selected takes value k) without a list of positions.
Next to other indices a mask stands for such a list: that can be had without waiting where somebody
else knows its length, as the shape of a cotangent does.
"""

from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np

from chainrules_py.values.arrays import library_of, library_of_types


class Place(NamedTuple):
    """A mask over some neighbouring axes of an array; `before` of its axes come first."""

    mask: Any
    before: int

    def aligned(self, x, ndim: int) -> Any:
        """Something of the mask's shape, to broadcast against an array of `ndim` axes."""
        return x.reshape(x.shape + (1,) * (ndim - self.before - x.ndim))


def place_of_mask(index, ndim: int) -> Place | None:
    """The axes of the mask, for an index of one mask on the device and full slices; None for any
    other index.
    """
    parts = index if isinstance(index, tuple) else (index,)
    are_whole = all(is_full(part) or is_mask_on_device(part) for part in parts)
    found = view_of_mask(index, ndim) if are_whole else None
    return None if found is None else found[1]


def view_of_mask(index, ndim: int) -> tuple[Any, Place] | None:
    """The view that an index's integers and slices make, and the place of its one mask in it; None
    for any other index.

    For entries that are selected by both, the order may be another one than NumPy's, where slices
    separate an integer from the mask: it is for one number that is written to all of them.
    """
    parts = index if isinstance(index, tuple) else (index,)
    masks = [k for k, part in enumerate(parts) if is_mask_on_device(part)]
    if len(masks) != 1 or any(
        is_joint(part) and type(part) is not int for part in parts if part is not parts[masks[0]]
    ):
        return None
    (k,), mask = masks, parts[masks[0]]
    hidden = ndim - sum(map(axes_taken, parts))
    before = sum(hidden if part is Ellipsis else type(part) is not int for part in parts[:k])
    return (*parts[:k], *(slice(None),) * mask.ndim, *parts[k + 1 :]), Place(mask, before)


def is_mask_on_device(part) -> bool:
    """Tell whether a part of an index is an array of booleans on a device, whose sum nobody has to
    wait for.
    """
    if getattr(getattr(part, "dtype", None), "kind", "") != "b" or not part.ndim:
        return False
    library = library_of(type(part))
    return library is not None and library.name != "numpy"


def is_full(part) -> bool:
    """Tell whether a part of an index takes axes as they are."""
    return part is Ellipsis or (isinstance(part, slice) and part == slice(None))


def spread_masked(values, place: Place, shape: tuple[int, ...], xp) -> Any:
    """An array that holds value k, along the masked axes, at entry k of the selected, and anything
    elsewhere.
    """
    if values.ndim <= len(shape) - place.before - place.mask.ndim:
        return values  # the same for all of them
    mask, before = place.mask, place.before
    number = xp.cumsum(mask.ravel()) - 1
    axis = values.ndim - (len(shape) - mask.ndim - before) - 1
    if values.shape[axis] == 1:
        return values.reshape(values.shape[:axis] + (1,) * mask.ndim + values.shape[axis + 1 :])
    taken = xp.take(values, xp.maximum(number, 0), axis=axis)
    return taken.reshape(values.shape[:axis] + mask.shape + values.shape[axis + 1 :])


def selects_nothing(values, place: Place, ndim: int) -> bool:
    """Tell whether a mask, to judge by what goes there, selects no entry at all."""
    axis = values.ndim - (ndim - place.mask.ndim - place.before) - 1
    return bool(axis >= 0 and values.shape[axis] == 0)


def add_where(buffer, place: Place, values, xp) -> None:
    """Add the values to a buffer where the mask holds."""
    if buffer.size and not selects_nothing(values, place, buffer.ndim):
        buffer += xp.where(
            place.aligned(place.mask, buffer.ndim),
            spread_masked(values, place, buffer.shape, xp),
            0,
        )


def set_where(a, place: Place, values, xp) -> Any:
    """`a` with the values where the mask holds."""
    if not a.size or (hasattr(values, "shape") and selects_nothing(values, place, a.ndim)):
        return a.copy()
    new = spread_masked(values, place, a.shape, xp) if hasattr(values, "shape") else values
    return xp.where(place.aligned(place.mask, a.ndim), new, a).astype(a.dtype, copy=False)


# --- Masks next to other indices ---


def located(index, shape: tuple[int, ...], ndim: int) -> Any:
    """An index of an array of `ndim` axes with its masks as lists of positions, where it selects
    something of this shape.

    An index without masks on a device is as it was; so is one that selects something with another
    number of axes.
    """
    index = without_host_masks(index)
    parts = index if isinstance(index, tuple) else (index,)
    if not any(map(is_mask_on_device, parts)) or any(
        isinstance(part, bool | np.bool) for part in parts
    ):
        return index
    joint = list(filter(is_joint, parts))
    others = ndim - sum(map(axes_taken, joint))
    new = sum(part is None for part in parts)
    if len(shape) != others + new + common_axes(joint):
        return index
    length = shape[last_joint_axis(parts, ndim)]
    return tuple(
        [
            place
            for part in parts
            for place in (positions_in(part, length) if is_mask_on_device(part) else (part,))
        ]
    )


def without_host_masks(index) -> Any:
    """An index with positions for the masks that the host knows: CuPy would copy those and wait to
    count what they select.
    """
    parts = index if isinstance(index, tuple) else (index,)
    if not any(map(is_host_mask, parts)):
        return index
    places = [
        [axis.tolist() for axis in np.nonzero(np.asarray(part))] if is_host_mask(part) else [part]
        for part in parts
    ]
    return tuple(chain(*places))


def is_host_mask(part) -> bool:
    """Tell whether a part of an index is an array or a list of booleans on the host."""
    while isinstance(part, list) and part:
        part = part[0]
        if isinstance(part, bool | np.bool):
            return True
    return isinstance(part, np.ndarray) and part.dtype.kind == "b" and part.ndim > 0


def last_joint_axis(parts: tuple[Any, ...], ndim: int) -> int:
    """The axis of a result along which masks count: the last of those that index arrays have in
    common.

    These axes stand where the first of the arrays and integers stood; before all others, where a
    slice separates them.
    """
    joint = [k for k, part in enumerate(parts) if is_joint(part)]
    common = common_axes([parts[k] for k in joint])
    if any(after - before > 1 for before, after in pairwise(joint)):
        return common - 1
    taken = sum(axes_taken(part) for part in parts)
    return sum(ndim - taken if part is Ellipsis else 1 for part in parts[: joint[0]]) + common - 1


def common_axes(joint: list[Any]) -> int:
    """How many axes the arrays and integers of an index have when they are broadcast against each
    other.
    """
    return max(1 if is_mask_on_device(part) else np.ndim(part) for part in joint)


def is_joint(part) -> bool:
    """Tell whether a part of an index is broadcast against the others: arrays and integers are."""
    return not (part is None or part is Ellipsis or isinstance(part, slice))


def axes_taken(part) -> int:
    """Count the axes of the array to which a part of an index applies."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if is_mask_on_device(part) else 1


def positions_in(mask, length: int) -> list[Any]:
    """Return the positions of a mask's true entries: a vector of this length for each axis.

    A single true entry is repeated to that length.
    """
    xp = library_of_types((type(mask),)).namespace
    count = xp.cumsum(mask.ravel())
    number = (
        xp.where(count[-1:] == 1, 1, xp.arange(1, length + 1)) if mask.size else xp.arange(length)
    )
    flat, found = xp.searchsorted(count, number), []
    for size in reversed(mask.shape):
        found.append(flat % max(size, 1))
        flat = flat // max(size, 1)
    return found[::-1]
