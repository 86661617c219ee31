"""Matrices that repeat the entries of vectors in several places, and products column by column.

Where entries stand is asked of the function itself, which is given the numbers 1, 2, 3, ... in
place of the vectors.
"""

from typing import Any

import numpy as np
from scipy import linalg

from chainrules_py import Array, composed
from chainrules_py.makers import non_differentiable
from chainrules_py.makers.by_source import by_source
from chainrules_py.rulesets.scipy.options import Options, blank, with_options
from chainrules_py.table.registry import default_rules
from chainrules_py.values.identity import existing


def numbers(*lengths: int) -> list[Any]:
    """1, 2, 3, ..., in vectors of these lengths."""
    return np.split(np.arange(1, sum(lengths) + 1), np.cumsum(lengths)[:-1])


def filled_matrix(places, *vectors, xp) -> Any:
    """The entries of vectors, or of stacks of them, at the places of their numbers in a matrix; 0
    gives zero.
    """
    stacks = np.broadcast_shapes(*[x.shape[:-1] for x in vectors])
    whole = [xp.broadcast_to(x, (*stacks, x.shape[-1])) for x in vectors]
    zero = xp.zeros((*stacks, 1), np.result_type(*[x.dtype for x in vectors]))
    return xp.concatenate([zero, *whole], axis=-1)[..., places]


def of_entries(function, vectors, xp, **options) -> Any:
    """The matrix that a function makes of the entries of vectors."""
    if any(x.ndim != 1 for x in vectors):
        # SciPy warns where it will take stacks for what they are, or raises
        made = function(*map(blank, vectors), **options)
        if made.ndim == 2:
            vectors = [x.reshape(-1) for x in vectors]
    places = function(*numbers(*[x.shape[-1] for x in vectors]), **options)
    return filled_matrix(places.astype(int), *vectors, xp=xp)


@composed(linalg.toeplitz)
def toeplitz(c: Array, r: Array | None = None, *, xp):
    """Without a first row it is the conjugate of the first column."""
    return of_entries(linalg.toeplitz, [c, xp.conj(c) if r is None else r], xp)


@composed(linalg.hankel)
def hankel(c: Array, r: Array | None = None, *, xp):
    """Without a last row there are zeros below the antidiagonal."""
    return of_entries(linalg.hankel, [c] if r is None else [c, r], xp)


def matrix_of_vector(function, names: str) -> None:
    """Give a body to a matrix of the entries of a vector, with these options."""

    @with_options(function, names, composed)
    def matrix(vector: Array, *, options: Options, xp):
        return of_entries(function, [vector], xp, **options)


matrix_of_vector(linalg.circulant, "")
matrix_of_vector(linalg.convolution_matrix, "n mode")
matrix_of_vector(linalg.diagsvd, "M N")


@composed(linalg.fiedler)
def fiedler(a: Any, *, xp) -> Any:
    """The distances of all pairs; that of an entry to itself stays zero, without a kink."""
    vector = xp.reshape(a, (-1,)) if np.ndim(a) == 0 else a
    if vector.size == 0:
        return xp.zeros(0)
    itself = xp.eye(vector.shape[-1], dtype=bool)
    differences = vector[..., :, None] - vector[..., None, :]
    return xp.where(itself, 0.0, xp.abs(xp.where(itself, 1.0, differences)))


by_source(linalg.companion, linalg.fiedler_companion, linalg.leslie)
by_source(linalg.block_diag, linalg.khatri_rao)

for _function in existing(linalg, "kron"):
    default_rules.alias(_function, np.kron)


non_differentiable(  # matrices of whole numbers, and what is asked of a matrix
    *(
        linalg.hilbert,
        linalg.invhilbert,
        linalg.pascal,
        linalg.invpascal,
        linalg.hadamard,
        linalg.helmert,
        linalg.dft,
    ),
    *(linalg.bandwidth, linalg.ishermitian, linalg.issymmetric),
)
