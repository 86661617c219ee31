"""Products of a constant sparse matrix of `scipy.sparse` and a dense array: linear in the array.

``a @ x``, ``x @ a``, and ``a * x`` of the older matrix classes, where ``*`` is the product of matrices. The cotangent of the
array is dense; the matrix is a constant. Loaded with the first value of SciPy's that a rule is asked for.
"""

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from scipy import sparse

from chainrules_py import NO_TANGENT, Array, NotDifferentiableError, ProjectTo, default_rules
from chainrules_py.identity import qualified_name

Pullback = Callable[[Any], tuple[Any, Any]]


def refuse_sparse_tangent(primal: Any, argument: int) -> NoReturn:
    """Raise: nothing here differentiates a product in its sparse factor."""
    raise NotDifferentiableError(
        f"rrule({qualified_name(primal)})",
        "a product differentiated with respect to a sparse matrix, which is a constant of this rule",
        "differentiate in the dense factor only (argnums=, or capture the matrix), or compute with the matrix's toarray()",
        primal=primal,
        argument=argument,
    )


def register_product(primal: Any, cls: Any) -> None:
    """Register the rules of a function that is the product of matrices for a class of sparse ones."""

    def sparse_dense_rrule(a: cls, x: Array, *, needs: tuple[bool, ...]) -> tuple[Any, Pullback]:  # pyright: ignore[reportInvalidTypeForm]
        if needs[0]:
            refuse_sparse_tangent(primal, 0)
        project = ProjectTo(x)

        def sparse_dense_pullback(y_bar: Any) -> tuple[Any, Any]:
            return NO_TANGENT, project(a.conj().T @ y_bar)

        return a @ x, sparse_dense_pullback

    def dense_sparse_rrule(x: Array, a: cls, *, needs: tuple[bool, ...]) -> tuple[Any, Pullback]:  # pyright: ignore[reportInvalidTypeForm]
        if needs[1]:
            refuse_sparse_tangent(primal, 1)
        project = ProjectTo(x)

        def dense_sparse_pullback(y_bar: Any) -> tuple[Any, Any]:
            return project(y_bar @ a.conj().T), NO_TANGENT

        return x @ a, dense_sparse_pullback

    def sparse_dense_frule(dots: tuple[Any, ...], a: cls, x: Array, *, needs: tuple[bool, ...]) -> tuple[Any, Any]:  # pyright: ignore[reportInvalidTypeForm]
        if needs[0]:
            refuse_sparse_tangent(primal, 0)
        return a @ x, a @ dots[1]

    def dense_sparse_frule(dots: tuple[Any, ...], x: Array, a: cls, *, needs: tuple[bool, ...]) -> tuple[Any, Any]:  # pyright: ignore[reportInvalidTypeForm]
        if needs[1]:
            refuse_sparse_tangent(primal, 1)
        return x @ a, dots[0] @ a

    default_rules.rrule.register(primal)(sparse_dense_rrule)
    default_rules.rrule.register(primal)(dense_sparse_rrule)
    default_rules.frule.register(primal)(sparse_dense_frule)
    default_rules.frule.register(primal)(dense_sparse_frule)


for _primal, _cls in ((np.matmul, sparse.spmatrix | sparse.sparray), (np.multiply, sparse.spmatrix)):
    register_product(_primal, _cls)
