"""scipy.linalg: stacks, structures, Schur forms, parts of spectra, and what is refused."""

import numpy as np
import pytest
from scipy import linalg

from chainrules_py import (
    ZERO,
    NotDifferentiableError,
    frule,
    rrule,
)
from chainrules_tape import grad, jvp, vmap
from chainrules_tape.scipy import linalg as traced
from slopes import quotients

rng = np.random.default_rng(3)
A, B, E = rng.normal(size=(3, 4, 4)) + 4 * np.eye(4)


SINGLE = {
    linalg.solve: (A, B),
    linalg.solve_triangular: (A, B),
    linalg.inv: (A,),
    linalg.expm: (A / 9,),
    linalg.cholesky: (A @ A.T,),
    linalg.eigvalsh: (A + A.T,),
    linalg.svdvals: (A,),
    linalg.solve_sylvester: (A, B, E),
    linalg.toeplitz: (A[0], A[1]),
}


@pytest.mark.parametrize("primal", SINGLE)
def test_single_precision_stays(primal):
    args = [np.asarray(arg, np.float32) for arg in SINGLE[primal]]
    y, pullback = rrule(primal, *args)
    assert {y.dtype, *(bar.dtype for bar in pullback(np.ones_like(y)))} == {np.dtype(np.float32)}


def test_the_sign_of_a_matrix_with_negative_eigenvalues_does_not_move():
    a = np.array([[0.25, 0.25], [-1.5, -1.4]])
    np.testing.assert_allclose(frule((np.ones((2, 2)),), linalg.signm, a)[1], 0, atol=1e-14)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_the_last_row_of_a_hankel_matrix_whose_column_is_flattened():
    column, row = np.arange(4.0).reshape(2, 2), np.arange(6.0)
    y, pullback = rrule(linalg.hankel, column, row)
    y_bar = np.cos(np.arange(y.size)).reshape(y.shape)
    along = linalg.hankel(np.zeros_like(column), np.arange(6.0) ** 2)
    assert pullback(y_bar)[1] @ np.arange(6.0) ** 2 == pytest.approx(np.sum(y_bar * along))


@pytest.mark.parametrize("kind", [complex, float])
@pytest.mark.parametrize("n", [3, 5])
def test_the_schur_form_by_what_signs_phases_and_quarter_turns_leave(n, kind):
    """The sizes of entries beside the blocks, and the spaces of the first vectors."""
    a, direction = (
        rng.normal(size=(n, n)) + (kind is complex) * 1j * rng.normal(size=(n, n)) for _ in range(2)
    )
    weights = rng.normal(size=(n + 1, n, n))
    t = linalg.schur(a)[0]
    ends = [k for k in range(1, n + 1) if k == n or t[k, k - 1] == 0]
    blocks = list(zip([0, *ends[:-1]], ends, strict=True))

    def loss(t, z):
        sizes = sum(
            weights[0, i, j] * np.sum(np.abs(t[slice(*p), slice(*q)]) ** 2)
            for i, p in enumerate(blocks)
            for j, q in enumerate(blocks)
        )
        return sizes + sum(
            np.real(np.sum(weights[k] * (z[:, :k] @ np.conj(z[:, :k]).T))) for k in ends
        )

    gradient = grad(lambda a: loss(*traced.schur(a)))(a)
    expected = quotients(lambda t: loss(*linalg.schur(a + t * direction)), 0.0, 1e-5)
    assert np.isclose(np.real(np.sum(np.conj(gradient) * direction)), expected, rtol=1e-6)


@pytest.mark.parametrize("output", ["real", "complex"])
def test_the_schur_form_of_a_symmetric_matrix_is_diagonal(output):
    """What is above the diagonal is a kink of its size, and one factor of its square."""
    a, direction = A[:3, :3] + A[:3, :3].T, E[:3, :3]
    for power in (1, 2):

        def sizes(a, linalg=traced, power=power):
            return np.sum(np.abs(linalg.schur(a, output=output)[0]) ** power)

        expected = quotients(lambda t: sizes(a + t * direction, linalg), 0.0, 1e-5)
        gradient = grad(sizes)(a)
        assert np.sum(gradient * direction) == pytest.approx(expected, rel=1e-5)
        np.testing.assert_allclose(vmap(grad(sizes))(np.stack([a, a])), [gradient, gradient])


