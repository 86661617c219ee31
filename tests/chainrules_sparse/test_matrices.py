"""Sparse Jacobians and Hessians of programs as people write them, against the dense ones."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from scipy.integrate import solve_ivp
from scipy.sparse.linalg import LinearOperator, gmres, spsolve

import chainrules_tape as ct
import chainrules_tape.numpy as tnp
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

RNG = np.random.default_rng(5)


def heat(u):
    inner = u[2:] - 2.0 * u[1:-1] + u[:-2]
    return np.concatenate([u[:1], inner, u[-1:]])


def heat_in_place(u):
    y = tnp.zeros(u.shape)
    y[1:-1] = u[2:] - 2.0 * u[1:-1] + u[:-2]
    y[0], y[-1] = u[0], u[-1] ** 2
    return y


def diffusion_by_roll(u):
    v = u.reshape(7, 8)
    around = [np.roll(v, shift, axis) for shift in (1, -1) for axis in (0, 1)]
    return (sum(around) - 4.0 * v + v - v**3).ravel()


def diffusion_by_pad(u):
    v = u.reshape(7, 8)
    p = np.pad(v, 1)
    return p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4.0 * v + np.sin(v)


def brusselator(w):
    u, v = w.reshape(2, -1)

    def laplacian(x):
        return np.roll(x, 1) - 2.0 * x + np.roll(x, -1)

    du = 1.0 + u * u * v - 4.0 * u + 0.1 * laplacian(u)
    dv = 3.0 * u - u * u * v + 0.1 * laplacian(v)
    return np.stack([du, dv]).ravel()


def with_full_row(x):
    return np.concatenate([[np.sum(x**2)], x * np.roll(x, 1)])


def arrow(x):
    return np.concatenate([[np.sum(np.sin(x) * x)], x[0] * x[1:] ** 2])


def arrows(x):
    total, product = np.sum(x**3), x[5] * x[2]
    long = np.stack([total * x[1], np.dot(x, np.cos(x))])
    return {"long": long, "short": product * x[:-1] * x[1:], "number": total}


def overwriting(x):
    x[0] = 2.0 * x[1]
    x[2:] *= x[0]
    return x


PROGRAMS = {
    "overwriting its argument": (overwriting, 10, 3),
    "heat": (heat, 30, 3),
    "heat, in place": (heat_in_place, 30, 3),
    "grid by roll": (diffusion_by_roll, 56, 12),
    "grid by pad": (diffusion_by_pad, 56, 7),
    "brusselator": (brusselator, 40, 12),
    "full row": (with_full_row, 30, 3),
    "arrow": (arrow, 40, 3),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_jacobians(name):
    function, size, directions = PROGRAMS[name]
    x = RNG.normal(size=size)
    dense = jacobian(function)(x).reshape(-1, size)
    known = sparsity(function, x)
    assert known.dense_because == ()
    assert known.directions <= directions
    for given in (True, known):
        found = jacobian(function, sparse=given)(x)
        assert isinstance(found, sparse.csr_array)
        np.testing.assert_allclose(found.toarray(), dense, rtol=1e-12, atol=1e-13)
        assert found.has_canonical_format


def test_rows_apart_in_containers():
    x = RNG.normal(size=40)
    dense = jacobian(arrows)(x)
    known = sparsity(arrows, x)
    assert known.apart is not None
    assert known.directions <= 12
    found = jacobian(arrows, sparse=known)(x).toarray()
    rows = np.concatenate([np.atleast_2d(part) for _, part in sorted(dense.items())])
    np.testing.assert_allclose(found, rows, rtol=1e-11, atol=1e-12)


def test_rows_apart_of_a_function_that_draws_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(OutputError, match="runs several times"):
        jacobian(lambda x: rng.normal() * arrow(x), sparse=True)(RNG.normal(size=40))


def test_an_entry_that_is_missing_in_a_long_row_is_found():
    known = sparsity(arrow, np.ones(40))
    for row, column in ((0, 7), (9, 9), (3, 0)):
        lacking = known.pattern.tolil()
        lacking[row, column] = False
        with pytest.raises(SparsityError, match=f"rows: {row}"):
            jacobian(arrow, sparse=Sparsity(lacking))(RNG.normal(size=40))


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def arrow_and_chain(x):
    return np.sum(np.sin(x[0] * x[1:])) + np.sum((x[2:] - x[1:-1]) ** 4)


def membrane(x):
    v = x.reshape(6, 7)
    stretch = np.sqrt(1.0 + np.diff(v, axis=0)[:, :-1] ** 2 + np.diff(v, axis=1)[:-1] ** 2)
    return np.sum(stretch) + 0.1 * np.sum(v**2)


def in_a_loop(x):
    total = 0.0
    for k in range(len(x) - 1):
        total = total + x[k] ** 2 * x[k + 1]
    return total


ENERGIES = {
    "rosenbrock": (rosenbrock, 30, 3),
    "arrow and chain": (arrow_and_chain, 30, 5),
    "membrane": (membrane, 42, 12),
    "loop": (in_a_loop, 12, 3),
}


@pytest.mark.parametrize("name", ENERGIES)
def test_hessians(name):
    function, size, directions = ENERGIES[name]
    x = RNG.normal(size=size)
    dense = hessian(function)(x)
    known = sparsity(grad(function), x, symmetric=True)
    assert known.dense_because == ()
    assert known.directions <= directions
    for given in (True, known):
        found = hessian(function, sparse=given)(x)
        np.testing.assert_allclose(found.toarray(), dense, rtol=1e-10, atol=1e-12)


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


def test_single_precision_stays():
    x = np.linspace(0, 1, 9, dtype=np.float32)
    found = jacobian(heat, sparse=True)
    assert found(x).dtype == np.float32
    assert found(x + 1).dtype == np.float32  # by the pattern of the first call, guarded


def test_keywords_are_constants():
    found = jacobian(lambda x, *, factor: factor * x, sparse=True)(np.ones(2), factor=3.0)
    np.testing.assert_allclose(found.toarray(), 3.0 * np.eye(2))


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


def test_a_given_pattern_that_does_not_hold_is_an_error():
    x = np.arange(1.0, 6.0)
    known = sparsity(branching, -x)
    with pytest.raises(SparsityError, match="detect again") as caught:
        jacobian(branching, sparse=known)(x)
    assert caught.value.sparsity is known


@pytest.mark.parametrize("seed", range(20))
def test_each_entry_that_is_taken_away_is_missed(seed):
    """Of rows and of columns, in Jacobians and in Hessians."""
    rng = np.random.default_rng(seed)
    name = rng.choice([*PROGRAMS, *ENERGIES])
    function, size, _ = (PROGRAMS | ENERGIES)[name]
    x = rng.normal(size=size)
    is_energy = name in ENERGIES
    known = sparsity(grad(function) if is_energy else function, x, symmetric=is_energy)
    entries = known.pattern.tocoo()
    taken = rng.integers(entries.nnz)
    row, column = entries.row[taken], entries.col[taken]
    here = (entries.row == row) & (entries.col == column)
    if is_energy:
        here |= (entries.row == column) & (entries.col == row)
    less = sparse.coo_array(
        (entries.data[~here], (entries.row[~here], entries.col[~here])), known.shape
    )
    derivative = hessian if is_energy else jacobian
    dense = derivative(function)(x).reshape(known.shape)
    lacking = derivative(function, sparse=Sparsity(less, symmetric=is_energy))
    if dense[row, column] == 0:
        lacking(x)
    else:
        with pytest.raises(SparsityError):
            lacking(x)


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


def test_complex_numbers_are_refused():
    with pytest.raises(ct.InputError, match="real and imaginary"):
        jacobian(np.sin, sparse=True)(np.ones(3, complex))
    by_columns = jacobian(lambda x: 1j * x, sparse=True)(np.ones(3))
    np.testing.assert_allclose(by_columns.toarray(), 1j * np.eye(3))


def test_sparse_arguments_are_refused():
    with pytest.raises(ct.InputError, match="entries"):
        sparsity(lambda a: a @ np.ones(3), sparse.eye_array(3).tocsr())


def test_keywords_that_make_no_sense_are_refused():
    with pytest.raises(TypeError, match="mode"):
        jacobian(heat, mode="sideways", sparse=True)
    with pytest.raises(ct.InputError, match="sparsity"):
        jacobian(heat, sparse="yes")
    with pytest.raises(ct.InputError, match="sparsity"):
        hessian(rosenbrock, sparse=np.eye(3))


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


def test_a_hessian_takes_as_many_directions_at_once_as_fit():
    x = np.linspace(0.5, 1.5, 9)
    found = hessian(rosenbrock, sparse=True, max_bytes=80)
    np.testing.assert_allclose(found(x).toarray(), hessian(rosenbrock)(x), rtol=1e-12)
    assert "max_bytes=80" in repr(found)


def test_it_prints_and_pickles():
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


def test_iterative_solvers_take_the_operator():
    x = RNG.normal(size=20)

    def f(x):
        return 4.0 * x + np.roll(x, 1) ** 2

    b = RNG.normal(size=20)
    solution, code = gmres(jacobian_operator(f, x), b, rtol=1e-12, atol=0.0)
    assert code == 0
    np.testing.assert_allclose(jacobian(f)(x) @ solution, b, atol=1e-9)


# With SciPy's solvers


def test_newtons_method_with_spsolve():
    def equations(u):
        return diffusion_by_pad(u).ravel() - 0.1 * u**3 + 1.0

    derivative = jacobian(equations, sparse=True)
    u = np.zeros(56)
    for _ in range(20):
        u = u - spsolve(derivative(u).tocsc(), equations(u))
    np.testing.assert_allclose(equations(u), 0.0, atol=1e-12)


def test_a_stiff_initial_value_problem():
    start = np.concatenate([1.0 + 0.1 * np.sin(np.arange(20.0)), np.full(20, 3.0)])
    known = sparsity(brusselator, start)
    derivative = jacobian(brusselator, sparse=known)
    options = {"method": "BDF", "rtol": 1e-6, "atol": 1e-9}
    plain = solve_ivp(lambda t, w: brusselator(w), (0, 2), start, **options)
    ours = solve_ivp(
        lambda t, w: brusselator(w), (0, 2), start, jac=lambda t, w: derivative(w), **options
    )
    by_pattern = solve_ivp(
        lambda t, w: brusselator(w), (0, 2), start, jac_sparsity=known.pattern, **options
    )
    np.testing.assert_allclose(ours.y[:, -1], plain.y[:, -1], rtol=1e-4)
    np.testing.assert_allclose(by_pattern.y[:, -1], plain.y[:, -1], rtol=1e-4)


def test_results_of_integers_alone_are_refused():
    x, known = np.array([2.0, 1.0]), sparsity(np.sin, np.ones(2))
    for derivative in (
        jacobian(np.argsort, sparse=True),
        jacobian(np.argsort, sparse=known),
        lambda x: jacobian_operator(np.argsort, x),
    ):
        with pytest.raises(OutputError, match="no derivative"):
            derivative(x)
    assert sparsity(np.argsort, x).shape == (0, 2)


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
