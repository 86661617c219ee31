"""Sparse Jacobians that are read off sums of moved directions, against dense ones and differences."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_sparse import sums
from chainrules_sparse.colouring import Colouring
from chainrules_sparse.moves import MISSES, MOST, Move, Moves, key_of
from chainrules_tape import Sparsity, grad, hessian, jacobian, sparsity
from chainrules_tape.refusals.errors import SparsityError

ROWS, COLUMNS = 4, 5
SIZE = ROWS * COLUMNS
RNG = np.random.default_rng(0)
X = RNG.normal(size=SIZE)
C = RNG.normal(size=(ROWS, COLUMNS))
ORDER = RNG.permutation(SIZE)
REPEATED = np.array([2, 2, 0, 4, 0])
EDGES = np.array([[0, 0, 0, 3, 4, -1, 4], [1, 5, -1, 4, 3, 2, 3]])
Function = Callable[[Any], Any]


def differences(function: Function, x: np.ndarray) -> np.ndarray:
    """The Jacobian by central differences."""
    step = 1e-6
    columns = [
        (function(x + step * unit) - function(x - step * unit)) / (2 * step)
        for unit in np.eye(len(x))
    ]
    return np.stack(columns, -1)


def require_right(function: Function, x: np.ndarray, is_noted: bool) -> None:
    """Compare the sparse Jacobian of two calls with differences and the dense one."""
    pattern = sparsity(function, x)
    derivative = jacobian(function, sparse=pattern)
    for point in (x, 0.5 - x, 2.0 * x):
        found = derivative(point).toarray()
        size = 1 + np.abs(found).max()
        np.testing.assert_allclose(found, jacobian(function)(point), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(found, differences(function, point), rtol=1e-5, atol=1e-6 * size)
    assert pattern.moves.misses == (0 if is_noted else MISSES)


def grid(u: Any) -> Any:
    """A vector as a grid."""
    return u.reshape(ROWS, COLUMNS)


def on_rim(u: Any) -> Any:
    """A grid with a rim of zeros."""
    return np.pad(grid(u), 1)


NOTED: dict[str, Function] = {
    "slices": lambda u: u[2:] - 2.0 * u[1:-1] + u[:-2] ** 3,
    "reversed": lambda u: u[::-1] * u,
    "index": lambda u: np.concatenate([u[3:4] * u[7:8], grid(u)[1] * u[:COLUMNS]]),
    "new axis": lambda u: (grid(u)[:, None] + grid(u)[None, 0])[..., 1].ravel(),
    "positions": lambda u: u[ORDER] * u + u[ORDER[::2]].repeat(2),
    "mask": lambda u: np.sin(u)[X > 0],
    "matrix of positions": lambda u: (grid(u)[[0, 2]] * grid(u)[1:3]).ravel(),
    "take": lambda u: np.take(u, ORDER) ** 2 + np.take(grid(u), [1, 0, 3, 2], axis=0).ravel(),
    "roll": lambda u: (np.roll(grid(u), 1, 0) * C - np.roll(grid(u), -2, axis=1)).ravel(),
    "rolls": lambda u: np.roll(u, 3) * u + np.roll(grid(u), (1, 2), (0, 1)).ravel(),
    "pad": lambda u: (on_rim(u)[2:, 1:-1] + on_rim(u)[:-2, 1:-1] * C).ravel(),
    "pad unevenly": lambda u: np.pad(u * u, (2, 1))[1:],
    "concatenate": lambda u: np.concatenate([u[:1], u[1:-1] * u[2:], 3.0 * u[-1:]]),
    "ring": lambda u: np.concatenate([u[-1:], u, u[:1]])[2:] - u,
    "with constants": lambda u: np.concatenate([np.ones(2), u * u, X[:3]]),
    "stack": lambda u: np.stack([u, u * X, -u[::-1]], axis=1).ravel(),
    "vstack and transpose": lambda u: np.vstack([grid(u), grid(u) ** 2]).T.ravel(),
    "moveaxis": lambda u: np.moveaxis(u.reshape(2, 2, 5), 0, 2).ravel() * u,
    "swapaxes": lambda u: np.swapaxes(grid(u), 0, 1).ravel() / (2.0 + u * u),
    "flip and tile": lambda u: np.tile(np.flip(grid(u), 0).ravel(), 2) * np.tile(X, 2),
    "broadcast": lambda u: (np.broadcast_to(u[:COLUMNS], (ROWS, COLUMNS)) * grid(u)).ravel(),
    "row and column": lambda u: (grid(u) * C[0] + grid(u) / C[:, :1]).ravel(),
    "where": lambda u: np.where(X > 0, u * u, 2.0 * np.roll(u, 1)),
    "where zero": lambda u: np.where(u > 0, u, 0.0),
    "maximum": lambda u: np.maximum(u, np.roll(u, 1)),
    "diff": lambda u: np.concatenate([np.diff(u * u), np.diff(grid(u), n=2, axis=0).ravel()]),
    "divided": lambda u: u / (1.0 + np.roll(u, 1) ** 2) / X,
    "flat order": lambda u: np.ravel(grid(u), order="F") * u,
    "integers": lambda u: u * np.arange(SIZE) + u * (X > 0) + u * X.astype(np.float32),
    "same entry twice": lambda u: u[:3] + u[2::-1] + u[:3] * 4.0,
    "sum of rows": lambda u: np.sum(grid(u), axis=1) * grid(u)[:, 0],
    "parts of a matrix": lambda u: np.diagonal(grid(u), 1) * np.delete(u, [0, 5])[:4],
    "triangles": lambda u: (np.triu(grid(u) * C, 1) + np.tril(grid(u)) ** 2).ravel(),
    "diagonals": lambda u: (np.diag(u[:4] ** 2) + np.diagflat(u[2:4], 2)).ravel(),
    "turned": lambda u: (np.rot90(grid(u)) * np.fliplr(np.flipud(grid(u))).T).ravel(),
}
COMPUTED: dict[str, Function] = {
    "cumsum": lambda u: np.cumsum(u[2:]) + u[:-2] * X[2:],
    "dtype": lambda u: np.concatenate([u[1:], u[:1]], dtype="longdouble") * u,
    "convolve": lambda u: np.convolve(u, [1.0, 2.0], mode="same") * np.roll(u, 1),
    "product": lambda u: (C.T @ grid(u)).ravel() + np.tile(u[:5], 5),
    "edge": lambda u: np.pad(u, 1, mode="edge")[2:] * u,
    "pad by statistic": lambda u: np.pad(u[1:], (1, 0), mode="mean") + u,
    "single": lambda u: u * u[0] + np.roll(u, 1),
}


@pytest.mark.parametrize("name", NOTED)
def test_functions_that_move_entries(name: str) -> None:
    require_right(NOTED[name], X, is_noted=True)


@pytest.mark.parametrize("name", COMPUTED)
def test_functions_that_do_more_are_computed_along_directions(name: str) -> None:
    require_right(COMPUTED[name], X, is_noted=False)


def step(rng: np.random.Generator, a: Any, b: Any) -> Any:
    """An array of a grid's shape, made of two others by one of many functions."""
    shift, axis = int(rng.integers(-6, 7)), int(rng.integers(-2, 2))
    steps: list[Callable[[], Any]] = [
        lambda: np.roll(a, shift, axis),
        lambda: a + b,
        lambda: a - np.roll(b, shift, axis=axis) * C,
        lambda: 0.5 * a * b,
        lambda: a / (2.0 + b * b),
        lambda: np.pad(a, 1)[2:, 1:-1] - b,
        lambda: np.concatenate([b[1:], a[:1]]),
        lambda: np.where(C > 0, a, -b),
        lambda: a.ravel()[ORDER].reshape(a.shape),
        lambda: a[EDGES[0] % ROWS][:ROWS] * b[:, REPEATED],
        lambda: np.stack([a, b], axis=2)[:, :, shift % 2],
        lambda: np.flip(a.T).reshape(a.shape) * 0.3,
        lambda: np.sin(a) + b,
        lambda: np.concatenate([np.diff(a, axis=1), b[:, :1]], axis=1),
        lambda: np.cumsum(a, axis=axis) * 0.1,
        lambda: np.maximum(a, b),
    ]
    return steps[rng.integers(len(steps))]()


