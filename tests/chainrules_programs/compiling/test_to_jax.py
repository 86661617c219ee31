"""Programs by XLA: the numbers of the tape, other branches, errors that NumPy raises."""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import compiled, grad, hessian, value_and_grad, vmap

pytest.importorskip("jax")
X = np.array([0.5, -1.0, 2.0])


def loss(p):
    hidden = np.tanh(p["w"] @ p["w"].T)
    return np.sum(np.where(hidden > 0.1, hidden, hidden**2)) + p["b"]


def written(x):
    y = tnp.zeros(4)
    y[1:] = x * x
    y[:2] += 3.0
    return np.sum(np.sin(y) * y[::-1])


PARAMETERS = {"w": np.linspace(-1.0, 1.0, 6).reshape(3, 2), "b": 0.3}
CALLS = [
    (value_and_grad(loss), (PARAMETERS,)),
    (grad(written), (X,)),
    (hessian(lambda x: np.sum(np.exp(x) * np.cumsum(x))), (X,)),
    (grad(lambda x: np.linalg.slogdet(np.outer(x, x) + np.eye(3))[1]), (X,)),
    (value_and_grad(lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2)), (X,)),
    (value_and_grad(lambda x: np.sum(x[np.array([0, 2, 2])] ** 3)), (X.astype(np.float32),)),
]


def leaves(x):
    if isinstance(x, tuple):
        return [leaf for part in x for leaf in leaves(part)]
    return [leaf for key in sorted(x) for leaf in leaves(x[key])] if isinstance(x, dict) else [x]


def agree(one, other):
    for a, b in zip(leaves(one), leaves(other), strict=True):
        assert type(a) is type(b)
        assert np.result_type(a) == np.result_type(b)
        assert np.allclose(a, b, rtol=1e-6 if np.result_type(b) == np.float32 else 1e-12)


@pytest.mark.parametrize(("function", "args"), CALLS)
def test_numbers_of_the_tape(function, args):
    step = compiled(function, to="jax")
    step.prepare(*args)
    assert step.reasons == []  # no program of NumPy's in its place
    agree(step(*args), function(*args))


def test_other_numbers_and_results_that_can_be_written():
    step = compiled(grad(written), to="jax")
    for k in range(4):
        found = step(k * X + 1)
        agree(found, grad(written)(k * X + 1))
        found[0] = 0.0


def test_branches():
    function = grad(lambda x: np.sum(x * x) if x[0] > 0 else np.sum(np.sin(x)))
    step = compiled(function, to="jax")
    for x in (X, X, -X, -X, X, -X):
        agree(step(x), function(x))
    assert step.count_of_programs() == 2


def test_captured_values():
    weights = np.ones(3)
    function = grad(lambda x: np.sum(weights * x * x))
    step = compiled(function, to="jax")
    step.prepare(X)
    weights[:] = 5.0
    agree(step(X), function(X))


def test_a_bound_of_a_slice_that_is_an_object():
    class Bound:
        value = 1

        def __index__(self):
            return self.value

    part = slice(0, Bound())
    function = grad(lambda x: np.sum(x[part] ** 2))
    step = compiled(function, to="jax")
    for value in (1, 1, 3):
        Bound.value = value
        agree(step(X), function(X))


def test_positions_outside():
    step = compiled(lambda x, k: np.sum(x[k]), to="jax")
    step.prepare(X, np.array([0, 1]))
    assert step(X, np.array([2, 2])) == 4.0
    with pytest.raises(IndexError):
        step(X, np.array([0, 3]))


def test_singular_matrices():
    step = compiled(lambda a: np.linalg.inv(a), to="jax")
    step.prepare(np.eye(2))
    with pytest.raises(np.linalg.LinAlgError):
        step(np.zeros((2, 2)))


def test_strong_zeros():
    function = grad(lambda x: np.sum(np.where(x > 0, np.sqrt(np.abs(x)), 0.0)))
    step = compiled(function, to="jax")
    step.prepare(X)
    with np.errstate(all="ignore"):
        agree(step(np.array([0.0, 1.0, 4.0])), function(np.array([0.0, 1.0, 4.0])))


def test_what_xla_cannot_do_runs_in_numpy():
    function = grad(lambda x: np.sum(x[x > 0] ** 2))
    step = compiled(function, to="jax")
    for _ in range(3):
        agree(step(X), function(X))
    assert step.count_of_programs() == 1
    assert 'to="numpy"' in step.explain()


def writing(x):
    y = tnp.zeros((4, 3))
    y[1:3] = x[:2]
    y[:, 1] += x[:, 0]
    y[::2, 2] = 3.0 * x[0, :2]
    y[3, ...] = x[1]
    y.T[0, 1:] *= 2.0
    y[y > 1.0] = 0.5
    return np.sum(np.sin(y) * y[:, ::-1])


def test_writes_into_views():
    x = np.linspace(-1.0, 2.0, 12).reshape(4, 3)
    step = compiled(value_and_grad(writing), to="jax")
    step.prepare(x)
    assert step.reasons == []
    for scale in (1.0, 0.3, -2.0):
        agree(step(scale * x), value_and_grad(writing)(scale * x))


