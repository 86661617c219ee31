"""Structure that an array's class does not tell: symmetric, Hermitian, triangular, diagonal.

A symmetric matrix usually is a plain array; the rule (or the user) says so: ``ProjectTo(a,
"symmetric")``. Each projection is the orthogonal one in the real inner product Re tr(a^H b), in
operations that record, over the last two axes.
"""

from collections.abc import Callable
from typing import Any

from chainrules_py.errors import ProjectionError
from chainrules_py.projection.dense import DenseSpace, namespace_of
from chainrules_py.projection.space import NoTangentSpace, Space
from chainrules_py.tangents.thunk import Thunk, unthunk

Structure = str | Callable[[Any, Any], Any]


def adjoint(t, xp) -> Any:
    """The conjugate transpose of the last two axes; of a real matrix the transpose, not copied."""
    transposed = t.swapaxes(-1, -2)
    return xp.conj(transposed) if t.dtype.kind == "c" else transposed


STRUCTURES: dict[str, Callable[[Any, Any], Any]] = {
    "symmetric": lambda t, xp: (t + xp.swapaxes(t, -1, -2)) / 2,
    "skew_symmetric": lambda t, xp: (t - xp.swapaxes(t, -1, -2)) / 2,
    "hermitian": lambda t, xp: (t + adjoint(t, xp)) / 2,
    "skew_hermitian": lambda t, xp: (t - adjoint(t, xp)) / 2,
    "lower_triangular": lambda t, xp: xp.tril(t),
    "upper_triangular": lambda t, xp: xp.triu(t),
    "unit_lower_triangular": lambda t, xp: xp.tril(t, -1),
    "unit_upper_triangular": lambda t, xp: xp.triu(t, 1),
    "diagonal": lambda t, xp: xp.tril(xp.triu(t)),
}


class StructuredSpace(Space):
    """A linear subspace of a dense space."""

    __slots__ = ("dense", "structure")

    def __init__(self, dense: DenseSpace, structure: Structure) -> None:
        super().__init__(dense.primal_type, dense.shape, dense.dtype)
        self.dense, self.structure = dense, structure

    def bring(self, t) -> Any:
        """A natural cotangent, dense first, then the structure."""
        t = self.dense.bring(t)
        function = STRUCTURES[self.structure] if isinstance(self.structure, str) else self.structure
        return function(t, namespace_of(t))

    def _postponed(self, t) -> Any:
        # A scatter into a buffer would leave the subspace: only the value can be projected.
        return Space._postponed(self, Thunk(lambda: unthunk(t), t.name))

    def __repr__(self) -> str:
        return f"{repr(self.dense)[:-1]}, {self.structure})"


def structured(space, structure: Structure) -> Space:
    """Make the space of a structure in STRUCTURES, or of a linear function of (t, xp).

    >>> import numpy as np
    >>> from chainrules_py.projection import ProjectTo
    >>> ProjectTo(np.eye(2), "symmetric")(np.array([[1.0, 4.0], [0.0, 1.0]]))
    array([[1., 2.],
           [2., 1.]])
    """
    if isinstance(space, NoTangentSpace):
        return space
    if hasattr(space, "with_structure"):
        return space.with_structure(structure)
    if not isinstance(space, DenseSpace):
        raise structure_error(space, structure, "structure is for arrays and sparse matrices")
    if isinstance(structure, str) and structure not in STRUCTURES:
        raise structure_error(space, structure, f"write one of {sorted(STRUCTURES)}")
    if isinstance(structure, str) and (space.ndim < 2 or space.shape[-1] != space.shape[-2]):
        raise structure_error(space, structure, "give a square matrix, or a stack of them")
    return StructuredSpace(space, structure)


def structure_error(space: Space, structure: Structure, instead: str) -> ProjectionError:
    """The error for a structure that the values of a space do not have."""
    return ProjectionError(
        repr(space), f"got structure={structure!r}", instead, space=space, value=structure
    )
