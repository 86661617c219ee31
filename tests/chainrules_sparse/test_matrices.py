"""Sparse Jacobians and Hessians: patterns that are used again, options, and products without the matrix."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

import chainrules_tape as ct
from chainrules_py import RuleTable, default_rules, scalar_rule
from chainrules_tape import (
    OutputError,
    Sparsity,
    SparsityError,
    grad,
    hessian,
    jacobian,
    jacobian_operator,
    sparsity,
)
from small_programs import arrow, rosenbrock

RNG = np.random.default_rng(5)


def heat(u):
    inner = u[2:] - 2.0 * u[1:-1] + u[:-2]
    return np.concatenate([u[:1], inner, u[-1:]])


def with_full_row(x):
    return np.concatenate([[np.sum(x**2)], x * np.roll(x, 1)])


def arrows(x):
    total, product = np.sum(x**3), x[5] * x[2]
    long = np.stack([total * x[1], np.dot(x, np.cos(x))])
    return {"long": long, "short": product * x[:-1] * x[1:], "number": total}


def test_rows_apart_in_containers():
    x = RNG.normal(size=40)
    dense = jacobian(arrows)(x)
    known = sparsity(arrows, x)
    assert known.apart is not None
    assert known.directions <= 12
    found = jacobian(arrows, sparse=known)(x).toarray()
    rows = np.concatenate([np.atleast_2d(part) for _, part in sorted(dense.items())])
    np.testing.assert_allclose(found, rows, rtol=1e-11, atol=1e-12)


def test_an_entry_that_is_missing_in_a_long_row_is_found():
    known = sparsity(arrow, np.ones(40))
    for row, column in ((0, 7), (9, 9), (3, 0)):
        lacking = known.pattern.tolil()
        lacking[row, column] = False
        with pytest.raises(SparsityError, match=f"rows: {row}"):
            jacobian(arrow, sparse=Sparsity(lacking))(RNG.normal(size=40))


def test_containers_numbers_and_several_arguments():
    def f(p, c):
        return {"a": p["x"][1:] * c, "b": p["y"] ** 2}

    p, c = {"x": np.array([1.0, 2.0, 3.0]), "y": 4.0}, 2.0
    found = jacobian(f, argnums=(0, 1), sparse=True)(p, c)
    expected = [[0, 2, 0, 0, 2], [0, 0, 2, 0, 3], [0, 0, 0, 8, 0]]
    np.testing.assert_allclose(found.toarray(), expected)
    by_name = jacobian(f, argnums="c", sparse=True)(p, c=c)
    np.testing.assert_allclose(by_name.toarray(), np.array(expected)[:, 4:])
    blocks = hessian(lambda x, y: np.sum(x**2 * y), argnums=(0, 1), sparse=True)
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    expected = [[6, 0, 2, 0], [0, 8, 0, 4], [2, 0, 0, 0], [0, 4, 0, 0]]
    np.testing.assert_allclose(blocks(x, y).toarray(), expected)


ENTRIES = {"heat": heat, "full row": with_full_row, "arrow": arrow, "rosenbrock": rosenbrock}


@pytest.mark.parametrize("name", ENTRIES)
@pytest.mark.parametrize("seed", range(4))
def test_each_entry_that_is_taken_away_is_missed(name, seed):
    """Of rows and of columns, in Jacobians and in Hessians."""
    function, x, is_energy = ENTRIES[name], RNG.normal(size=30), name == "rosenbrock"
    known = sparsity(grad(function) if is_energy else function, x, symmetric=is_energy)
    derivative = hessian if is_energy else jacobian
    dense = derivative(function)(x)
    entries = np.argwhere(known.pattern.toarray() & (dense != 0))
    row, column = entries[np.random.default_rng(seed).integers(len(entries))]
    less = known.pattern.tolil()
    less[row, column] = False
    if is_energy:
        less[column, row] = False
    wrong = Sparsity(less, symmetric=is_energy)
    with pytest.raises(SparsityError, match="detect again") as caught:
        derivative(function, sparse=wrong)(x)
    assert caught.value.sparsity is wrong


# Patterns that are used again


def branching(x):
    return np.cumsum(x) if x[0] > 0 else 2.0 * x


def test_true_detects_again_where_the_pattern_no_longer_holds():
    derivative = jacobian(branching, sparse=True)
    x = np.arange(1.0, 6.0)
    assert derivative(-x).nnz == 5
    np.testing.assert_allclose(derivative(x).toarray(), np.tri(5))
    np.testing.assert_allclose(derivative(-x).toarray(), 2.0 * np.eye(5))
    np.testing.assert_allclose(derivative(np.arange(1.0, 9.0)).toarray(), np.tri(8))


def test_a_pattern_with_more_entries_does_no_harm():
    x = RNG.normal(size=10)
    found = jacobian(heat, sparse=Sparsity(np.ones((10, 10))))(x)
    np.testing.assert_allclose(found.toarray(), jacobian(heat)(x))


@pytest.mark.parametrize("shape", [(9, 10), (10, 9), (3, 3)])
def test_a_pattern_of_another_shape_is_an_error(shape):
    for transposed in (False, True):
        entries = np.eye(*shape)
        entries[:, 0] = transposed
        with pytest.raises(SparsityError, match="detect again"):
            jacobian(heat, sparse=Sparsity(entries))(np.ones(10))


def test_roundoff_is_no_missing_entry():
    """The derivative is zero but for roundoff, whatever the sizes."""

    def nothing(x):
        return 1e6 * (np.sin(x) ** 2 + np.cos(x) ** 2) + np.roll(x, 1)

    known = Sparsity(np.roll(np.eye(20), -1, axis=1))
    derivative = jacobian(nothing, sparse=known)
    for function in (derivative, ct.compiled(derivative)):
        for x in RNG.normal(size=(5, 20)):
            found = function(x)
            assert found.nnz == 20
            np.testing.assert_allclose(found.data, 1.0, atol=1e-8)


def test_infinities_do_not_stop_the_guard():
    x = np.array([0.0, 1.0, 4.0])
    with np.errstate(divide="ignore"):
        found = jacobian(np.sqrt, sparse=Sparsity(np.eye(3)))(x)
    np.testing.assert_allclose(found.diagonal(), [np.inf, 0.5, 0.25])


# What is refused

SWAPPED, DRAWN = np.array([2.0, 1.0]), np.random.default_rng(0)
REFUSALS = {
    "complex arguments": (
        lambda: jacobian(np.sin, sparse=True)(np.ones(3, complex)),
        (ct.InputError, "real and imaginary"),
    ),
    "a sparse argument": (
        lambda: sparsity(lambda a: a @ np.ones(3), sparse.eye_array(3).tocsr()),
        (ct.InputError, "entries"),
    ),
    "a mode": (lambda: jacobian(heat, mode="sideways", sparse=True), (TypeError, "mode")),
    "a word": (lambda: jacobian(heat, sparse="yes"), (ct.InputError, "sparsity")),
    "an array": (lambda: hessian(rosenbrock, sparse=np.eye(3)), (ct.InputError, "sparsity")),
    "what draws": (
        lambda: jacobian(lambda x: DRAWN.normal() * arrow(x), sparse=True)(np.ones(40)),
        (OutputError, "runs several times"),
    ),
    "integers": (
        lambda: jacobian(np.argsort, sparse=True)(SWAPPED),
        (OutputError, "no derivative"),
    ),
    "integers, with a pattern": (
        lambda: jacobian(np.argsort, sparse=Sparsity(np.eye(2)))(SWAPPED),
        (OutputError, "no derivative"),
    ),
    "integers, as an operator": (
        lambda: jacobian_operator(np.argsort, SWAPPED),
        (OutputError, "no derivative"),
    ),
}


@pytest.mark.parametrize(("call", "error"), REFUSALS.values(), ids=REFUSALS)
def test_what_is_refused(call, error):
    with pytest.raises(error[0], match=error[1]):
        call()


@pytest.mark.parametrize("mode", ["forward", "reverse", None])
@pytest.mark.parametrize("max_bytes", [1, 1000, 2**28])
@pytest.mark.parametrize("function", [heat, branching, lambda x: np.cumsum(x**2)[::4]])
def test_rows_or_columns_as_the_caller_chooses(function, mode, max_bytes):
    x = np.linspace(0.5, 1.5, 12)
    expected = jacobian(function)(x)
    pattern = sparsity(function, x)
    for known in (True, pattern, pattern.coloured_for("forward"), pattern.coloured_for("reverse")):
        derivative = jacobian(function, sparse=known, mode=mode, max_bytes=max_bytes)
        for _ in range(2):
            np.testing.assert_allclose(derivative(x).toarray(), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("mode", "is_run"), [("forward", "jvp"), ("reverse", "vjp")])
def test_the_mode_of_a_sparse_matrix_is_the_one_that_is_asked_for(mode, is_run):
    table = RuleTable(parent=default_rules)
    runs = []

    @ct.primitive
    def cubed(x):
        return x**3

    @table.rrule.register(cubed)
    def cubed_rrule(x: np.ndarray):
        runs.append("vjp")
        return x**3, lambda y_bar: (3 * x**2 * y_bar,)

    @table.frule.register(cubed)
    def cubed_frule(dots, x: np.ndarray):
        runs.append("jvp")
        return x**3, 3 * x**2 * dots[0]

    pattern = Sparsity(np.eye(5))
    found = jacobian(cubed, sparse=pattern, mode=mode, rules=table)(np.arange(5.0))
    np.testing.assert_allclose(found.toarray(), np.diag(3 * np.arange(5.0) ** 2))
    assert set(runs) == {is_run}


def test_it_prints_and_pickles():
    assert "max_bytes=80" in repr(hessian(rosenbrock, sparse=True, max_bytes=80))
    derivative = jacobian(np.sin, sparse=True)
    assert repr(derivative) == "jacobian(numpy.sin, sparse=True)"
    again = pickle.loads(pickle.dumps(derivative))
    np.testing.assert_allclose(again(np.zeros(2)).toarray(), np.eye(2))
    known = jacobian(np.sin, sparse=Sparsity(np.eye(2)))
    np.testing.assert_allclose(pickle.loads(pickle.dumps(known))(np.zeros(2)).toarray(), np.eye(2))


# Products without the matrix


def test_the_operator_multiplies_as_the_matrix_does():
    x = RNG.normal(size=30)
    operator = jacobian_operator(with_full_row, x)
    matrix = jacobian(with_full_row)(x)
    assert isinstance(operator, LinearOperator)
    assert operator.shape == matrix.shape
    right, left = RNG.normal(size=(30, 4)), RNG.normal(size=(31, 3))
    np.testing.assert_allclose(operator @ right, matrix @ right)
    np.testing.assert_allclose(operator @ right[:, 0], matrix @ right[:, 0])
    np.testing.assert_allclose(operator.T @ left, matrix.T @ left)
    np.testing.assert_allclose(operator.rmatvec(left[:, 0]), matrix.T @ left[:, 0])
    assert (operator @ right[:, :0]).shape == (31, 0)
    assert operator.rmatmat(left[:, :0]).shape == (30, 0)


@pytest.mark.parametrize("factor", [1.0, 1.0 - 2.0j], ids=["real", "complex"])
@pytest.mark.parametrize("unit", [1.0, 1.0 + 0.5j], ids=["by reals", "by complex"])
def test_the_operator_and_its_adjoint_of_complex_numbers(factor, unit):
    def f(x):
        return factor * np.sin(x) + np.roll(x, 1) ** 2

    x = RNG.normal(size=4)
    operator, matrix = jacobian_operator(f, x), jacobian(f)(x)
    right = unit * RNG.normal(size=(4, 2))
    np.testing.assert_allclose(operator @ right, matrix @ right)
    np.testing.assert_allclose(operator.H @ right, matrix.conj().T @ right)
    np.testing.assert_allclose(operator.T @ right[:, 0], matrix.T @ right[:, 0])


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_matrices_of_several_float32_arrays_are_float32(mode):
    x = np.ones(3, np.float32)
    found = jacobian(lambda x, y: (x * y, y), (0, 1), mode=mode, sparse=True)(x, 2 * x)
    assert found.dtype == np.float32
    expected = np.block([[2 * np.eye(3), np.eye(3)], [np.zeros((3, 3)), np.eye(3)]])
    np.testing.assert_array_equal(found.toarray(), expected)


def test_complex_results_are_taken_by_columns():
    by_columns = jacobian(lambda x: 1j * x, sparse=True)(np.ones(3))
    np.testing.assert_allclose(by_columns.toarray(), 1j * np.eye(3))


def test_the_operator_is_that_of_its_point():
    x = np.ones(3)
    operator = jacobian_operator(lambda x, c: c * x**2, x, 2.0)
    x[:] = 100.0
    np.testing.assert_allclose(operator @ np.ones(3), np.full(3, 4.0))
    np.testing.assert_allclose(operator.rmatvec(np.ones(3)), np.full(3, 4.0))


def test_the_operator_multiplies_by_the_rules_of_a_table():
    steep = RuleTable(parent=default_rules, name="steep")
    scalar_rule(np.sin, "x", "2 * cos(x)", table=steep)
    operator = jacobian_operator(np.sin, np.zeros(3), rules=steep)
    np.testing.assert_allclose(operator @ np.ones(3), np.full(3, 2.0))
    np.testing.assert_allclose(operator.rmatvec(np.ones(3)), np.full(3, 2.0))


EMPTY = {
    "no rows": (lambda x: np.sin(x[:0]), np.ones(3), (0, 3)),
    "no rows beside integers": (lambda x: (x[:0], np.argmax(x)), np.ones(3), (0, 3)),
    "no results": (lambda x: (), np.ones(3), (0, 3)),
    "no columns": (np.sum, np.zeros(0), (1, 0)),
    "neither": (np.sin, np.zeros(0), (0, 0)),
}


@pytest.mark.parametrize("name", EMPTY)
def test_matrices_without_entries(name):
    """The pattern of the first call is guarded in the second."""
    f, x, shape = EMPTY[name]
    derivative = jacobian(f, sparse=True)
    assert derivative(x).shape == derivative(x).shape == shape
    assert jacobian_operator(f, x).shape == shape


def test_each_run_starts_from_the_constants_that_were_passed():
    def f(x, count):
        count[0] += 1
        return x * count[0]

    count, derivatives = np.zeros(1), jacobian(f, sparse=True)
    for _ in range(2):
        np.testing.assert_array_equal(derivatives(np.ones(3), count).toarray(), np.eye(3))
    assert count[0] == 0