@pytest.mark.one_in(5)
@pytest.mark.parametrize("seed", range(100))
def test_random_programs(seed: int) -> None:
    def program(u: Any) -> Any:
        rng = np.random.default_rng(seed)
        values = [grid(u)]
        for _ in range(8):
            a, b = (values[rng.integers(len(values))] for _ in range(2))
            values.append(step(rng, a, b))
        return sum(values[-3:]).ravel()

    derivative = jacobian(program, sparse=True)
    for point in (X, 0.5 * X + 0.1):
        found = derivative(point).toarray()
        size = 1 + np.abs(found).max()
        np.testing.assert_allclose(found, jacobian(program)(point), rtol=1e-10, atol=1e-11 * size)
        np.testing.assert_allclose(found, differences(program, point), rtol=1e-4, atol=1e-5 * size)

    def energy(u: Any) -> Any:
        return 0.5 * np.sum(program(u) ** 2)

    derivative = hessian(energy, sparse=True)
    for point in (X, 0.5 * X + 0.1):
        found, expected = derivative(point).toarray(), hessian(energy)(point)
        size = 1 + np.abs(expected).max()
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-11 * size)


def test_the_moves_of_a_second_call_are_those_of_the_first() -> None:
    function = NOTED["pad"]
    pattern = sparsity(function, X)
    derivative = jacobian(function, sparse=pattern)
    derivative(X)
    (roots,) = pattern.moves.roots.values()
    known = moves_after(roots[0])
    derivative(2.0 * X)
    assert len(known) > 3
    assert moves_after(roots[0]) == known


