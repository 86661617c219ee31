"""Samples of `scipy.sparse.linalg`: sparse matrices, dense ones, and operators."""

from inspect import signature
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from chainrules_py.errors import NotDifferentiableError
from chainrules_py.rulesets.scipy.sparse.entries import (
    entries_dense,
    entries_product,
    entries_solution,
)
from chainrules_py.rulesets.scipy.sparse.linalg.direct import solve_by_factors
from chainrules_py.rulesets.scipy.sparse.linalg.eigenvalues import entries_eigenpairs
from chainrules_py.rulesets.scipy.sparse.linalg.iterative import NAMES, SELF_ADJOINT
from chainrules_py.rulesets.scipy.sparse.linalg.least_squares import (
    least_squares_estimates,
    least_squares_solution,
    operator_product,
)
from chainrules_py.testing.samples import DOUBLE, Draw, Sample, Samples, samples_for
from chainrules_py.values.identity import existing

SEED = {"rng": 0} if "rng" in signature(linalg.eigsh).parameters else {}
PATTERN = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 0], [0, 0, 1, 1]])


def _dense(draw: Draw) -> Any:
    return draw.well_conditioned(4, 4) * PATTERN


@samples_for(linalg.spsolve, dtypes=DOUBLE)
def spsolve_samples(draw: Draw) -> Samples:
    """Both formats; a vector, and columns.

    Of a traced sparse matrix there is no second derivative.
    """
    yield Sample(sparse.csr_array(_dense(draw)), draw.any(4), second_order=False)
    options = {"permc_spec": "NATURAL", "use_umfpack": False}
    yield Sample(
        sparse.csc_matrix(_dense(draw)), draw.any(4, 2), options=options, second_order=False
    )
    yield Sample(sparse.csc_array(_dense(draw)), draw.any(4, 1), fixed=[0])
    yield Sample(sparse.csc_array(np.zeros((2, 2), draw.dtype)), draw.any(2), error=RuntimeError)


@samples_for(linalg.spsolve_triangular, dtypes=DOUBLE)
def spsolve_triangular_samples(draw: Draw) -> Samples:
    """Either triangle."""
    yield Sample(sparse.csr_array(np.tril(_dense(draw))), draw.any(4, 2), second_order=False)
    options = {"lower": False, "unit_diagonal": True}
    unit = np.triu(_dense(draw), 1) + np.eye(4)
    yield Sample(
        sparse.csr_array(unit.astype(draw.dtype)), draw.any(4), options=options, second_order=False
    )


@samples_for(solve_by_factors, dtypes=DOUBLE)
def factor_samples(draw: Draw) -> Samples:
    """The system, its transpose and its adjoint."""
    factors = linalg.splu(sparse.csc_array(_dense(draw)))
    for trans in ("N", "T", "H"):
        yield Sample(draw.any(4), options={"factors": factors, "trans": trans})


@samples_for(*existing(linalg, *NAMES), dtypes=("float64",))
def iterative_samples(draw: Draw, primal) -> Samples:
    """A dense matrix, and a sparse one with a preconditioner; a solver that stops early."""
    exact: dict[str, Any] = {"rtol": 1e-13, "maxiter": 200, "x0": np.zeros(3), "callback": len}
    if primal is linalg.minres:
        exact["shift"] = 0.1
    else:
        exact["atol"] = 0.0
    if primal is linalg.gmres:
        exact |= {"restart": 3, "callback_type": "pr_norm", "callback": abs}
    a = draw.positive_definite(3, 3) if primal in SELF_ADJOINT else draw.well_conditioned(3, 3)
    spaces = {0: "hermitian"} if primal in SELF_ADJOINT else {}
    yield Sample(
        a, draw.any(3), options=exact, structures=spaces, second_order=primal is linalg.gmres
    )
    near = sparse.diags_array(1 / np.diag(a)).tocsr()
    if primal is linalg.qmr:
        exact |= {
            name: linalg.aslinearoperator(m)
            for name, m in (("M1", near), ("M2", sparse.eye_array(3).tocsr()))
        }
    elif primal is not linalg.tfqmr:
        exact |= {"M": near}
    yield Sample(sparse.csr_array(a), draw.any(3), options=exact, fixed=[0] if spaces else [])
    yield Sample(
        a, draw.any(3), options={"rtol": 1e-16, "maxiter": 1}, error=NotDifferentiableError
    )


@samples_for(linalg.expm_multiply, dtypes=DOUBLE)
def expm_multiply_samples(draw: Draw) -> Samples:
    """A dense matrix, and a sparse one that is constant."""
    a = draw.any(2, 2) / 2
    yield Sample(a, draw.any(2), options={"traceA": np.trace(a)}, fixed=[0])
    yield Sample(a, draw.any(2, 1))
    yield Sample(sparse.csr_array(a), draw.any(2, 2), fixed=[0])


@samples_for(linalg.norm, dtypes=DOUBLE)
def norm_samples(draw: Draw) -> Samples:
    """The Frobenius norm."""
    yield Sample(sparse.csr_array(_dense(draw)), second_order=False)


@samples_for(least_squares_solution, dtypes=("float64",))
def least_squares_samples(draw: Draw) -> Samples:
    """Tall, wide and square, sparse and not; damped."""
    exact: dict[str, Any] = {"atol": 1e-15, "btol": 1e-15, "conlim": 0.0}
    tall = draw.real(5, 3) + 2 * np.eye(5, 3)
    for solver, most in ((linalg.lsqr, "iter_lim"), (linalg.lsmr, "maxiter")):
        plain = {"solver": solver, "options": {**exact, most: 60}}
        damped = {"solver": solver, "options": {**exact, most: 60, "damp": 0.5}}
        yield Sample(tall.T.copy(), draw.real(3), options=plain, second_order=False)
        yield Sample(tall, draw.real(5), options=damped, second_order=False)
        yield Sample(
            sparse.csr_array(_dense(draw)), draw.real(4), options=plain, second_order=False
        )


