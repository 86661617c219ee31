"""`ProjectTo` finds the space of a value by its class; any class can be registered."""

import importlib
from collections.abc import Callable
from numbers import Complex, Integral, Real
from typing import Any, TypeVar

import numpy as np

from chainrules_py.projection.containers import DeclaredSpace, StructuralSpace, space_of_parts
from chainrules_py.projection.dense import dense_space, space_of_array
from chainrules_py.projection.scalars import (
    COMPLEX_SPACE,
    FLOAT_SPACE,
    INTEGER_SPACE,
    space_of_scalar,
)
from chainrules_py.projection.space import CustomSpace, NoTangentSpace, Space
from chainrules_py.projection.structured import Structure, structured
from chainrules_py.values.arrays import library_of
from chainrules_py.values.structure import fields, is_container, is_structural, kind

Factory = Callable[[Any], Any]
F = TypeVar("F", bound=Factory)


class SpaceTable:
    """Spaces by class: ``ProjectTo(x)`` is that of `x`, and projects cotangents of `x`.

    >>> project = ProjectTo(np.ones(2, "float32"))
    >>> project(np.array([1 + 2j, 3]))
    array([1., 3.], dtype=float32)

    A user's class is registered with one function, which takes an instance and returns a function
    of natural cotangents. Zeros and thunks never reach that function. Subclasses inherit it.

    >>> from chainrules_py.tangents import Tangent
    >>> class Angle:
    ...     def __init__(self, radians, label):
    ...         self.radians, self.label = radians, label
    >>> @ProjectTo.register(Angle)
    ... def project_angle(angle):
    ...     project = ProjectTo(angle.radians)
    ...     return lambda t: Tangent[Angle](radians=project(t if isinstance(t, float) else t.radians))
    >>> ProjectTo(Angle(0.5, "north"))(2.0)
    Tangent[Angle](radians=2.0)

    `structure` names a subspace of arrays (``"symmetric"``, ``"lower_triangular"``, ... : see
    `structured`); ``"dense"`` lets the cotangent of a sparse matrix be a full array.
    """

    def __init__(self) -> None:
        self._registered: dict[type, Factory] = dict(_BUILT_IN)
        self._factories: dict[type, Factory] = {}

    def __call__(self, x, structure: Structure | None = None) -> Space:
        """The tangent space of `x`, or the part of it with a structure."""
        factory = self._factories.get(type(x)) or self._find(type(x))
        space: Space = factory(x)
        return space if structure is None else structured(space, structure)

    def is_dense(self, cls: type) -> bool:
        """Whether the space of an instance of `cls` follows from its shape and dtype."""
        return (self._factories.get(cls) or self._find(cls)) is space_of_array

    def register(self, cls: type) -> Callable[[F], F]:
        """Decorate a function from an instance of `cls` to its space, or to a projection."""

        def registered(factory: F) -> F:
            self._registered[cls] = _making_spaces(factory)
            # not clear(): a look-up that began before this line writes to the old one
            self._factories = {}
            return factory

        return registered

    def _find(self, cls: type) -> Factory:
        factories = self._factories
        found = next(
            (self._registered[base] for base in cls.__mro__ if base in self._registered), None
        )
        factories[cls] = found = found or self._by_kind(cls)
        return found

    def _by_kind(self, cls: type) -> Factory:
        if any(base.__module__.startswith("scipy.sparse") for base in cls.__mro__):
            return _sparse_factory()
        library = library_of(cls)
        if library is not None:
            return space_of_scalar if issubclass(cls, library.scalar_types) else space_of_array
        if issubclass(cls, Complex):
            return _space_of_number(cls)
        return self._by_fields

    def _by_fields(self, x) -> Space:
        if is_structural(x):
            return space_of_parts(x, self)
        return NoTangentSpace(type(x), getattr(x, "shape", None), getattr(x, "dtype", None))


def _sparse_factory() -> Factory:
    # SciPy is imported by whom its values come from, never by us.
    return importlib.import_module("chainrules_py.projection.sparse").space_of_sparse


def _space_of_number(cls: type) -> Factory:
    spaces = {Integral: INTEGER_SPACE, Real: FLOAT_SPACE, Complex: COMPLEX_SPACE}
    space = next(space for numbers, space in spaces.items() if issubclass(cls, numbers))
    return lambda x: space


def _making_spaces(factory: Factory) -> Factory:
    def space_of(x) -> Space:
        found = factory(x)
        return found if isinstance(found, Space) else CustomSpace(x, found)

    return space_of


_BUILT_IN: dict[type, Factory] = {
    np.ndarray: space_of_array,
    np.generic: space_of_scalar,
    **{number: _space_of_number(number) for number in (int, float, complex)},
}

ProjectTo = SpaceTable()


def admitting_space(x) -> Space:
    """The space of a value by which seeds and cotangents of rules are checked.

    The space of a container has those of all its parts, and an object of a user's class admits what
    its rule says.
    """
    if type(x) is np.ndarray:  # nearly always
        return dense_space(np.ndarray, x.shape, x.dtype)
    if kind(type(x)) is None:
        return ProjectTo(x)
    if not is_container(x):
        return Space(type(x))
    spaces = {key: admitting_space(part) for key, part in fields(x).items()}
    if kind(type(x)) == "declared":
        return DeclaredSpace(x, spaces)
    return StructuralSpace(type(x), spaces)