def moves_after(move: Move) -> list[Move]:
    """All moves that are known from one on."""
    return [move, *[one for after in move.after.values() for one in moves_after(after)]]


def test_moves_that_differ_each_time_are_let_go() -> None:
    rng = np.random.default_rng(1)
    everything = Sparsity(np.ones((SIZE, SIZE)))
    derivative = jacobian(lambda u: u[order] * X, sparse=everything)
    for k in range(2 * MOST):
        order = rng.permutation(SIZE)
        expected = np.zeros((SIZE, SIZE))
        expected[np.arange(SIZE), order] = X
        np.testing.assert_array_equal(derivative(X).toarray(), expected)
        (roots,) = everything.moves.roots.values()
        assert len(moves_after(roots[0])) <= MOST + 2
        assert everything.moves.serve or k > MOST // 2


def test_numbers_that_differ_each_time_are_kept_up_to_a_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sums, "MOST_KEPT", 20)
    numbers = [1.0, 1.0]

    def function(u: Any) -> Any:
        return numbers[0] * np.roll(u, 1) - u / numbers[1] + np.roll(numbers[1] * u, 2)

    pattern = sparsity(function, X)
    derivative = jacobian(function, sparse=pattern)
    for numbers[0] in (1, 2.0, 0.0, -0.0, *RNG.normal(size=20), 2.0):
        for numbers[1] in (4.0, -2.0, 4, 0.5):
            np.testing.assert_array_equal(derivative(X).toarray(), jacobian(function)(X))
    assert pattern.moves.misses == 0
    assert 0 < pattern.moves.held[1] <= 20


def test_a_value_that_is_not_finite_does_not_spoil_later_calls() -> None:
    function = NOTED["divided"]
    pattern = sparsity(function, X)
    derivative = jacobian(function, sparse=pattern)
    with np.errstate(all="ignore"):
        derivative(np.full(SIZE, np.inf))
    np.testing.assert_allclose(derivative(X).toarray(), jacobian(function)(X), rtol=1e-12)
    assert pattern.moves.misses == 0


def test_positions_may_be_overwritten_between_calls() -> None:
    order = np.arange(SIZE)
    derivative = jacobian(lambda u: u[order] * X, sparse=Sparsity(np.ones((SIZE, SIZE))))
    np.testing.assert_array_equal(derivative(X).toarray(), np.diag(X))
    order[1:3] = 2, 1
    expected = np.diag(X)
    expected[1:3] = expected[1:3][:, np.r_[0, 2, 1, 3:SIZE]]
    np.testing.assert_array_equal(derivative(X).toarray(), expected)


