"""Spaces of dense arrays: their shape, real or complex, their precision, and their device.

Only attributes are read and only operations that record and differentiate are used (`xp.real`,
`astype`, `reshape`), so that a traced cotangent comes back traced and a device array stays on its
device.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.projection.space import NoTangentSpace, Space, projection_error
from chainrules_py.tangents import NO_TANGENT, Product
from chainrules_py.tangents.thunk import Thunk
from chainrules_py.values.arrays import ArrayLibrary, is_numpys, library_of, numpy_library

Shape = tuple[int, ...]

_FIELDS = {
    "f": "real",
    "c": "complex",
    "b": "integer",
    "i": "integer",
    "u": "integer",
    "O": "object",
}


class DenseSpace(Space):
    """The space of arrays of one shape and one real or complex dtype."""

    __slots__ = ()

    def __call__(self, t) -> Any:
        """The cotangent `t` with this shape and dtype."""
        cls = type(t)  # isinstance would ask a traced array for the class of its value
        if cls is self.primal_type and t.dtype is self.dtype and t.shape == self.shape:
            return t
        library = library_of(cls)
        if library is None:
            if issubclass(cls, Thunk) and t.is_in(self.shape, self.dtype):
                return t
        # a traced cotangent, as all are in lanes and in second derivatives
        elif not library.mutable and t.shape == self.shape and t.dtype is self.dtype:
            return t
        return Space.__call__(self, t)

    def bring(self, t) -> Any:
        """A natural cotangent with this shape and dtype."""
        t = standing_beside(self, t, self.primal_type)
        return with_dtype(self, reshaped(self, t, self.shape), self.dtype)

    def __repr__(self) -> str:
        return (
            f"ProjectTo({self.primal_type.__qualname__} of shape {self.shape} and dtype"
            f" {self.dtype})"
        )


class ObjectSpace(DenseSpace):
    """The space of an object array, whose entries may have any tangents or none: only zeros pass."""

    __slots__ = ()

    def __call__(self, t) -> Any:
        """The cotangent `t`, if it is a zero."""
        return Space.__call__(self, t)

    def bring(self, t) -> Any:
        """Raise: an object array has no tangents, so that its only cotangents are zeros."""
        raise projection_error(
            self,
            t,
            "keep the entries in a list, or in an array of numbers: an object array has no"
            " tangents",
        )


def space_of_array(x) -> Space:
    """The space of an array; integers, booleans, strings and dates have no tangents."""
    return dense_space(type(x), x.shape, x.dtype)


def _dense_space(cls, shape: Shape, dtype) -> Space:
    """Make the space of arrays of this class, shape and dtype; `dense_space` keeps it."""
    kind = _SPACES.get(field_of(dtype), NoTangentSpace)
    return kind(cls, shape, native(dtype))


_SPACES: dict[str | None, type[Space]] = {
    "real": DenseSpace,
    "complex": DenseSpace,
    "object": ObjectSpace,
}


dense_space: Callable[[Any, Shape, Any], Space] = lru_cache(maxsize=512)(_dense_space)


def fit(x_bar, shape: Shape, dtype) -> Any:
    """Bring a cotangent of a broadcast result to a shape and dtype: sum it, and take real parts.

    >>> fit(np.ones((2, 3)) + 1j, (3,), np.dtype("float32"))
    array([2., 2., 2.], dtype=float32)
    """
    # the common case, before any question
    is_numpys_own = type(x_bar) is np.ndarray or is_numpys(x_bar)
    if is_numpys_own and x_bar.dtype.kind == "f" == dtype.kind:
        x_bar = x_bar if x_bar.shape == shape else unbroadcast(x_bar, shape, np)
        return x_bar if x_bar.dtype is dtype else x_bar.astype(native(dtype))
    return _fit(x_bar, shape, dtype)


def _fit(x_bar, shape: Shape, dtype) -> Any:
    if issubclass(type(x_bar), Product):
        x_bar = x_bar.summed_to(shape, unbroadcast)
    field = field_of(dtype)
    if field in (None, "integer"):
        return NO_TANGENT
    space = DenseSpace(type(x_bar), shape, dtype)
    x_bar = standing_beside(space, x_bar, type(x_bar))
    if field == "real" and x_bar.dtype.kind == "c":  # first, so that the sum has half the work
        x_bar = real_part(x_bar)
    return with_dtype(space, unbroadcast(x_bar, shape, namespace_of(x_bar)), dtype)


def field_of(dtype) -> str | None:
    """Name an array's field: ``real``, ``complex``, ``integer``, ``object``; None for others."""
    kind = getattr(dtype, "kind", "")  # JAX's keys of random numbers have a dtype without one
    if kind == "V" and "float" in dtype.name:
        return "real"  # bfloat16 and the float8 family: numpy.dtype cannot know their kind
    return _FIELDS.get(kind)


def namespace_of(x) -> Any:
    """The array namespace that `x` belongs to; NumPy's for Python numbers."""
    return (library_of(type(x)) or numpy_library()).namespace


def real_part(t) -> Any:
    """The real part, by an operation that records."""
    return namespace_of(t).real(t)


def standing_beside(space, t, array_type: type) -> Any:
    """Make a cotangent an array that may stand next to arrays of `array_type`."""
    library = library_of(type(t))
    if library is None:
        return _converted(space, t, array_type)
    home = library_of(array_type)
    is_number = type(t) in library.scalar_types
    if home is not None and not is_number and are_apart(home, library):
        raise projection_error(
            space,
            t,
            f"move the cotangent to {home.name} in the rule; projection never copies between"
            " devices",
        )
    is_matrix = issubclass(type(t), np.matrix)
    return np.asarray(t) if is_matrix and array_type is not np.matrix else t


def are_apart(one: ArrayLibrary, other: ArrayLibrary) -> bool:
    """Whether the arrays of two libraries are in different memory, as those of a device are.

    Arrays of libraries that are not mutable are traced, and may be of either.
    """
    if one is other or not (one.mutable and other.mutable):
        return False
    return one.stands_for is None and other.stands_for is None


def _converted(space, t, array_type: type) -> Any:
    if issubclass(type(t), (int, float, complex)):
        return (library_of(array_type) or numpy_library()).namespace.asarray(t)
    if type(t).__module__.startswith("scipy.sparse"):
        return t.toarray()
    raise projection_error(
        space, t, "pass an array of this shape, or ZERO where the derivative is zero"
    )


def reshaped(space, t, shape: Shape) -> Any:
    """The array with this shape; only axes of length one may come and go."""
    if t.shape == shape:
        return t
    if [n for n in t.shape if n != 1] != [n for n in shape if n != 1]:
        raise projection_error(
            space,
            t,
            "return a cotangent of the argument's own shape; projection does not broadcast or sum",
        )
    return t.reshape(shape)


def native(dtype) -> Any:
    """A dtype in this machine's byte order."""
    return dtype if getattr(dtype, "isnative", True) else dtype.newbyteorder("=")


def with_dtype(space, t, dtype) -> Any:
    """The array with this dtype, in this machine's byte order."""
    if t.dtype is dtype:
        return t
    dtype = native(dtype)
    t = in_field(space, t, field_of(dtype))
    return t if t.dtype == dtype else t.astype(dtype)


def in_field(space, t, field: str | None) -> Any:
    """The real part, where the field is real and the array is not; refuses what are no numbers."""
    given = field_of(t.dtype)
    if given in (None, "object"):
        raise projection_error(
            space, t, "pass an array of numbers, of a dtype with a tangent space"
        )
    return real_part(t) if given == "complex" and field == "real" else t
