"""`ProjectTo`: finds the projector of a value by its class, and is open to classes of others."""

import importlib
from collections.abc import Callable
from numbers import Complex, Integral, Real
from typing import Any, TypeVar

import numpy as np

from chainrules_py.arrays import library_of
from chainrules_py.projection.containers import project_structure
from chainrules_py.projection.dense import project_dense
from chainrules_py.projection.projector import NO_TANGENT_PROJECTOR, CustomProjector, Projector
from chainrules_py.projection.scalars import COMPLEX_PROJECTOR, FLOAT_PROJECTOR, project_scalar
from chainrules_py.projection.structured import Structure, structured
from chainrules_py.structure import is_structural

Factory = Callable[[Any], Any]
F = TypeVar("F", bound=Factory)


class ProjectorTable:
    """``project = ProjectTo(x)`` keeps what a tangent of `x` must be; ``project(t)`` makes it so.

    >>> project = ProjectTo(np.ones(2, "float32"))
    >>> project(np.array([1 + 2j, 3]))
    array([1., 3.], dtype=float32)

    A class of one's own joins by one function, which takes an instance and returns a function of natural cotangents. Zeros
    and thunks never reach that function. Subclasses inherit it.

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

    `structure` names a subspace of arrays (``"symmetric"``, ``"lower_triangular"``, ... : see `structured`); ``"dense"``
    lets the cotangent of a sparse matrix be a full array.
    """

    def __init__(self) -> None:
        self._registered: dict[type, Factory] = dict(_BUILT_IN)
        self._factories: dict[type, Factory] = {}

    def __call__(self, x: Any, structure: Structure | None = None) -> Projector:
        """The projector to the tangent space of `x`."""
        factory = self._factories.get(type(x)) or self._find(type(x))
        projector: Projector = factory(x)
        return projector if structure is None else structured(projector, structure)

    def is_dense(self, cls: type) -> bool:
        """Whether the projector of an instance of `cls` follows from its shape and dtype, as those of arrays do."""
        return (self._factories.get(cls) or self._find(cls)) is project_dense

    def register(self, cls: type) -> Callable[[F], F]:
        """Decorate a function from an instance of `cls` to its projector: a function of natural cotangents."""

        def registered(factory: F) -> F:
            self._registered[cls] = _as_projector(factory)
            self._factories = {}  # not clear(): a look-up that began before this line writes to the old one
            return factory

        return registered

    def _find(self, cls: type) -> Factory:
        factories = self._factories
        found = next((self._registered[base] for base in cls.__mro__ if base in self._registered), None)
        factories[cls] = found = found or self._by_kind(cls)
        return found

    def _by_kind(self, cls: type) -> Factory:
        if any(base.__module__.startswith("scipy.sparse") for base in cls.__mro__):
            return _sparse_factory()
        library = library_of(cls)
        if library is not None:
            return project_scalar if issubclass(cls, library.scalar_types) else project_dense
        if issubclass(cls, Complex):
            return _project_number(cls)
        return self._by_fields

    def _by_fields(self, x: Any) -> Projector:
        return project_structure(x, self) if is_structural(x) else NO_TANGENT_PROJECTOR


def _sparse_factory() -> Factory:
    # SciPy is imported by whom its values come from, never by us.
    factory: Factory = importlib.import_module("chainrules_py.projection.sparse").project_sparse
    return factory


def _project_number(cls: type) -> Factory:
    if issubclass(cls, Integral):
        return lambda x: NO_TANGENT_PROJECTOR
    return (lambda x: FLOAT_PROJECTOR) if issubclass(cls, Real) else lambda x: COMPLEX_PROJECTOR


def _as_projector(factory: Factory) -> Factory:
    def project(x: Any) -> Projector:
        found = factory(x)
        return found if isinstance(found, Projector) else CustomProjector(type(x), found)

    return project


_BUILT_IN: dict[type, Factory] = {
    np.ndarray: project_dense,
    np.generic: project_scalar,
    **{number: _project_number(number) for number in (int, float, complex)},
}

ProjectTo = ProjectorTable()