def test_arguments_and_results_in_containers() -> None:
    def function(parts: Any) -> Any:
        u, v = parts["u"], parts["v"]
        return [np.roll(u, 1) * v[:3], np.concatenate([v, u])]

    point = {"u": X[:3], "v": X[5:10]}
    pattern = sparsity(function, point)
    found = jacobian(function, sparse=pattern)(point).toarray()
    assert pattern.moves.misses == 0
    joined = np.concatenate([X[:3], X[5:10]])

    def flat(x: np.ndarray) -> Any:
        return np.concatenate(function({"u": x[:3], "v": x[3:]}))

    np.testing.assert_allclose(found, differences(flat, joined), atol=1e-8)


def test_several_arguments() -> None:
    def function(u: Any, v: Any) -> Any:
        return u[1:] * v - np.concatenate([v[:2], u[2:-1]])

    u, v = X[:6], X[6:11]
    found = jacobian(function, argnums=(0, 1), sparse=True)(u, v).toarray()
    expected = differences(lambda x: function(x[:6], x[6:]), X[:11])
    np.testing.assert_allclose(found, expected, atol=1e-8)


def test_matrices_by_rows_and_of_more_places_than_a_small_integer_counts() -> None:
    x = np.arange(1.0, 60_001.0)
    pattern = sparsity(np.square, x)
    pattern._colouring = Colouring(
        np.zeros(len(x), np.intp), False
    )  # in reverse, where forward is as good
    found = jacobian(np.square, sparse=pattern)(x)
    assert pattern.moves.misses == 0
    np.testing.assert_array_equal(found.data, 2.0 * x)
    np.testing.assert_array_equal(found.indices, np.arange(len(x)))


def test_matrices_whose_rows_are_long_and_whose_columns_are_short() -> None:
    pattern = sparsity(lambda u: u.reshape(5, 4).sum(axis=0) ** 2, X)
    assert not pattern.by_columns
    found = jacobian(lambda u: u.reshape(5, 4).sum(axis=0) ** 2, sparse=pattern)(X).toarray()
    expected = differences(lambda u: u.reshape(5, 4).sum(axis=0) ** 2, X)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_in_place_code() -> None:
    def function(u: Any) -> Any:
        y = tnp.zeros_like(u)
        y[1:-1] = u[2:] - u[:-2] * X[1:-1]
        y[0] = u[0]
        y *= 2.0
        return y

    require_right(function, X, is_noted=False)


ENERGIES: dict[str, tuple[Function, bool]] = {
    "chain": (lambda u: np.sum((u[1:] - u[:-1] ** 2) ** 2) - 0.5 * np.sum(np.cos(u)), True),
    "numbers": (lambda u: 1.0 - (2.0 * (u * u * u).sum() + 1.0) / 4.0, True),
    "differences": (lambda u: np.sum(np.exp(np.diff(grid(u), axis=0)[:, :-1])), True),
    "padded": (lambda u: np.sum(np.diff(on_rim(u), n=2) ** 4), True),
    "positions": (lambda u: np.sum(np.sin(u[ORDER[:15]] * u[ORDER[5:]])), True),
    "edges": (lambda u: np.sum((u[EDGES[0]] - u[EDGES[1]]) ** 4) + np.sum(u**3), True),
    "edges of rows": (lambda u: np.sum((grid(u)[[0, 1, -1]] - grid(u)[[1, 2, 1]]) ** 4), True),
    "edges of a grid": (lambda u: np.sum(np.cos(grid(u)[EDGES[0] % 4, EDGES[1] % 5])), True),
    "hub": (lambda u: np.sum((u[np.zeros(80, int)] - u[np.arange(80) % 20]) ** 4), False),
    "no edges": (lambda u: np.sum(u[EDGES[0][:0]] ** 2) + np.sum(u**3), False),
    "mask": (lambda u: np.sum(u[X > 0] ** 3), True),
    "squared sum": (lambda u: np.sum(np.sin(u)) ** 2, False),
    "product of sums": (lambda u: np.sum(u**3) * np.sum(u[:5] ** 2), False),
    "sums of rows": (lambda u: np.sum(np.sum(grid(u) ** 3, axis=1) ** 2), False),
    "few entries": (lambda u: u[0] * u[1] ** 2 + u[3] * u[4] ** 3, False),
    "written": (lambda u: np.sum(square_written(u) ** 2), False),
}


