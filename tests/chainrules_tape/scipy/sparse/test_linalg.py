"""Functions of `scipy.sparse.linalg` on traced values: patterns, work that is done once, and what is
refused; derivatives are cells of `product.sampling`.
"""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import linalg as scipy_linalg

from chainrules_py import NotDifferentiableError
from chainrules_py.errors import OptionError
from chainrules_tape import LostGradientError, assert_derivatives, grad, seen_through, vjp, vmap
from chainrules_tape.scipy import sparse as ours
from chainrules_tape.scipy.sparse import linalg
from product.sampling import banded

DENSE = np.array([[4.0, 1.0, 0.0], [0.0, 3.0, 1.0], [1.0, 0.0, 5.0]])
B = np.array([1.0, -2.0, 0.5])


def test_factors_of_traced_entries_are_computed_once(monkeypatch):
    calls, by_scipy = [], scipy_linalg.splu
    monkeypatch.setattr(scipy_linalg, "splu", lambda A: calls.append(A) or by_scipy(A))

    def steps(k):
        factors, x = linalg.splu(ours.csc_array(np.diag(B) * k + DENSE)), k * B
        for trans in ("N", "T", "H"):
            x = factors.solve(x, trans)
        return np.sum(x**2)

    grad(steps)(1.0)
    assert len(calls) == 1


def test_one_of_many_systems_that_does_not_converge_is_refused():
    few = sparse.csc_array(np.diag([1.0, 10.0, 100.0]))
    sides = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]])  # the first takes one iteration

    def solution(b):
        return linalg.cg(few, b, rtol=1e-13, maxiter=2)[0][0]

    assert np.isfinite(vmap(grad(solution))(sides[:1])).all()
    with pytest.raises(NotDifferentiableError, match="did not converge"):
        vmap(grad(solution))(sides)


def operator_of(a, k):
    """An operator whose functions capture a number that may be traced."""
    a_h = a.conj().T
    return scipy_linalg.LinearOperator(
        a.shape, lambda v: a @ v * k + v, rmatvec=lambda v: a_h @ v * k + v, dtype=a.dtype
    )


class Stretched(scipy_linalg.LinearOperator):
    """An operator that holds a number that may be traced."""

    def __init__(self, k):
        super().__init__(float, DENSE.shape)
        self.k = k

    def _matvec(self, v):
        return DENSE @ v * self.k


HERMITIAN = DENSE + DENSE.T + 1j * (DENSE - DENSE.T)
OF_OPERATORS = {
    "cg": lambda k: linalg.cg(operator_of(DENSE + DENSE.T, k), k * B, rtol=1e-13)[0],
    "cg, complex": lambda k: linalg.cg(operator_of(HERMITIAN, k), B, rtol=1e-13)[0],
    "gmres": lambda k: linalg.gmres(operator_of(DENSE, k), B, rtol=1e-13)[0],
    "gmres, complex": lambda k: linalg.gmres(operator_of(HERMITIAN * 1j, k), B, rtol=1e-13)[0],
    "bicgstab": lambda k: linalg.bicgstab(operator_of(DENSE, k), B, np.ones(3), rtol=1e-13)[0],
    "qmr": lambda k: linalg.qmr(operator_of(DENSE, k), B, rtol=1e-13)[0],
    "class": lambda k: linalg.gmres(Stretched(k), B, rtol=1e-13)[0],
    "product": lambda k: operator_of(DENSE, k) @ B,
    "product of a class": lambda k: Stretched(k).matvec(B),
}


@pytest.mark.parametrize("f", OF_OPERATORS.values(), ids=OF_OPERATORS)
def test_operators_that_capture_traced_values(f):
    with seen_through("scipy"):  # for products
        assert_derivatives(lambda k: np.sum(np.abs(f(k)) ** 2), 0.7)


def test_an_operator_whose_products_are_refused():
    with pytest.raises(OptionError, match="pass the matrix"):
        grad(lambda k: linalg.eigsh(operator_of(DENSE + DENSE.T, k), 1)[0][0])(0.7)
    with pytest.raises(OptionError, match=r"a dense matrix, .* or solve y' = A y by solve_ivp"):
        grad(lambda k: linalg.expm_multiply(operator_of(DENSE, k), B, traceA=0.0)[0])(0.7)


@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
@pytest.mark.parametrize("damp", [0.0, 0.4])
def test_what_is_said_of_least_squares(name, damp):
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(6, 3)), rng.normal(size=6)
    exact = {"atol": 1e-15, "btol": 1e-15, "conlim": 0.0, "damp": damp}
    found = vjp(lambda b: getattr(linalg, name)(a, b, **exact), b)[0]
    for part, expected in zip(found, getattr(scipy_linalg, name)(a, b, **exact), strict=True):
        np.testing.assert_allclose(part, expected, rtol=1e-6, atol=1e-9)


def test_norms_that_are_largest_entries_say_what_to_write():
    with pytest.raises(LostGradientError, match="toarray"):
        grad(lambda v: np.sum(linalg.norm(ours.csr_array(np.diag(v)), np.inf, 0)))(np.ones(3))


def of_pairs(w, v):
    """A function of eigenvalues and eigenvectors that does not see the signs of these."""
    return np.sum(np.sin(w)) + np.sum(v**4 * np.arange(1.0, 1 + v.size).reshape(v.shape))


def test_the_gradient_of_an_eigenvalue_by_a_sparse_matrix_has_its_pattern():
    p = np.array([0.6, 0.9])
    a, options = banded(p), {"k": 2, "v0": np.ones(12)}
    of_sparse = grad(lambda a: of_pairs(*linalg.eigsh(a, **options)))(a)
    of_dense = grad(lambda a: of_pairs(*linalg.eigsh(a, **options)))(a.toarray())
    np.testing.assert_allclose(of_sparse.toarray(), of_dense * (a.toarray() != 0), atol=1e-10)


def test_eigenvalues_of_a_pair_of_traced_matrices_are_refused():
    with pytest.raises(OptionError, match="leave it out"):
        grad(lambda p: linalg.eigsh(banded(p), k=1, M=np.eye(12))[0][0])(np.ones(2))
