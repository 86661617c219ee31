"""scipy.sparse.linalg: patterns; solvers that do not
converge; work that is kept.
"""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import linalg

import chainrules_tape.scipy as tsp
from chainrules_py import ProjectTo, rrule
from chainrules_tape import jacobian

rng = np.random.default_rng(5)
DENSE = (rng.normal(size=(6, 6)) + 6 * np.eye(6)) * (rng.uniform(size=(6, 6)) < 0.5) + 3 * np.eye(6)
B, X_BAR = rng.normal(size=(2, 6))


@pytest.mark.parametrize("made", ["csr_array", "csc_array", "csr_matrix", "csc_matrix"])
def test_the_cotangent_has_the_pattern_and_class_of_the_matrix(made):
    a = getattr(sparse, made)(DENSE)
    a_bar, b_bar = rrule(linalg.spsolve, a, B)[1](X_BAR)
    of_dense, expected = rrule(np.linalg.solve, DENSE, B)[1](X_BAR)
    assert type(a_bar) is type(a)
    assert a_bar.nnz == a.nnz
    assert np.allclose(a_bar.toarray(), of_dense * (DENSE != 0))
    assert np.allclose(b_bar, expected)


def test_entries_that_are_stored_twice_count_once():
    twice = sparse.csr_array(
        (np.array([1.0, 1.0, 4.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2)
    )
    a_bar, _ = rrule(linalg.spsolve, twice, np.ones(2))[1](np.ones(2))
    assert np.allclose(a_bar.toarray(), -np.diag([0.25, 1 / 16]))


def test_all_entries_by_policy():
    a = sparse.csr_array(DENSE)
    space = ProjectTo(a, "dense")
    assert space(rrule(linalg.spsolve, a, B)[1](X_BAR)[0].toarray()).shape == a.shape


def test_a_jacobian_of_a_sparse_system_factorises_it_once(monkeypatch):
    calls = []
    splu = linalg.splu
    monkeypatch.setattr(linalg, "splu", lambda *args, **options: calls.append(1) or splu(*args))
    matrix = sparse.csc_array(DENSE)
    found = jacobian(lambda b: tsp.sparse.linalg.spsolve(matrix, b), mode="reverse")(B)
    np.testing.assert_allclose(found, np.linalg.inv(DENSE), rtol=1e-12, atol=1e-14)
    assert len(calls) == 1