def test_angles_between_spaces_at_their_kinks():
    eye = np.eye(4)
    for other, known in ((eye[:, :2], 0.0), (eye[:, 1:3], np.pi / 2), (eye[:, 2:], np.pi)):
        angles, pullback = rrule(traced.subspace_angles, eye[:, :2], other.copy())
        assert np.sum(angles) == pytest.approx(known)
        for bar in pullback(np.ones(2)):
            np.testing.assert_array_equal(bar, np.zeros((4, 2)))
    with pytest.raises(NotDifferentiableError, match="dependent"):
        rrule(linalg.subspace_angles, np.ones((3, 2)), np.eye(3))


def test_stacks_of_schur_forms_have_their_blocks_in_the_same_places():
    turning, real = np.array([[0.0, 1.0], [-2.0, 0.0]]), np.diag([1.0, 2.0])
    with pytest.raises((NotDifferentiableError, ValueError)):  # SciPy before 1.16 takes no stacks
        rrule(linalg.schur, np.stack([turning, real]))[1]((np.ones((2, 2, 2)), ZERO))


@pytest.mark.parametrize("kinds", ["rrc", "rcr", "rcc", "crr", "crc"])
def test_equations_of_real_and_complex_matrices(kinds):
    """SciPy's own solutions of such mixtures are wrong:
    https://github.com/scipy/scipy/issues/26177.
    """
    a, b, q = (
        m + 1j * np.roll(m, 1, 0) * 0.2 if kind == "c" else m
        for m, kind in zip((A, B + 9 * np.eye(4), E), kinds, strict=True)
    )
    x, pullback = rrule(linalg.solve_sylvester, a, b, q)
    assert np.allclose(a @ x + x @ b, q)
    for y, own in (
        (rrule(linalg.solve_continuous_lyapunov, a, q)[0], q),
        (rrule(linalg.solve_discrete_lyapunov, a / 9, q)[0], q),
    ):
        residuals = a @ y + y @ np.conj(a).T - own, a @ y @ np.conj(a).T / 81 - y + own
        assert min(np.abs(residual).max() for residual in residuals) < 1e-9
    weights = B + 1j * A
    kron = np.kron(a, np.eye(4)) + np.kron(np.eye(4), b.T)
    q_bar = np.linalg.solve(np.conj(kron).T, weights.ravel()).reshape(4, 4)
    bars = pullback(weights)
    for bar, expected in zip(
        bars, (-q_bar @ np.conj(x).T, -np.conj(x).T @ q_bar, q_bar), strict=True
    ):
        assert np.allclose(bar, expected if np.iscomplexobj(bar) else np.real(expected))


@pytest.mark.parametrize("part", [0.0, 1j])
@pytest.mark.parametrize("n", [3, 5])
def test_phases_of_the_vectors_of_a_pair(n, part):
    """Forward mode has the phases that LAPACK gives; second derivatives of values see none."""
    draws = np.random.default_rng(0).normal(size=(2, 5, n, n))
    a, b, a_dot, b_dot, weights = draws[0] + part * draws[1]

    def looks_at_phases(t):
        return np.sum(np.real(weights * traced.eig(a + t * a_dot, b + t * b_dot)[1]))

    def slope_of_sizes(t):
        return jvp(lambda t: np.sum(np.abs(traced.eigvals(a + t * a_dot, b)) ** 2), (t,), (1.0,))[1]

    for f in (looks_at_phases, slope_of_sizes):
        expected = quotients(f, 0.0)
        for _ in range(2):
            np.testing.assert_allclose(jvp(f, (0.0,), (1.0,))[1], expected, rtol=1e-6)

    for refused in (
        lambda: grad(lambda a: np.sum(np.real(weights * traced.eig(a, b)[1])))(a + 0j),
        lambda: jvp(lambda t: jvp(looks_at_phases, (t,), (1.0,))[1], (0.0,), (1.0,)),
    ):
        with pytest.raises(NotDifferentiableError, match="phase"):
            refused()


def test_phases_that_jump_are_refused():
    """Those of a real matrix beside the identity are roundoff."""
    a = np.array([[1.0, 2.0, 0.3], [-1.5, 0.5, 0.2], [0.1, 0.4, 2.0]])
    with pytest.raises(NotDifferentiableError, match="phase"):
        jvp(lambda a: np.sum(traced.eig(a, np.eye(3))[1].real), (a,), (a.T,))