@samples_for(least_squares_estimates, dtypes=("float64",))
def estimate_samples(draw: Draw) -> Samples:
    """Of both solvers, whose estimates are constant by decision."""
    for solver in (linalg.lsqr, linalg.lsmr):
        given = {"solver": solver, "options": {"damp": 0.5}}
        yield Sample(draw.real(5, 3) + 2 * np.eye(5, 3), draw.real(5), options=given, fixed=[0, 1])


@samples_for(operator_product, dtypes=("float64",))
def operator_samples(draw: Draw) -> Samples:
    """An operator that is not square."""
    yield Sample(draw.real(3), options={"operator": linalg.aslinearoperator(draw.real(5, 3))})


PLACES: dict[str, Any] = {
    "rows": np.array([0, 1, 2, 0, 2, 1, 0]),
    "columns": np.array([0, 1, 2, 1, 0, 2, 0]),
    "shape": (3, 3),
}
WIDE: dict[str, Any] = {
    "rows": np.array([0, 1, 1]),
    "columns": np.array([2, 0, 2]),
    "shape": (2, 3),
}


def _entries(draw: Draw) -> Any:
    return draw.any(7) + np.array([4, 4, 4, 0, 0, 0, 0])


@samples_for(entries_product, dtypes=DOUBLE)
def entries_product_samples(draw: Draw) -> Samples:
    """A vector, and columns; entries at one position."""
    yield Sample(_entries(draw), draw.any(3), options=PLACES)
    yield Sample(draw.any(3), draw.any(3, 2), options=WIDE)


@samples_for(entries_dense, dtypes=DOUBLE)
def entries_dense_samples(draw: Draw) -> Samples:
    """Two entries at one position."""
    yield Sample(_entries(draw), options=PLACES)


@samples_for(entries_solution, dtypes=DOUBLE)
def entries_solution_samples(draw: Draw) -> Samples:
    """Direct and iterative solvers."""
    direct = {**PLACES, "solver": linalg.spsolve, "options": {}}
    yield Sample(_entries(draw), draw.any(3), options=direct)
    yield Sample(_entries(draw), draw.any(3, 2), options=direct)
    yield Sample(
        _entries(draw),
        draw.any(3),
        options={**PLACES, "solver": linalg.gmres, "options": {"rtol": 1e-13}},
    )


def _symmetric(draw: Draw) -> Any:
    """A Hermitian matrix of 5 rows whose eigenvalues are far apart, with zeros."""
    a = np.diag(np.array([1.0, -2.0, 4.0, 7.0, 11.0])).astype(draw.dtype)
    beside = 0.3 * draw.any(4)
    return a + np.diag(beside, 1) + np.diag(beside.conj(), -1)


@samples_for(linalg.eigsh, dtypes=DOUBLE)
def eigsh_samples(draw: Draw) -> Samples:
    """A dense matrix and a sparse one; values alone, near a number, and vectors of real ones."""
    start: dict[str, Any] = {"v0": np.ones(5, draw.dtype), "tol": 1e-14}
    values: dict[str, Any] = {"k": 2, "return_eigenvectors": False, **start}
    hermitian: dict[int, Any] = {0: "hermitian"}
    a = _symmetric(draw)
    yield Sample(a, options={"which": "SA", "ncv": 4, **values}, structures=hermitian)
    near = {"sigma": 3.0, "maxiter": 100, **values, **SEED}
    yield Sample(a, options=near, structures=hermitian)
    near = {"sigma": 3.0, **values}
    yield Sample(sparse.csc_array(a), options=near, second_order=False)
    if draw.dtype != complex:
        yield Sample(a, options={"k": 2, **start}, structures=hermitian)
        yield Sample(sparse.csc_array(a), options={"k": 2, **start}, second_order=False)


@samples_for(linalg.svds, dtypes=DOUBLE)
def svds_samples(draw: Draw) -> Samples:
    """Values alone; vectors of a real matrix."""
    a = np.eye(5, 4, dtype=draw.dtype) * np.arange(1, 5) + draw.any(5, 4) / 6
    start: dict[str, Any] = {"v0": np.ones(4, draw.dtype), "tol": 1e-14}
    values: dict[str, Any] = {"k": 2, "return_singular_vectors": False, **start}
    yield Sample(a, options={"ncv": 3, "maxiter": 100, **values, "k": 1})
    yield Sample(a.T.copy(), options={"which": "SM", **values})
    if draw.dtype != complex:
        yield Sample(a, options={"k": 2, **start, **SEED})


@samples_for(entries_eigenpairs, dtypes=("float64",))
def eigenpair_samples(draw: Draw) -> Samples:
    """Few entries, of which one is stored in two parts, and all of a small matrix."""
    for a in (_symmetric(draw), np.kron(np.eye(3), _symmetric(draw)[:2, :2]) * np.arange(1, 7)):
        a = (a + a.T) / 2
        at = sparse.coo_array(a)
        positions = {"rows": at.row, "columns": at.col, "shape": a.shape}
        chosen = {"k": 2, "v0": np.ones(len(a)), "tol": 1e-14}
        yield Sample(at.data, options={**positions, "split": None, "options": chosen})
