"""Products of a constant sparse matrix of `scipy.sparse` and a dense array: linear in the array.

``a @ x``, ``x @ a``, and ``a * x`` of the older matrix classes, where ``*`` is the product of
matrices. The cotangent of the array is dense; the matrix is a constant. Loaded with the first value
of SciPy's that a rule is asked for.
"""

from typing import Any, NoReturn

import numpy as np
from scipy import sparse

from chainrules_py import Array, LinearMap, NotDifferentiableError, batched, linearised_rule
from chainrules_py.batching.lanes import Lanes
from chainrules_py.makers import Linearised
from chainrules_py.values.identity import qualified_name


def refuse_sparse_tangent(primal, argument: int) -> NoReturn:
    """Raise: nothing here differentiates a product in its sparse factor."""
    raise NotDifferentiableError(
        f"rrule({qualified_name(primal)})",
        "a product differentiated by a sparse matrix, which is a constant here",
        "differentiate by the dense factor only (argnums=, or capture the matrix), or by the entries,"
        " and make the matrix inside of the function by chainrules_tape.scipy.sparse:"
        " csr_array((entries, a.indices, a.indptr), shape=a.shape)",
        primal=primal,
        argument=argument,
    )


def adjoint(a) -> Any:
    """The conjugate transpose of a sparse matrix; of a real one without a copy of its entries."""
    return a.conj().T if a.dtype.kind == "c" else a.T


def register_product(primal, cls) -> None:
    """Register the rules of a function that is the product of matrices for a class of sparse ones."""

    @linearised_rule(primal)
    def sparse_dense_linearised(a: cls, x: Array, *, needs: tuple[bool, ...]) -> Linearised:  # pyright: ignore[reportInvalidTypeForm]
        if needs[0]:
            refuse_sparse_tangent(primal, 0)
        return a @ x, None, LinearMap(lambda x_dot: a @ x_dot, lambda y_bar: adjoint(a) @ y_bar)

    @linearised_rule(primal)
    def dense_sparse_linearised(x: Array, a: cls, *, needs: tuple[bool, ...]) -> Linearised:  # pyright: ignore[reportInvalidTypeForm]
        if needs[1]:
            refuse_sparse_tangent(primal, 1)
        return x @ a, LinearMap(lambda x_dot: x_dot @ a, lambda y_bar: y_bar @ adjoint(a)), None

    @batched.register(primal)
    def sparse_dense_batched(lanes: Lanes, a: cls, x: Array):  # pyright: ignore[reportInvalidTypeForm]
        """One product with all lanes side by side, as columns."""
        if x.ndim == 2:
            return (a @ x.T).T
        count, rows, columns = x.shape
        side_by_side = x.swapaxes(0, 1).reshape((rows, count * columns))
        return (a @ side_by_side).reshape((-1, count, columns)).swapaxes(0, 1)

    @batched.register(primal)
    def dense_sparse_batched(lanes: Lanes, x: Array, a: cls):  # pyright: ignore[reportInvalidTypeForm]
        """One product with all lanes one below the other, as rows."""
        if x.ndim == 2:
            return x @ a
        count, rows, columns = x.shape
        below_each_other = x.reshape((count * rows, columns))
        return (below_each_other @ a).reshape((count, rows, -1))


for _primal, _cls in (
    (np.matmul, sparse.spmatrix | sparse.sparray),
    (np.multiply, sparse.spmatrix),
):
    register_product(_primal, _cls)
