"""Lists and numbers in the place of arrays, as NumPy takes them, and their tangents."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from chainrules_py.annotations import Args
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.makers import Linearised, LinearMap
from chainrules_py.makers.joint import bar_of, dense_dots
from chainrules_py.makers.lists import (
    ArrayLike as ArrayLike,
    array_of_list as array_of_list,
    arrays_in,
    dense as dense,
    placing as placing,
)
from chainrules_py.tangents import ZERO, Tangent, is_zero
from chainrules_py.values.arrays import (
    Scalar,
    library_of_types,
    numpy_library,
    shape_of,
)
from chainrules_py.values.structure import is_container

if TYPE_CHECKING:
    Function = Callable[..., Any]
else:  # what rules dispatch on: bare classes
    Function = Callable


IDENTITY = LinearMap(lambda dot: dot, lambda bar: bar)
NO_CHANGE = LinearMap(lambda dot: ZERO, lambda bar: ZERO)


def on_arrays(
    linearise: Callable[..., Linearised],
    args: Args,
    xp,
    vectors: Collection[int] = (),
) -> Linearised:
    """``linearise(*args, xp=xp)`` with arrays for lists, and the maps of `args`.

    Numbers at the positions `vectors` become vectors. Of a list the caller knows the class only: it
    is given the library of what is in it. Where that is NumPy, `xp` may be that of the tangents.
    """
    if any(map(is_container, args)):
        library = library_of_types(type(array) for array in arrays_in(args))
        xp = xp if library is numpy_library() else library.namespace
    taken = [
        linearised_array(arg, position in vectors, args, xp) for position, arg in enumerate(args)
    ]
    y, *maps = linearise(*[array for array, _ in taken], xp=xp)
    return y, *(
        inner if outer is None else chained(inner, outer)
        for inner, (_, outer) in zip(maps, taken, strict=True)
    )


def linearised_array(x, vector: bool, args: Args, xp) -> Linearised:
    """The array in the place of a list, or of a number that counts as a vector, with its map.

    The map is None where the array is `x` itself.
    """
    if is_container(x):
        beside = placing(args, xp)

        def list_pushforward(dot):
            return array_of_list(dense_dots(dot, x), beside) if isinstance(dot, Tangent) else dot

        return array_of_list(x, beside), LinearMap(list_pushforward, lambda bar: bar_of(x, bar))
    if vector and not shape_of(x):
        beside = placing(args, xp)

        def one_entry(x) -> Any:
            return xp.reshape(beside(x), (1,))

        return one_entry(x), LinearMap(one_entry, lambda bar: xp.reshape(bar, ()))
    return x, None


def chained(inner: LinearMap, outer: LinearMap) -> LinearMap:
    """First `outer`, then `inner`."""
    return LinearMap(
        lambda dot: inner.push(outer.push(dot)), lambda bar: outer.pull(inner.pull(bar))
    )


def reshaping(shape: tuple[int, ...], new_shape: tuple[int, ...], xp) -> LinearMap:
    """The map of entries to another shape; dtypes are the projections' affair."""
    return LinearMap(lambda dot: xp.reshape(dot, new_shape), lambda bar: xp.reshape(bar, shape))


def one_of_several(linear: LinearMap, position: int, count: int) -> LinearMap:
    """A map to one of several outputs, of which the others do not move."""
    return LinearMap(
        lambda dot: tuple(linear.push(dot) if k == position else ZERO for k in range(count)),
        lambda y_bar: ZERO if is_zero(y_bar[position]) else linear.pull(y_bar[position]),
    )


def at_least_vectors(args: Args, xp) -> list[Any]:
    """Numbers as vectors, where the other arguments are."""
    beside = placing(args, xp)
    return [xp.reshape(beside(x), (1,)) if not shape_of(x) else x for x in args]


def beside_arrays(args, xp) -> list[Any]:
    """The arguments, with arrays for numbers, in the library of the arrays among them."""
    beside = placing(args, xp)
    return [beside(x) if is_library_number(x) else x for x in args]


def is_library_number(x) -> bool:
    """Whether a value is a number, and no array without axes; traced ones are what they stand for."""
    if shape_of(x) or isinstance(x, np.ndarray):
        return False
    return isinstance(ignore_derivatives(x), Scalar | np.generic)


def as_floats(x) -> Any:
    """An array of integers or booleans as floats, as NumPy's polynomials have it.

    Other arrays as they are.
    """
    return x + 0.0 if x.dtype.kind in "biu" else x
