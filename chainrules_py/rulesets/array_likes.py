"""What NumPy takes for an array: lists and numbers in the place of arrays, and the way of their tangents there and back."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from chainrules_py.arrays import Array, Scalar
from chainrules_py.makers.joint import array_of, bar_of, dense_dot
from chainrules_py.makers.linearised import LinearMap
from chainrules_py.structure import is_container
from chainrules_py.tangents import Tangent

if TYPE_CHECKING:
    ArrayLike = Any
else:
    ArrayLike = Array | Scalar | list | tuple  # what rules dispatch on: bare classes

Linearised = tuple[Any, ...]


def on_arrays(
    linearise: Callable[..., Linearised], args: tuple[Any, ...], xp: Any, vectors: Collection[int] = ()
) -> Linearised:
    """``linearise(*args)`` with arrays for lists, and with vectors for numbers at some positions; the maps are of `args`."""
    taken = [as_array(arg, position in vectors, xp) for position, arg in enumerate(args)]
    y, *maps = linearise(*[array for array, _ in taken])
    return y, *(inner if outer is None else composed(inner, outer) for inner, (_, outer) in zip(maps, taken, strict=True))


def as_array(x: Any, vector: bool, xp: Any) -> tuple[Any, LinearMap | None]:
    """The array in the place of a list, or of a number that counts as a vector, with its map; None where it is the same."""
    if is_container(x):
        array = array_of(x)
        dtype = array.dtype

        def list_pushforward(dot: Any) -> Any:
            return dense_dot(dot, x, dtype) if isinstance(dot, Tangent) else dot

        return array, LinearMap(list_pushforward, lambda bar: bar_of(x, bar))
    if vector and not shape_of(x):
        return xp.reshape(xp.asarray(x), (1,)), LinearMap(lambda dot: xp.reshape(dot, (1,)), lambda bar: xp.reshape(bar, ()))
    return x, None


def composed(inner: LinearMap, outer: LinearMap) -> LinearMap:
    """First `outer`, then `inner`."""
    return LinearMap(lambda dot: inner.push(outer.push(dot)), lambda bar: outer.pull(inner.pull(bar)))


def shape_of(x: Any) -> tuple[int, ...]:
    """The shape of an array; () of a number."""
    shape: tuple[int, ...] = getattr(x, "shape", ())
    return shape


def as_floats(x: Any) -> Any:
    """An array of integers or booleans as floats, as NumPy's polynomials have it; other arrays as they are."""
    return x + 0.0 if x.dtype.kind in "biu" else x
