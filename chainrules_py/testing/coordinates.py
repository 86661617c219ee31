"""Any value as a vector of real coordinates, and back.

Real numbers and arrays are their entries; complex ones are all real parts, then all imaginary
parts; containers are their fields in order. Integers, booleans, strings, functions and None are
constants: they have no coordinates and come back unchanged. In these coordinates the inner product
of the project, Re sum conj(a)*b, is the ordinary dot product, a rule's Jacobian is an ordinary
matrix and its adjoint is the transpose, which keeps complex numbers out of everything else here.

The layout of a value is computed once (`Layout`); it reads vectors off values and off their
tangents, and makes values and tangents of vectors.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chainrules_py.tangents import (
    NO_TANGENT,
    AbstractZero,
    NotImplementedTangent,
    Tangent,
    entries,
    unthunk,
    with_entries,
)
from chainrules_py.values.arrays import library_of
from chainrules_py.values.structure import fields, is_structural, rebuild

Vector = NDArray[Any]
Path = tuple[Any, ...]


@dataclass(frozen=True)
class Leaf:
    """One differentiable number or array inside a value, and its slice of the coordinate vector."""

    path: Path
    example: Any
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    start: int

    @cached_property
    def is_complex(self) -> bool:
        """Whether the leaf has two coordinates per entry."""
        return self.dtype.kind == "c"

    @cached_property
    def entries(self) -> int:
        """How many numbers the leaf holds."""
        return math.prod(self.shape)

    @cached_property
    def stop(self) -> int:
        """One past the last coordinate."""
        return self.start + self.entries * (2 if self.is_complex else 1)


class Layout:
    """The place of each differentiable leaf of a value in its coordinate vector.

    >>> layout = Layout({"w": np.array([1.0, 2.0]), "n": 3, "z": 1 + 2j})
    >>> layout.vector({"w": np.array([1.0, 2.0]), "n": 3, "z": 1 + 2j}).tolist()
    [1.0, 2.0, 1.0, 2.0]
    >>> layout.labels()
    ["['w'][0]", "['w'][1]", "['z'].real", "['z'].imag"]
    """

    def __init__(self, value: Any) -> None:
        self.value = value
        self.leaves = tuple(_lay_out(value))
        self.size = self.leaves[-1].stop if self.leaves else 0
        self.dtype = np.result_type(np.float64, self.precision)

    @cached_property
    def is_complex(self) -> bool:
        """Whether there are complex numbers among the leaves."""
        return any(leaf.is_complex for leaf in self.leaves)

    @cached_property
    def precision(self) -> np.dtype[Any]:
        """The dtype of real numbers that holds all coordinates."""
        dtypes = [real_dtype(leaf.dtype) for leaf in self.leaves]
        return np.result_type(*dtypes) if dtypes else np.dtype(float)

    def vector(self, value: Any) -> Vector:
        """The coordinates of a value built like the one this layout was made from."""
        return self._gather(lambda leaf: part_at_path(value, leaf.path))

    def tangent_vector(self, tangent: Any) -> Vector:
        """The coordinates of a tangent: zeros for every zero, thunks forced, missing fields zero."""
        return self._gather(lambda leaf: tangent_at(tangent, leaf.path))

    def restore(self, vector: Vector, *, widen: bool = False) -> Any:
        """The value with these coordinates, which an engine may trace; `widen` asks for float64 or
        complex128.
        """
        return self.with_leaves(self._numbers(vector, widen))

    def with_leaves(self, replaced: dict[Path, Any]) -> Any:
        """The value with other numbers or arrays at some paths."""
        return _replace(self.value, (), replaced)

    def tangent(self, vector: Vector) -> Any:
        """The tangent with these coordinates, a `Tangent` where the value is a container."""
        return _replace(self.value, (), self._numbers(vector, widen=False), as_tangent=True)

    def _numbers(self, vector: Vector, widen: bool) -> dict[Path, Any]:
        return {
            leaf.path: _leaf_value(leaf, vector[leaf.start : leaf.stop], widen)
            for leaf in self.leaves
        }

    def labels(self) -> list[str]:
        """A name for each coordinate, as one would index it: ``['w'][1, 2].imag``."""
        return [label for leaf in self.leaves for label in _leaf_labels(leaf)]

    def _gather(self, find: Callable[[Leaf], Any]) -> Vector:
        vector = np.zeros(self.size, self.dtype)
        for leaf in self.leaves:
            _write(vector[leaf.start : leaf.stop], leaf, find(leaf))
        return vector


def number_dtype(value) -> np.dtype[Any] | None:
    """The dtype of a floating or complex number or array of any library; None for everything else."""
    if type(value) in (float, complex):
        return np.dtype(type(value))
    if library_of(type(value)) is None:
        return None
    dtype = np.dtype(value.dtype)
    return dtype if dtype.kind in "fc" else None


def real_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of the real part of numbers of a dtype."""
    return dtype.type(0).real.dtype