def test_products_with_ones_are_sums():
    function = value_and_grad(lambda x: np.sum(np.tanh(np.ones(4) @ x) + x @ np.ones(3) @ x))
    step = compiled(function, to="jax")
    x = np.linspace(-1.0, 2.0, 12).reshape(4, 3)
    step.prepare(x)
    assert step.reasons == []
    agree(step(2.0 * x), function(2.0 * x))


def test_nan_without_pullbacks_is_left_to_numpy():
    step = compiled(lambda x: np.log(x), to="jax")
    step.prepare(X**2 + 1.0)
    with pytest.warns(RuntimeWarning, match="invalid value"):
        assert np.isnan(step(X)[1])


def reading(table, rows, others):
    first = np.tanh(table[rows])
    second = table[others] ** 2
    return np.sum(first * second) + np.sum(table[rows[:2]] ** 3)


def test_sums_of_many_reads():
    rows, others = np.array([0, 3, 3, 1]), np.array([2, 2, 0, 3])
    function = value_and_grad(lambda table: reading(table, rows, others))
    step = compiled(function, to="jax")
    table = np.linspace(-1.0, 1.0, 20).reshape(4, 5)
    step.prepare(table)
    assert step.reasons == []
    agree(step(0.7 * table), function(0.7 * table))
    # positions change: they are constants of a program, which does not serve any more
    rows[:] = [1, 1, 2, 0]
    agree(step(table), function(table))


def adding(x):
    y = tnp.zeros(4)
    np.add.at(y, np.array([0, 2, 2]), x)
    y[1:] += y[:3]  # what was added is read, and added to
    np.add.at(y, np.array([3, 3, 1]), x * y[2])
    y[0] = y[3]
    np.add.at(y, np.array([0, 0, 0]), x)
    return np.sum(np.sin(y) * np.arange(4.0))


def test_sums_between_reads_and_writes():
    step = compiled(adding, to="jax")
    step.prepare(X)
    assert step.reasons == []
    agree(step(2.0 * X), adding(2.0 * X))


RNG = np.random.default_rng(0)
STACKS = [RNG.normal(size=(5, n, n)) + 2 * np.eye(n) for n in (1, 2, 3, 4)]
STACKS += [STACKS[2] + 1j * RNG.normal(size=(5, 3, 3)), STACKS[1][0].astype(np.float32)]


@pytest.mark.parametrize("stack", STACKS, ids=lambda x: f"{x.dtype}{x.shape}")
def test_inverses_of_small_matrices(stack):
    step = compiled(lambda a: np.linalg.inv(a), to="jax")
    step.prepare(stack)
    assert step.reasons == []
    found = step(stack)
    size = stack.shape[-1]
    np.testing.assert_allclose(found @ stack, np.broadcast_to(np.eye(size), stack.shape), atol=1e-5)
    np.testing.assert_allclose(found, np.linalg.inv(stack), rtol=1e-5 if size == 2 else 1e-12)
    with pytest.raises(np.linalg.LinAlgError):
        step(0 * stack)


PRODUCTS = [
    ((4, 1), (1, 5)),
    ((4, 3), (3, 5)),
    ((6, 4, 2), (6, 2, 5)),
    ((2, 1, 4, 3), (6, 3, 1)),
    ((4, 3), (7, 3, 5)),
    ((7, 4, 9), (9,)),
    ((9,), (7, 9, 4)),
    ((3, 0), (0, 2)),
    ((7, 40), (40, 5)),
]


@pytest.mark.parametrize("shapes", PRODUCTS, ids=str)
def test_products_of_matrices(shapes):
    first, second = (RNG.normal(size=shape) for shape in shapes)
    step = compiled(lambda a, b: a @ b, to="jax")
    step.prepare(first, second)
    np.testing.assert_allclose(step(first, second), first @ second, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("count", [1, 2, 9, 16, 17, 100])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
def test_sums_by_vectors_of_ones(count, dtype):
    ones = np.ones(count, np.float32 if dtype is np.float32 else np.float64)
    x = RNG.normal(size=(6, count)).astype(dtype)
    step = compiled(lambda a: (a @ ones, ones @ a.T), to="jax", frozen=("ones",))
    step.prepare(x)
    tolerance = 1e-5 if dtype is np.float32 else 1e-12
    for found in step(x):
        assert found.dtype == dtype
        np.testing.assert_allclose(found, np.sum(x, axis=1), rtol=tolerance, atol=tolerance)


def test_second_derivatives_at_many_points():
    points = np.eye(3) + 0.1 * RNG.normal(size=(50, 3, 3))

    def energy(f):
        log_j = np.log(np.linalg.det(f))
        return np.sum(f * f) - log_j + log_j * log_j

    second = vmap(hessian(energy))
    step = compiled(second, to="jax")
    step.prepare(points)
    assert step.reasons == []
    np.testing.assert_allclose(step(points), second(points), rtol=1e-10, atol=1e-10)
