"""Unit vectors in lanes: what a linear map makes of all of them, computed at once.

The derivative of a function at a point is a linear map of tangents, or of cotangents in reverse. The
columns of its matrix are the images of the unit vectors. `images_of_units` runs it on units in
lanes: on all of them, or on as many at once as memory allows.

A `UnitArray` is a handle on one unit vector per lane. It stands for the identity matrix, and becomes
an array when somebody asks for its value. A map that hands it on does not ask, and its product with
a matrix is that matrix.
"""

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np

from chainrules_py.batching.failures import note_handled
from chainrules_py.batching.lanes import with_lanes
from chainrules_py.errors import BatchingError
from chainrules_py.introspection import frame_above
from chainrules_py.tangents import NO_TANGENT
from chainrules_py.values.arrays import (
    ArrayLibrary,
    common_namespace,
    libraries,
    numpy_library,
    shape_of,
)
from chainrules_py.values.progress import Progress
from chainrules_tape.arrays.fast_dispatch import TANGENTS
from chainrules_tape.arrays.handles import LaneArray
from chainrules_tape.core.plans import Engine
from chainrules_tape.core.values import is_differentiable
from chainrules_tape.lanes.level import HANDLES, Lanes, trace_in_lanes
from chainrules_tape.refusals import handles
from chainrules_tape.refusals.errors import InPlaceError, LostGradientError
from chainrules_tape.refusals.other_libraries import is_operation_of_another_library

LinearMap = Callable[[Any], list[Any]]  # from a tangent of one leaf to those of several
FIRST = 8  # so many lanes are tried, to see how many bytes each takes, after more took too many


class OutOfMemory(BaseException):
    """The results of the level have more bytes than it may use; no program catches that."""


class LimitedLanes(Lanes):
    """A level that counts the bytes of its results, and stops where these are too many."""

    __slots__ = ("limit", "used")
    used: int
    limit: float

    def __init__(self, engine: Engine, size: int, limit: float) -> None:
        super().__init__(engine, size)
        self.used, self.limit = 0, limit

    def in_order(self, y) -> Any:
        """A result as it is: what programs write into are buffers."""
        return y

    def handle(self, y) -> Any:
        """Make a handle, and count the bytes of its value unless it is a view of another."""
        if type(y) is not np.ndarray or y.base is None:
            self.used += y.nbytes
            if self.used > self.limit:
                raise OutOfMemory(self)
        return Lanes.handle(self, y)


def apparent_class(x) -> type:
    """The class that units say they have: that of the array that they stand for."""
    return type(x) if is_operation_of_another_library(frame_above(1)) else np.ndarray


class Units(NamedTuple):
    """Unit vectors of arrays of a shape and dtype, from the one on with the number `first`."""

    shape: tuple[int, ...]
    dtype: Any
    first: int


class UnitArray(LaneArray):
    """A handle on one unit vector per lane: those of an array of this shape, from the one on with
    the number `first`. It is computed when somebody asks for its value.

    What it is computed of is in the slot `storage`. Other handles have their memory there once they
    are written to. No slot more is needed, so that a write can change the class as that of any
    handle: Python allows that for classes with the same slots alone.
    """

    __slots__ = ()
    is_unit = True
    storage: Units

    __class__: Any = property(apparent_class)

    def __getattr__(self, name: str) -> Any:
        if name != "value":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        shape, dtype, first = self.storage
        self.value = units(self.level.size, shape, dtype, first)
        return self.value

    def chosen_from(self, rows) -> Any:
        """The rows of a matrix with the numbers of the units."""
        first, count = self.storage.first, self.level.size
        return self.level.handle(rows if count == rows.shape[0] else rows[first : first + count])

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one lane."""
        return self.storage.shape

    @shape.setter
    def shape(self, shape) -> None:
        self._set_shape(shape)

    @property
    def ndim(self) -> int:
        """The number of axes of one lane."""
        return len(self.storage.shape)

    @property
    def size(self) -> int:
        """The number of entries of one lane."""
        return prod(self.storage.shape)

    @property
    def dtype(self) -> Any:
        """The dtype of the units."""
        return self.storage.dtype


for _handles in (HANDLES, handles.HANDLES, TANGENTS):
    _handles.add(UnitArray)


def units(count: int, shape: tuple[int, ...], dtype, first: int) -> Any:
    """Some of the unit vectors of arrays of a shape, along the first axis."""
    made = np.zeros((count, prod(shape)), dtype)
    numbers = np.arange(count)
    made[numbers, first + numbers] = 1
    return made.reshape((count, *shape))


def units_in_lanes(level: Lanes, leaf, first: int, factor: complex) -> Any:
    """The handle on some of the unit vectors of a leaf, times a factor."""
    shape, dtype = leaf.shape, leaf.dtype
    is_plain = type(leaf) is np.ndarray
    library = numpy_library() if is_plain else own_library(leaf)
    if factor != 1 or not (is_plain or is_run_by_numpy(library)):
        made_there = library.namespace.asarray(units(level.size, shape, dtype, first))
        return level.handle(factor * made_there if factor != 1 else made_there)
    made: Any = object.__new__(UnitArray)
    made.level, made.storage = level, Units(shape, dtype, first)
    return made


def images_of_units(
    linear_map: LinearMap,
    leaf,
    engine: Engine,
    max_bytes: int,
    factor: complex = 1,
    *,
    in_reverse: bool = False,
) -> list[Any] | None:
    """Apply a linear map to all unit tangents of a leaf, times a factor.

    Returns a list of arrays, whose first axis counts the units; None where there are none.
    """
    if not is_differentiable(leaf) or not (count := prod(shape_of(leaf))):
        return None
    if count == 1 or not takes_lanes(leaf, in_reverse):
        return one_by_one(linear_map, leaf, factor)
    try:
        return in_chunks(linear_map, leaf, count, engine, max_bytes, factor)
    # a rule decides something by the value of a tangent, has no derivative of traced ones, or hands
    # it to what takes plain arrays
    except (
        BatchingError,
        NotImplementedError,
        LostGradientError,
        InPlaceError,
        TypeError,
    ) as error:
        note_handled(error)
        return one_by_one(linear_map, leaf, factor)


def takes_lanes(leaf, in_reverse: bool) -> bool:
    """Whether units of a leaf may be in lanes.

    Pullbacks belong to the library of the values, and no functions but NumPy's take handles.
    """
    if type(leaf) is np.ndarray:
        return True
    library = own_library(leaf)
    return is_run_by_numpy(library) or (library.mutable and not in_reverse)


def is_run_by_numpy(library: ArrayLibrary) -> bool:
    """Whether a library is NumPy, or writes down what NumPy is to do."""
    return library is numpy_library() or library.stands_for is not None


def own_library(leaf) -> ArrayLibrary:
    """The library of a leaf's array or number, beneath all levels."""
    if type(leaf) is np.ndarray:
        return numpy_library()
    name = handles.library_beneath(type(leaf))
    return next((library for library in libraries() if library.name == name), numpy_library())


