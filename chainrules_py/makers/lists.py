"""Lists and numbers in the place of arrays, as NumPy takes them."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from chainrules_py.values.arrays import Array, Scalar, common_namespace, is_numpys
from chainrules_py.values.structure import fields, is_container

if TYPE_CHECKING:
    ArrayLike = Any
else:  # what rules dispatch on: bare classes
    ArrayLike = Array | Scalar | list | tuple


def placing(args, xp) -> Callable[[Any], Any]:
    """A function that makes an array of a number, in the library of the arrays among the arguments.

    A traced number, or its tangent, is the host's, and a traced call does not know the library of
    its constants: a product with the one of that library settles both, and on a device it is a
    kernel that copies nothing. NumPy's own arrays need none.
    """
    home = max(arrays_in(args), key=lambda array: array.ndim, default=None)
    if home is None or is_numpys(home):
        return lambda x: dense(x, xp)
    # Next to a boolean every dtype is kept. CuPy takes shape=() for no shape at all, hence the
    # detour.
    one = xp.reshape(xp.ones_like(home, dtype=bool, shape=(1,)), ())
    return lambda x: x * one


def array_of_list(x, beside: Callable[[Any], Any]) -> Any:
    """The array of a list, of whose numbers `beside` makes arrays."""
    parts = [
        array_of_list(part, beside) if is_container(part) else beside(part)
        for part in fields(x).values()
    ]
    if parts:
        return common_namespace(parts).stack(parts)
    return beside(np.zeros(0))


def arrays_in(x) -> Iterator[Any]:
    """The arrays in lists of lists."""
    for part in fields(x).values():
        if is_container(part):
            yield from arrays_in(part)
        elif isinstance(part, Array):
            yield part


def dense(x, xp) -> Any:
    """An array; a number becomes one, and what is traced is one already."""
    return x if hasattr(x, "shape") else xp.asarray(x)