def to_numpy(value) -> NDArray[Any]:
    """A host array of any library's array: CuPy's are copied from the device."""
    get = getattr(value, "get", None)
    return np.asarray(get() if callable(get) else value)


def _lay_out(value) -> Iterator[Leaf]:
    start = 0
    for path, number, dtype in _numbers(value, ()):
        leaf = Leaf(path, number, tuple(np.shape(number)), dtype, start)
        start = leaf.stop
        yield leaf


def _numbers(value, path: Path) -> Iterator[tuple[Path, Any, np.dtype[Any]]]:
    dtype = number_dtype(value)
    if dtype is not None:
        yield path, value, dtype
    elif is_structural(value):
        for key, entry in fields(value).items():
            yield from _numbers(entry, (*path, key))


def part_at_path(value, path: Path) -> Any:
    """The part of a value at a path."""
    for key in path:
        value = fields(value)[key]
    return value


def tangent_at(tangent, path: Path) -> Any:
    """The entry of a tangent at a path into its primal; a zero above it is a zero there."""
    tangent = unthunk(tangent)
    for key in path:
        if isinstance(tangent, AbstractZero | NotImplementedTangent):
            break
        present = entries(tangent) if isinstance(tangent, Tangent) else fields(tangent)
        tangent = unthunk(present.get(key, NO_TANGENT))
    return tangent


def _write(target: Vector, leaf: Leaf, number) -> None:
    if isinstance(number, AbstractZero):
        return
    if isinstance(number, NotImplementedTangent):
        float(number)  # raises, with its reason
    array = to_numpy(number)
    if array.shape != leaf.shape:
        raise ValueError(f"shape {array.shape} where {leaf.shape} belongs")
    if not leaf.is_complex:
        target[:] = _real(array).ravel()
    else:
        target[: leaf.entries] = np.real(array).ravel()
        target[leaf.entries :] = np.imag(array).ravel()


def _real(array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype.kind == "c":
        raise ValueError("complex where a real number belongs")
    return array


def _leaf_value(leaf: Leaf, coordinates: Vector, widen: bool) -> Any:
    numbers = coordinates
    if leaf.is_complex:
        numbers = coordinates[: leaf.entries] + 1j * coordinates[leaf.entries :]
    dtype = np.result_type(leaf.dtype, np.float64) if widen else leaf.dtype
    # A complex vector is what the complex step puts in place of real coordinates.
    kind = np.result_type(dtype, np.complex64) if coordinates.dtype.kind == "c" else dtype
    if type(numbers) is not np.ndarray:
        own = numbers if numbers.dtype == kind else numbers.astype(kind)
        return np.reshape(own, leaf.shape) if leaf.shape else own[0]
    return _like(leaf.example, np.asarray(numbers, kind).reshape(leaf.shape))


def _like(example, array: NDArray[Any]) -> Any:
    """Make an array like an example: a number, an array in its order, another library's array."""
    if type(example) in (float, complex):
        return array.item()
    if isinstance(example, np.generic):
        return array[()]
    if isinstance(example, np.ndarray):
        made = np.empty_like(example, array.dtype)
        made.view(np.ndarray)[...] = array
        return made
    library = library_of(type(example))
    assert library is not None
    return library.namespace.asarray(array)


def _replace(value, path: Path, numbers: dict[Path, Any], as_tangent: bool = False) -> Any:
    """Put numbers at paths into a value, or into a tangent that has nothing else."""
    if path in numbers:
        return numbers[path]
    if not any(key[: len(path)] == path for key in numbers):
        return NO_TANGENT if as_tangent else value
    parts = {
        key: _replace(entry, (*path, key), numbers, as_tangent)
        for key, entry in fields(value).items()
    }
    return with_entries(type(value), parts) if as_tangent else rebuild(value, parts)


def _leaf_labels(leaf: Leaf) -> list[str]:
    stem = "".join(f"[{key!r}]" for key in leaf.path)
    indices = list(np.ndindex(leaf.shape)) if leaf.shape else [()]
    names = [stem + (str(list(index)) if index else "") for index in indices]
    if leaf.is_complex:
        return [f"{name}.real" for name in names] + [f"{name}.imag" for name in names]
    return names