def in_chunks(
    linear_map: LinearMap, leaf, count: int, engine: Engine, max_bytes: int, factor: complex
) -> list[Any]:
    """Run a linear map on all units of a leaf, as many as `count`, at once; where the results have
    more bytes than allowed, on as many at once as have fewer.
    """
    first, size = 0, count
    chunks = []
    with Progress("directions", count) as progress:
        while first < count:
            size = min(size, count - first)
            level = LimitedLanes(engine, size, max_bytes if size > 1 else np.inf)
            try:
                seed = units_in_lanes(level, leaf, first, factor)
                images = trace_in_lanes(level, linear_map, (seed,), {}, is_resolved=True)
            except OutOfMemory as reached:
                if reached.args[0] is not level:  # of a matrix outside of this one
                    raise
                size = min(FIRST, size // 2)
                continue
            chunks.append(without_handles(level, images))
            del images
            first += size
            size = max(1, max_bytes * size // max(level.used, 1))
            progress.at(first)
    return [joined_images(parts) for parts in zip(*chunks, strict=True)]


def without_handles(level: Lanes, images: list[Any]) -> list[Any]:
    """The images of the units of a level as arrays, which nobody else holds if no program does.

    Empties the list of images.
    """
    images.reverse()
    return [without_handle(level, images.pop()) for _ in range(len(images))]


def without_handle(level: Lanes, image) -> Any:
    """An image of the units of a level as an array with these along its first axis."""
    if level.owns(image):
        return image.value
    return image if image is NO_TANGENT else with_lanes(image, level.size)


def joined_images(parts: tuple[Any, ...]) -> Any:
    """The images of all units, given those of some after the other."""
    if len(parts) == 1 or parts[0] is NO_TANGENT:
        return parts[0]
    return common_namespace(parts).concatenate(parts)


def one_by_one(linear_map: LinearMap, leaf, factor: complex) -> list[Any]:
    """Run a linear map on one unit of a leaf after the other."""
    shape = np.shape(leaf)
    dtype = getattr(leaf, "dtype", type(leaf))
    library = own_library(leaf)
    found = []
    with Progress("directions", prod(shape)) as progress:
        for index in np.ndindex(shape):
            unit = np.zeros(shape, dtype)
            unit[index] = factor
            seed = unit if shape else unit[()]
            if library is not numpy_library():
                seed = library.namespace.asarray(unit)
            found.append(linear_map(seed if hasattr(leaf, "dtype") else seed.item()))
            progress.at(len(found))
    return [stacked_images(parts) for parts in zip(*found, strict=True)]


def stacked_images(parts: tuple[Any, ...]) -> Any:
    """Stack the images of all units; of a leaf without tangents there is nothing to be stacked."""
    if parts[0] is NO_TANGENT:
        return NO_TANGENT
    xp = common_namespace(parts)
    return xp.stack([part if hasattr(part, "shape") else xp.asarray(part) for part in parts])