def square_written(u: Any) -> Any:
    """Squares in an array of the program's own."""
    made = tnp.zeros(SIZE)
    made[1:] = u[:-1] ** 2
    return made


@pytest.mark.parametrize("name", ENERGIES)
def test_hessians(name: str) -> None:
    energy, is_noted = ENERGIES[name]
    pattern = sparsity(grad(energy), X, symmetric=True)
    derivative = hessian(energy, sparse=pattern)
    for point in (X, 0.5 - X, 2.0 * X):
        found = derivative(point).toarray()
        size = 1 + np.abs(found).max()
        np.testing.assert_allclose(found, hessian(energy)(point), rtol=1e-12, atol=1e-12 * size)
        expected = differences(grad(energy), point)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6 * size)
    assert pattern.moves.misses == (0 if is_noted else MISSES)
    assert pattern.is_coloured is not is_noted  # where all is moved, no colours are needed


def test_what_is_not_in_the_pattern_is_found_where_it_counts() -> None:
    def function(u: Any) -> Any:
        return u + 3.0 * np.roll(u, 1)

    with pytest.raises(SparsityError) as raised:
        jacobian(function, sparse=Sparsity(np.eye(SIZE)))(X)
    assert raised.value.shape == (SIZE, SIZE)

    def without_neighbours(u: Any) -> Any:
        return u + np.where(X > 100, np.roll(u, 1), 0.0)

    derivative = jacobian(without_neighbours, sparse=Sparsity(np.eye(SIZE)))
    np.testing.assert_array_equal(derivative(X).toarray(), np.eye(SIZE))


def test_another_branch_is_another_pattern() -> None:
    def branching(u: Any) -> Any:
        return np.roll(u, 1) if u[0] > 0 else u * u

    derivative = jacobian(branching, sparse=True)
    for point in (np.abs(X), -np.abs(X), np.abs(X)):
        np.testing.assert_allclose(derivative(point).toarray(), jacobian(branching)(point))


def test_infinite_factors_are_left_to_strong_zeros() -> None:
    def function(u: Any) -> Any:
        return np.where(u > 0, np.sqrt(np.abs(u)), u)

    point = np.array([0.0, 4.0, -1.0])
    with np.errstate(divide="ignore"):
        found = jacobian(function, sparse=True)(point).toarray()
    np.testing.assert_array_equal(found, np.diag([1.0, 0.25, 1.0]))


def test_the_matrix_belongs_to_the_caller() -> None:
    derivative = jacobian(NOTED["slices"], sparse=True)
    first = derivative(X)
    expected = first.toarray()
    for part in (first.data, first.indices, first.indptr):
        part[:] = 0
    np.testing.assert_array_equal(derivative(X).toarray(), expected)


def test_patterns_with_moves_can_be_pickled() -> None:
    function = NOTED["roll"]
    pattern = sparsity(function, X)
    expected = jacobian(function, sparse=pattern)(X).toarray()
    again = pickle.loads(pickle.dumps(pattern))
    assert isinstance(again.moves, Moves)
    assert not again.moves.roots
    np.testing.assert_array_equal(jacobian(function, sparse=again)(X).toarray(), expected)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (1, np.int64(2)),
        (slice(1), slice(2)),
        ((1, None), (1, ...)),
        ((1,), [1]),
        (np.array([1, 2]), np.array([1, 3])),
        (np.array([0, 1]), np.array([False, True])),
        (np.array([1, 2, 3]), np.array([1, 2, 3, 3])),
    ],
    ids=str,
)
def test_calls_are_told_apart(one: Any, other: Any) -> None:
    assert key_of(one) == key_of(one)
    assert hash(key_of(one)) == hash(key_of(one))
    assert key_of(one) != key_of(other)
