"""Arguments and results as one array, and back: an engine sees functions of an array that return one.

An array of real numbers is itself. Anything else is a vector of the entries of its numbers, one
after the other, complex ones as their real and their imaginary parts.
"""

from typing import Any

import numpy as np

from chainrules_py.errors import ChainRulesError
from chainrules_py.testing import coordinates

Array = Any  # of any engine


class EngineError(ChainRulesError, ValueError):
    """What an engine cannot do, or that there is none of a name: `engine`."""


class Layout(coordinates.Layout):
    """The coordinates of a value, in programs that an engine traces.

    >>> layout = Layout({"w": np.ones((2, 1)), "z": 2.0})
    >>> array = layout.laid({"w": np.array([[1.0], [2.0]]), "z": 3.0})
    >>> array, layout.tree(array)["w"].shape
    (array([1., 2., 3.]), (2, 1))
    """

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        first = self.leaves[0] if self.leaves else None
        self.is_array = first is not None and first.path == () and not first.is_complex
        self.is_complex = any(leaf.is_complex for leaf in self.leaves)
        self.shape = first.shape if first and self.is_array else (self.size,)
        dtypes = [coordinates.real_dtype(leaf.dtype) for leaf in self.leaves]
        self.precision = np.result_type(*dtypes) if dtypes else np.dtype(float)

    def laid(self, value: Any) -> Array:
        """The array of a value that is built like this one, its numbers plain or traced."""
        for leaf in self.leaves:
            shape = np.shape(coordinates.at(value, leaf.path))
            if shape != leaf.shape:
                got = f"shape {shape} where it was {leaf.shape} at the first call"
                instead = "return arrays of the same shapes for arguments of the same shapes"
                raise EngineError("derivatives", got, instead, engine=None)
        if self.is_array:
            return value
        parts = [part for leaf in self.leaves for part in real_parts(value, leaf)]
        return np.concatenate(parts) if parts else np.zeros(0)

    def tree(self, array: Array) -> Any:
        """The value of an array."""
        if self.is_array and self.leaves[0].shape:
            return array
        vector = np.reshape(array, (-1,))
        numbers = {
            leaf.path: number_of(vector[leaf.start : leaf.stop], leaf) for leaf in self.leaves
        }
        return self.with_leaves(numbers)

    def numbers(self, array: Array) -> Any:
        """The value of an array of plain numbers, in the precision of this one."""
        return self.tree(np.asarray(array, self.precision))

    def direction(self, tangent: Any) -> Array:
        """The array of a tangent or cotangent, of plain numbers."""
        return self.tangent_vector(tangent).astype(self.precision).reshape(self.shape)

    def units(self) -> Array:
        """All directions: a unit for each entry."""
        return np.eye(self.size, dtype=self.precision).reshape(self.size, *self.shape)

    def matrix(self, rows: Array, other: "Layout") -> Any:
        """A matrix with a row for each entry of this value, and a column for each of another one, as
        an array for each pair of their arrays.
        """

        def block(own: coordinates.Leaf, its: coordinates.Leaf) -> Array:
            part = rows[own.start : own.stop, its.start : its.stop]
            return np.reshape(part, (*own.shape, *its.shape))

        def row(own: coordinates.Leaf) -> Any:
            return other.with_leaves({its.path: block(own, its) for its in other.leaves})

        return self.with_leaves({own.path: row(own) for own in self.leaves})


def real_parts(value: Any, leaf: coordinates.Leaf) -> list[Array]:
    """The entries of a number in a value, or their real and their imaginary parts."""
    number = coordinates.at(value, leaf.path)
    parts = [np.real(number), np.imag(number)] if leaf.is_complex else [number]
    return [np.reshape(part, (-1,)) for part in parts]


def number_of(entries: Array, leaf: coordinates.Leaf) -> Any:
    """The number or array that a value has at a place, from its entries."""
    if leaf.is_complex:
        entries = entries[: leaf.entries] + 1j * entries[leaf.entries :]
    if not leaf.shape:
        return entries[0]
    array = np.reshape(entries, leaf.shape)
    # the complex step passes complex entries where real ones belong
    return array if entries.dtype.kind == "c" else array.astype(leaf.dtype, copy=False)
