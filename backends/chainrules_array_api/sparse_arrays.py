"""PyData's sparse arrays: their gradient has the entries that they store, or all of them by
``ProjectTo(x, "dense")``.
"""

from typing import Any

import numpy as np
import sparse

from chainrules_array_api.library import join
from chainrules_array_api.standard_array import StandardArray, unwrapped
from chainrules_py.projection.dense import DenseSpace, space_of_array
from chainrules_py.projection.project_to import ProjectTo
from chainrules_py.projection.space import Space
from chainrules_py.projection.structured import Structure, structure_error

library = join(sparse.SparseArray)


class PatternSpace(DenseSpace):
    """The space of sparse arrays that store entries at the same positions."""

    __slots__ = ("coordinates",)

    def __init__(self, x) -> None:
        super().__init__(type(x), x.shape, x.dtype)
        self.coordinates = np.asarray(sparse.COO(x.array).coords)

    def __call__(self, t) -> Any:
        """The cotangent `t` at the positions of the pattern."""
        return Space.__call__(self, t)

    def bring(self, t) -> Any:
        """A sparse or dense cotangent at the positions of the pattern."""
        array = unwrapped(super().bring(t))
        dense: Any = array.todense() if isinstance(array, sparse.SparseArray) else np.asarray(array)
        entries = dense[tuple(self.coordinates)]
        return StandardArray(sparse.COO(self.coordinates, entries, shape=self.shape))

    def with_structure(self, structure: Structure) -> Space:
        """The space for a policy: ``"pattern"`` (the default), or ``"dense"``."""
        if structure == "dense":
            return DenseSpace(np.ndarray, self.shape, self.dtype)
        if structure == "pattern":
            return self
        raise structure_error(self, structure, 'write "pattern" or "dense" for a sparse array')


def space_of(x: StandardArray) -> Space:
    """The space of a sparse array that a user passed is that of its pattern.

    What a program computes has all entries: an entry that happens to be zero is not stored, and has
    a derivative.
    """
    is_sparse = (
        x.is_given
        and isinstance(x.array, sparse.SparseArray)
        and x.dtype.kind in "fc"
        and x.ndim > 0
    )
    return PatternSpace(x) if is_sparse else space_of_array(x)


ProjectTo.register(StandardArray)(space_of)
