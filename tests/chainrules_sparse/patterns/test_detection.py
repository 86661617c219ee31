"""Detection: which functions, arguments and results have a pattern."""

import numpy as np
import pytest
from scipy import sparse

import chainrules_tape as ct
import chainrules_tape.numpy as tnp
import chainrules_tape.scipy as scipy
from chainrules_py import RuleTable, default_rules, primitive
from chainrules_tape import sparsity


def test_numbers_and_containers_are_columns_one_after_the_other():
    def f(p):
        return {"a": p["x"][1:] * p["c"], "b": p["c"] ** 2, "n": 3}

    found = sparsity(f, {"c": 2.0, "x": np.ones(3), "k": 4}).pattern.toarray().astype(int)
    np.testing.assert_array_equal(found, [[1, 0, 1, 0], [1, 0, 0, 1], [1, 0, 0, 0]])


def test_chosen_arguments():
    found = sparsity(lambda x, y, z: x * z, np.ones(2), 1.0, np.ones(2), argnums=2)
    np.testing.assert_array_equal(found.pattern.toarray(), np.eye(2, dtype=bool))
    by_name = sparsity(lambda x, y: x * y, np.ones(2), argnums="y", y=np.ones(2))
    assert by_name == found


def test_a_result_that_depends_on_nothing():
    found = sparsity(lambda x: np.floor(x), np.ones(3))
    assert found.pattern.nnz == 0
    assert found.shape == (3, 3)


def test_zeros_are_those_of_the_engine_and_no_numbers():
    """A product with a zero counts, a constant and what has no derivative does not."""
    found = sparsity(lambda x: 0.0 * x + ct.stop_gradient(x[::-1]), np.ones(3))
    np.testing.assert_array_equal(found.pattern.toarray(), np.eye(3, dtype=bool))


def test_branches_are_those_of_this_point():
    def f(x):
        return np.cumsum(x) if x[0] > 0 else 2.0 * x

    assert sparsity(f, -np.ones(4)).pattern.nnz == 4
    assert sparsity(f, np.ones(4)).pattern.nnz > 4


@pytest.mark.parametrize("form", [tnp.asarray, lambda y: tnp.asarray(y)[()], tnp.array])
def test_numbers_as_arrays_without_axes(form):
    def f(x):
        return form(np.sum(x[:2])) * x

    found = sparsity(f, np.ones(3))
    np.testing.assert_array_equal(found.pattern.toarray(), [[1, 1, 0], [1, 1, 0], [1, 1, 1]])


def test_a_users_rule_needs_no_word():
    rules = RuleTable(parent=default_rules)

    @primitive
    def neighbours(x):
        return x[1:] * x[:-1]

    @rules.frule.register(neighbours)
    def neighbours_frule(dots, x: np.ndarray):
        return neighbours(x), x[1:] * dots[0][:-1] + x[:-1] * dots[0][1:]

    found = sparsity(neighbours, np.ones(4), rules=rules)
    expected = np.eye(3, 4) + np.eye(3, 4, k=1) > 0
    np.testing.assert_array_equal(found.pattern.toarray(), expected)
    assert found.dense_because == ()


def test_a_rule_that_asks_for_numbers_makes_its_result_dense():
    rules = RuleTable(parent=default_rules)

    @primitive
    def doubled(x):
        return 2.0 * x

    @rules.frule.register(doubled)
    def doubled_frule(dots, x: np.ndarray):
        largest = float(np.max(np.abs(dots[0])))
        return doubled(x), 2.0 * dots[0] if largest else 0.0 * dots[0]

    found = sparsity(lambda x: doubled(x)[:2] + x[1:3], np.ones(4), rules=rules)
    assert found.pattern.toarray().all()
    assert "doubled" in found.dense_because[0]
    assert "test_detection.py" in found.dense_because[0]


def test_a_hessians_pattern_is_that_of_its_gradient():
    def chain(x):
        return np.sum((x[1:] - x[:-1] ** 2) ** 2)

    found = sparsity(ct.grad(chain), np.ones(6), symmetric=True)
    expected = np.eye(6) + np.eye(6, k=1) + np.eye(6, k=-1) > 0
    np.testing.assert_array_equal(found.pattern.toarray(), expected)
    assert found.dense_because == ()


def test_products_with_a_sparse_matrix_have_its_entries():
    matrix = sparse.csr_array(np.eye(4, k=1) + 3.0 * np.eye(4, k=-2))
    for product in (lambda x: matrix @ x, lambda x: (x @ matrix) ** 2):
        found = sparsity(product, np.ones(4))
        expected = ct.jacobian(product)(np.ones(4)) != 0
        np.testing.assert_array_equal(found.pattern.toarray(), expected)
        assert found.dense_because == ()
    columns = sparsity(lambda x: matrix @ x.reshape(4, 2), np.ones(8))
    assert columns.pattern.nnz == 2 * matrix.nnz


def test_solving_is_dense_within_each_system():
    matrices = np.eye(2) + np.ones((3, 2, 2))
    found = sparsity(lambda b: np.linalg.solve(matrices, b[..., None]), np.ones((3, 2)))
    expected = np.kron(np.eye(3), np.ones((2, 2))) > 0
    assert not np.any(expected & ~found.pattern.toarray())


def test_within_another_derivative():
    def f(c):
        found = sparsity(lambda x: c * x[1:] * x[:-1], np.ones(3))
        return c * found.pattern.nnz

    assert ct.grad(f)(2.0) == 4.0


def test_a_pattern_that_escapes_is_refused():
    kept = []

    def f(x):
        kept.append(x)
        return x

    sparsity(f, np.ones(2))
    with pytest.raises(ct.EscapedValueError):
        kept[0] * 2.0


ALONG_ONE_AXIS = {
    "fft": lambda x: np.real(scipy.fft.fft(x, axis=0)),
    "dct": lambda x: scipy.fft.dct(x, axis=0),
    "dctn": lambda x: scipy.fft.dctn(x, axes=(0,)),
    "gaussian_filter1d": lambda x: scipy.ndimage.gaussian_filter1d(x, 1.0, axis=0),
    "gaussian_filter": lambda x: scipy.ndimage.gaussian_filter(x, 1.0, axes=(0,)),
    "savgol_filter": lambda x: scipy.signal.savgol_filter(x, 3, 1, axis=0),
}


@pytest.mark.parametrize("name", ALONG_ONE_AXIS)
def test_functions_of_scipy_that_run_along_an_axis_leave_others_apart(name):
    found = sparsity(ALONG_ONE_AXIS[name], np.ones((4, 3)))
    most = np.kron(np.ones((4, 4)), np.eye(3)) > 0
    least = (
        ct.jacobian(ALONG_ONE_AXIS[name])(np.arange(12.0).reshape(4, 3) ** 1.5).reshape(12, 12) != 0
    )
    pattern = found.pattern.toarray()
    assert not np.any(pattern & ~most)
    assert not np.any(least & ~pattern)
    assert not found.dense_because
