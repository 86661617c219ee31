"""Functions of `scipy.sparse.linalg` on traced values."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import linalg as scipy_linalg

from chainrules_py import NotDifferentiableError
from chainrules_py.errors import OptionError
from chainrules_tape import LostGradientError, grad, hessian, jacobian, vjp, vmap
from chainrules_tape.scipy import sparse as ours
from chainrules_tape.scipy.sparse import linalg

DENSE = np.array([[4.0, 1.0, 0.0], [0.0, 3.0, 1.0], [1.0, 0.0, 5.0]])
A = sparse.csc_array(DENSE)
B = np.array([1.0, -2.0, 0.5])
INVERSE = np.linalg.inv(DENSE)


@pytest.mark.parametrize(
    "solve",
    [
        lambda b: linalg.spsolve(A, b),
        lambda b: linalg.splu(A).solve(b),
        lambda b: linalg.factorized(A)(b),
        lambda b: linalg.gmres(A, b, rtol=1e-13)[0],
    ],
)
def test_first_and_second_derivatives_by_the_right_hand_side(solve):
    assert np.allclose(grad(lambda b: np.sum(solve(b) ** 3))(B), 3 * INVERSE.T @ (INVERSE @ B) ** 2)
    assert np.allclose(hessian(lambda b: np.sum(solve(b) ** 2))(B), 2 * INVERSE.T @ INVERSE)


def test_the_gradient_by_a_sparse_matrix_is_sparse():
    a_bar = grad(lambda a: np.sum(linalg.spsolve(a, B)))(A)
    assert np.allclose(
        a_bar.toarray(), -np.outer(INVERSE.T @ np.ones(3), INVERSE @ B) * (DENSE != 0)
    )


def test_systems_of_factors_transposed():
    factors = linalg.splu(A)
    assert np.allclose(grad(lambda b: factors.solve(b, "T")[0])(B), INVERSE.T[0])
    assert factors.shape == (3, 3)


@pytest.mark.parametrize("trans", ["N", "T", "H"])
def test_factors_of_traced_entries_are_computed_once(trans, monkeypatch):
    calls, by_scipy = [], scipy_linalg.splu
    monkeypatch.setattr(scipy_linalg, "splu", lambda A: calls.append(A) or by_scipy(A))

    def steps(k, splu, make):
        factors, x = splu(make(np.array([1 + 2j, 2.0, 1j]) * k + DENSE)), k * B
        for _ in range(3):
            x = factors.solve(x, trans)
        return np.sum(np.abs(x) ** 2)

    found = lambda k: steps(k, linalg.splu, ours.csc_array)  # noqa: E731
    plain = lambda k: steps(k, by_scipy, sparse.csc_array)  # noqa: E731
    first = (plain(1.0 + 1e-5) - plain(1.0 - 1e-5)) / 2e-5
    assert np.isclose(grad(found)(1.0), first, rtol=1e-7)
    assert len(calls) == 1
    second = (plain(1.0 + 1e-3) - 2 * plain(1.0) + plain(1.0 - 1e-3)) / 1e-6
    assert np.isclose(hessian(found)(1.0), second, rtol=1e-4)
    at = np.array([1.0, 1.5])
    assert np.allclose(vmap(grad(found))(at), [grad(found)(k) for k in at])


def test_scipys_own_name_is_refused_with_the_import_to_write():
    with pytest.raises(
        LostGradientError, match=r"from chainrules_tape\.scipy\.sparse import linalg"
    ):
        grad(lambda b: np.sum(scipy_linalg.spsolve(A, b)))(B)


@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
@pytest.mark.parametrize("damp", [0.0, 0.4])
def test_least_squares_by_iterations(name, damp):
    rng = np.random.default_rng(4)
    a, b, weights = rng.normal(size=(6, 3)), rng.normal(size=6), rng.normal(size=3)
    exact = {"atol": 1e-15, "btol": 1e-15, "conlim": 0.0, "damp": damp}

    def loss(module, a, b):
        x, _, _, residual, *_ = getattr(module, name)(a, b, **exact)
        if module is scipy_linalg:  # whose norm is carried along by the iterations, to eight digits
            below = damp * x if name == "lsmr" else 0.0
            residual = np.sqrt(np.sum((b - a @ x) ** 2) + np.sum(below**2))
        return weights @ x + residual**2

    found = grad(lambda a, b: loss(linalg, a, b), argnums=(0, 1))(a, b)
    for k, at in enumerate((a, b)):
        for i in np.ndindex(at.shape):
            step = np.zeros(at.shape)
            step[i] = 1e-6
            ahead, behind = (
                loss(scipy_linalg, *[v + s * step if j == k else v for j, v in enumerate((a, b))])
                for s in (1, -1)
            )
            assert np.isclose(found[k][i], (ahead - behind) / 2e-6, rtol=1e-5, atol=1e-7)
    of_sparse = grad(lambda b: loss(linalg, sparse.csr_array(a), b))(b)
    assert np.allclose(of_sparse, found[1])
    operator = scipy_linalg.aslinearoperator(a)
    assert np.allclose(grad(lambda b: loss(linalg, operator, b))(b), found[1])


SIDES = np.array([B, 2.0 * B + 1.0, B[::-1]])
ITERATIVE = ["bicg", "bicgstab", "cgs", "gcrotmk", "gmres", "lgmres", "qmr", "tfqmr"]


@pytest.mark.parametrize("name", ITERATIVE)
def test_gradients_of_solutions_for_many_right_hand_sides(name):
    def squared(b):
        x, info = getattr(linalg, name)(A, b, rtol=1e-13)
        return np.sum(x**2)

    expected = 2 * SIDES @ INVERSE.T @ INVERSE
    assert np.allclose(vmap(grad(squared))(SIDES), expected)


@pytest.mark.parametrize("name", ["cg", "minres"])
def test_gradients_of_self_adjoint_systems_for_many_right_hand_sides(name):
    symmetric = DENSE + DENSE.T
    inverse = np.linalg.inv(symmetric)

    def solution(b):
        return getattr(linalg, name)(sparse.csr_array(symmetric), b, rtol=1e-13)[0]

    assert np.allclose(vmap(grad(lambda b: solution(b)[0]))(SIDES), inverse[[0, 0, 0]])


def test_one_of_many_systems_that_does_not_converge_is_refused():
    few = sparse.csc_array(np.diag([1.0, 10.0, 100.0]))
    sides = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]])  # the first takes one iteration

    def solution(b):
        return linalg.cg(few, b, rtol=1e-13, maxiter=2)[0][0]

    assert np.isfinite(vmap(grad(solution))(sides[:1])).all()
    with pytest.raises(NotDifferentiableError, match="did not converge"):
        vmap(grad(solution))(sides)


@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
@pytest.mark.parametrize("damp", [0.0, 0.4])
def test_what_is_said_of_least_squares(name, damp):
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(6, 3)), rng.normal(size=6)
    exact = {"atol": 1e-15, "btol": 1e-15, "conlim": 0.0, "damp": damp}
    found = vjp(lambda b: getattr(linalg, name)(a, b, **exact), b)[0]
    for part, expected in zip(found, getattr(scipy_linalg, name)(a, b, **exact), strict=True):
        np.testing.assert_allclose(part, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
def test_least_squares_for_many_right_hand_sides(name):
    rng = np.random.default_rng(5)
    a, sides = rng.normal(size=(6, 3)), rng.normal(size=(4, 6))
    exact = {"atol": 1e-15, "btol": 1e-15, "conlim": 0.0}
    found = vmap(lambda b: getattr(linalg, name)(a, b, **exact))(sides)
    each = [getattr(scipy_linalg, name)(a, b, **exact) for b in sides]
    assert len(found) == len(each[0])
    for part, *expected in zip(found, *each, strict=True):
        assert np.allclose(part, expected, atol=1e-6)
    gradients = vmap(grad(lambda b: np.sum(getattr(linalg, name)(a, b, **exact)[0])))(sides)
    assert np.allclose(gradients, np.tile(np.sum(np.linalg.pinv(a), axis=0), (4, 1)))


ROWS, COLUMNS = np.array([0, 0, 1, 2, 1]), np.array([0, 1, 1, 2, 1])  # one position twice
NORMS = [(None, None), ("fro", None), (1, None), (np.inf, None), (-1, None), (-np.inf, None)]
NORMS += [(None, 0), (2, 1), (1, 0), (1, -1)]


def norm_of(module, entries, order, axis):
    """The norm of a sparse matrix, or of each of its rows or columns."""
    of = linalg if module is ours else scipy_linalg
    return of.norm(module.csr_array((entries, (ROWS, COLUMNS)), shape=(3, 3)), order, axis)


@pytest.mark.parametrize(("order", "axis"), NORMS, ids=str)
def test_norms_of_matrices_of_traced_entries(order, axis):
    examples = np.random.default_rng(0).normal(size=(4, 5)) + 2.0
    examples[:, 1] *= -1

    def traced(v):
        return norm_of(ours, v, order, axis)

    expected = [norm_of(sparse, v, order, axis) for v in examples]
    np.testing.assert_allclose(vmap(traced)(examples), expected, rtol=1e-13)
    np.testing.assert_allclose(traced(examples[0]), expected[0], rtol=1e-13)
    for v, found in zip(examples, vmap(jacobian(traced))(examples), strict=True):
        step = 1e-6
        columns = [(traced(v + step * unit) - traced(v - step * unit)) for unit in np.eye(5)]
        np.testing.assert_allclose(found, np.stack(columns, -1) / (2 * step), atol=1e-8)
        np.testing.assert_allclose(jacobian(traced)(v), found, rtol=1e-12, atol=1e-12)


def test_norms_without_a_formula_say_what_to_write():
    for order, axis in ((2, None), (np.inf, 0)):
        with pytest.raises(OptionError, match="toarray"):
            grad(lambda v, o=order, a=axis: np.sum(norm_of(ours, v, o, a)))(np.ones(5))


SIZE = 12


def banded(module, p):
    """A symmetric matrix of three diagonals."""
    beside = 0.3 * p[1] * np.cos(np.arange(SIZE - 1.0))
    diagonals = [1.7 * np.arange(SIZE) + p[0] * np.sin(np.arange(SIZE)), beside, beside]
    return module.diags_array(diagonals, offsets=[0, 1, -1]).tocsr()


def of_pairs(w, v):
    """A function of eigenvalues and eigenvectors that does not see the signs of these."""
    return np.sum(np.sin(w)) + np.sum(v**4 * np.arange(1.0, 1 + v.size).reshape(v.shape))


WHICH = {
    "largest": ({"which": "LA"}, slice(-3, None)),
    "both ends": ({"which": "BE"}, [0, SIZE - 2, SIZE - 1]),
    "near a number": ({"sigma": 7.3}, slice(3, 6)),
}


@pytest.mark.parametrize("name", WHICH)
def test_eigenpairs_of_traced_entries_are_those_of_the_whole_matrix(name):
    options, found = WHICH[name]

    def by_iterations(p):
        return of_pairs(*linalg.eigsh(banded(ours, p), k=3, v0=np.ones(SIZE), **options))

    def by_all(p):
        w, v = np.linalg.eigh(banded(ours, p).toarray())
        return of_pairs(w[found], v[:, found])

    p = np.array([0.6, 0.9])
    np.testing.assert_allclose(grad(by_iterations)(p), grad(by_all)(p), rtol=1e-9)
    np.testing.assert_allclose(hessian(by_iterations)(p), hessian(by_all)(p), rtol=1e-7)
    np.testing.assert_allclose(jacobian(grad(by_iterations))(p), hessian(by_all)(p), rtol=1e-7)
    many = np.stack([p, p + 0.1])
    np.testing.assert_allclose(
        vmap(grad(by_iterations))(many), [grad(by_all)(one) for one in many], rtol=1e-9
    )


def test_eigenvalues_move_by_the_expected_value_of_what_the_matrix_moves_by():
    """Hellmann and Feynman: dw/dp = v^T (dA/dp) v."""
    p, options = np.array([0.6, 0.9]), {"k": 2, "v0": np.ones(SIZE)}
    _, v = scipy_linalg.eigsh(banded(sparse, p), **options)
    moved = banded(sparse, p + [0.0, 1.0]) - banded(sparse, p)
    slopes = jacobian(lambda p: linalg.eigsh(banded(ours, p), **options)[0])(p)
    np.testing.assert_allclose(slopes[:, 1], np.sum(v * (moved @ v), axis=0), rtol=1e-9)


def test_the_gradient_of_an_eigenvalue_by_a_sparse_matrix_has_its_pattern():
    p = np.array([0.6, 0.9])
    a, options = banded(sparse, p), {"k": 2, "v0": np.ones(SIZE)}
    of_sparse = grad(lambda a: of_pairs(*linalg.eigsh(a, **options)))(a)
    of_dense = grad(lambda a: of_pairs(*linalg.eigsh(a, **options)))(a.toarray())
    np.testing.assert_allclose(of_sparse.toarray(), of_dense * (a.toarray() != 0), atol=1e-10)


def test_singular_triplets_of_traced_entries_are_those_of_the_whole_matrix():
    def corner(p):
        return banded(ours, p).tocsc()[:, : SIZE - 3]

    def of_triplets(u, s, vh):
        return of_pairs(s, u) + of_pairs(s, vh)

    def by_iterations(p):
        return of_triplets(*linalg.svds(corner(p), k=3, v0=np.ones(SIZE - 3)))

    def by_all(p):
        u, s, vh = np.linalg.svd(corner(p).toarray(), full_matrices=False)
        return of_triplets(u[:, 2::-1], s[2::-1], vh[2::-1])

    p = np.array([0.6, 0.9])
    np.testing.assert_allclose(grad(by_iterations)(p), grad(by_all)(p), rtol=1e-8)
    np.testing.assert_allclose(hessian(by_iterations)(p), hessian(by_all)(p), rtol=1e-6)


def test_eigenvalues_of_a_pair_of_traced_matrices_are_refused():
    with pytest.raises(OptionError, match="leave it out"):
        grad(lambda p: linalg.eigsh(banded(ours, p), k=1, M=np.eye(SIZE))[0][0])(np.ones(2))
