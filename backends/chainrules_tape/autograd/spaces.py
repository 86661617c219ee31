"""Vector spaces of values, as autograd's `vspace` has them.

Rules here need none of them: cotangents are projected into the space of an argument
(`chainrules_py.projection`). They are for programs that ask for a basis, or for ones and zeros like
a value.
"""

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from chainrules_py.annotations import Function
from chainrules_tape.autograd.boxes import getval
from chainrules_tape.core.trees import flatten, only
from chainrules_tape.core.values import is_differentiable

_ARRAYS = frozenset({np.ndarray, np.float64})  # of which shape and dtype are all of the space


class VSpace:
    """The vector space of a number, an array, or a container of such.

    >>> space = vspace({"w": np.zeros(2), "b": 1.0})
    >>> space.size, space.ones()
    (3, {'w': array([1., 1.]), 'b': array(1.)})
    """

    # made of values of a class, where a program says so
    mappings: ClassVar[dict[type, Callable[[Any], Any]]] = {}

    def __init__(self, value) -> None:
        leaves, self._rebuilt = flatten(value)
        self._likes = list(map(like_of, leaves))
        # a number or an array is its only leaf itself
        self._is_array = self._rebuilt is only or self._rebuilt([None] * len(leaves)) is None

    @classmethod
    def register(cls, value_type: type, maker: Callable[[Any], Any] | None = None) -> None:
        """Say what makes the space of the values of a class."""
        VSpace.mappings[value_type] = maker or cls

    @property
    def shape(self) -> Any:
        """The shape of an array; of a container, the spaces of its parts."""
        if self._is_array:
            return self._likes[0].shape
        return self._rebuilt([VSpace(like) for like in self._likes])

    @property
    def ndim(self) -> int:
        """The number of axes of an array."""
        return int(self._likes[0].ndim)

    @property
    def dtype(self) -> Any:
        """The dtype of an array."""
        return self._likes[0].dtype

    @property
    def iscomplex(self) -> bool:
        """Whether some entries are complex."""
        return any(like.dtype.kind == "c" for like in self._likes)

    @property
    def size(self) -> int:
        """The number of real directions."""
        return sum(like.size * (1 + (like.dtype.kind == "c")) for like in self._likes)

    def zeros(self) -> Any:
        """Return the zero of the space."""
        return self._rebuilt(list(map(zeros_of, self._likes)))

    def ones(self) -> Any:
        """Return ones, those of complex entries being 1 + i."""
        return self._rebuilt([np.full_like(like, one_of(like)) for like in self._likes])

    def randn(self) -> Any:
        """Return normally distributed entries."""
        return self._rebuilt(list(map(normal_like, self._likes)))

    def standard_basis(self) -> Iterator[Any]:
        """Go over the real directions, each as an element of the space."""
        for place, like in enumerate(self._likes):
            for index in np.ndindex(*like.shape):
                for unit in (1.0, 1.0j) if like.dtype.kind == "c" else (1.0,):
                    parts = list(map(zeros_of, self._likes))
                    parts[place][index] = unit
                    yield self._rebuilt(parts)

    def add(self, x, y) -> Any:
        """Return the sum of two elements; the first one may be None for zero."""
        return y if x is None else self._map(lambda a, b: a + b, x, y)

    mut_add = add

    def scalar_mul(self, x, factor) -> Any:
        """Return a multiple of an element."""
        return self._map(lambda part: part * factor, x)

    def inner_prod(self, x, y) -> Any:
        """Return the real inner product of two elements."""
        pairs = zip(flatten(x)[0], flatten(y)[0], strict=True)
        return sum(np.real(np.vdot(a, b)) for a, b in pairs)

    def covector(self, x) -> Any:
        """Return the cotangent that belongs to an element: its conjugate."""
        return self._map(np.conj, x) if self.iscomplex else x

    def _map(self, function: Function, *elements) -> Any:
        if self._is_array:
            return function(*elements)
        parts = [flatten(element)[0] for element in elements]
        return self._rebuilt(list(map(function, *parts)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VSpace) and repr(self) == repr(other)

    __hash__: Any = None

    def __repr__(self) -> str:
        parts = self._rebuilt([f"{like.dtype}{list(like.shape)}" for like in self._likes])
        return f"VSpace({parts})"


def like_of(leaf) -> Any:
    """A plain value with the shape and the dtype of a leaf, to make others like it."""
    plain = getval(leaf)
    if type(plain) in _ARRAYS:
        return plain
    return np.float64(plain) if type(plain) is float else np.zeros_like(plain)


def zeros_of(like) -> Any:
    """Return zeros like a plain value; `numpy.zeros_like` takes four times as long."""
    return np.zeros(like.shape, like.dtype) if type(like) in _ARRAYS else np.zeros_like(like)


def one_of(like) -> complex:
    """The entry of autograd's ones: complex spaces have the direction i, too."""
    return 1 + 1j if like.dtype.kind == "c" else 1


def normal_like(like) -> Any:
    """Return an array of normally distributed entries like another one."""
    draws = np.random.randn(*like.shape)
    if like.dtype.kind == "c":
        draws = draws + 1j * np.random.randn(*like.shape)
    return np.asarray(draws, like.dtype)


def vspace(value) -> Any:
    """The vector space of a value, or of what is traced; TypeError where there is none.

    >>> vspace(np.zeros((2, 3))).shape
    (2, 3)
    """
    if VSpace.mappings:
        plain = getval(value)
        maker = VSpace.mappings.get(type(plain))
        if maker is not None:
            return maker(plain)
    found = VSpace(value)
    for like in found._likes:
        if like.dtype.kind not in "fciu" and not is_differentiable(like):
            raise TypeError(f"vspace: {like.dtype} is no number; pass floats or complex numbers")
    return found
