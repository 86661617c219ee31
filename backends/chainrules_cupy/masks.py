"""Masks on a device, without asking it how many entries they select: the host does not wait.

Among the entries that a mask selects, each has a number, the count of those before it. So a value can be brought to its entry
(entry k of the selected takes value k) without a list of positions.
"""

from typing import Any, NamedTuple

from chainrules_py.arrays import library_of


class Place(NamedTuple):
    """A mask over some neighbouring axes of an array; `before` of its axes come first."""

    mask: Any
    before: int

    def aligned(self, x: Any, ndim: int) -> Any:
        """Something of the mask's shape, to broadcast against an array of `ndim` axes."""
        return x.reshape(x.shape + (1,) * (ndim - self.before - x.ndim))


def place_of_mask(index: Any, ndim: int) -> Place | None:
    """Where an index is one mask on the device next to full slices only; None for any other index."""
    parts = list(index) if isinstance(index, tuple) else [index]
    masks = [k for k, part in enumerate(parts) if is_mask(part)]
    if len(masks) != 1 or any(not is_full(part) for k, part in enumerate(parts) if k != masks[0]):
        return None
    (k,), mask = masks, parts[masks[0]]
    hidden = ndim - mask.ndim - sum(part is not Ellipsis for part in parts) + 1
    return Place(mask, sum(hidden if part is Ellipsis else 1 for part in parts[:k]))


def is_mask(part: Any) -> bool:
    """Whether a part of an index is an array of booleans of a library other than NumPy, whose sum nobody has to wait for."""
    if getattr(getattr(part, "dtype", None), "kind", "") != "b" or not part.ndim:
        return False
    library = library_of(type(part))
    return library is not None and library.name != "numpy"


def is_full(part: Any) -> bool:
    """Whether a part of an index takes axes as they are."""
    return part is Ellipsis or (isinstance(part, slice) and part == slice(None))


def spread(values: Any, place: Place, shape: tuple[int, ...], xp: Any) -> Any:
    """An array that holds value k, along the masked axes, at entry k of the selected, and anything elsewhere."""
    if values.ndim <= len(shape) - place.before - place.mask.ndim:
        return values  # the same for all of them
    mask, before = place.mask, place.before
    number = xp.cumsum(mask.ravel()) - 1
    axis = values.ndim - (len(shape) - mask.ndim - before) - 1
    if values.shape[axis] == 1:
        return values.reshape(values.shape[:axis] + (1,) * mask.ndim + values.shape[axis + 1 :])
    taken = xp.take(values, xp.maximum(number, 0), axis=axis)
    return taken.reshape(values.shape[:axis] + mask.shape + values.shape[axis + 1 :])


def selects_nothing(values: Any, place: Place, ndim: int) -> bool:
    """Whether a mask, to judge by what goes there, selects no entry at all."""
    axis = values.ndim - (ndim - place.mask.ndim - place.before) - 1
    return bool(axis >= 0 and values.shape[axis] == 0)


def add_where(buffer: Any, place: Place, values: Any, xp: Any) -> None:
    """Adds the values where the mask holds."""
    if buffer.size and not selects_nothing(values, place, buffer.ndim):
        buffer += xp.where(place.aligned(place.mask, buffer.ndim), spread(values, place, buffer.shape, xp), 0)


def set_where(a: Any, place: Place, values: Any, xp: Any) -> Any:
    """`a` with the values where the mask holds."""
    if not a.size or (hasattr(values, "shape") and selects_nothing(values, place, a.ndim)):
        return a.copy()
    new = spread(values, place, a.shape, xp) if hasattr(values, "shape") else values
    return xp.where(place.aligned(place.mask, a.ndim), new, a).astype(a.dtype, copy=False)
