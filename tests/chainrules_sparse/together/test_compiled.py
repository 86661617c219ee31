"""Compiled sparse Jacobians and Hessians: how many programs, what they ask of a pattern, what they refuse."""

import numpy as np
import pytest
from scipy import sparse

from chainrules_programs.compiling.compile import settings
from chainrules_tape import (
    InputError,
    Sparsity,
    SparsityError,
    compiled,
    hessian,
    jacobian,
    sparsity,
)
from small_programs import arrow, rosenbrock

SIZE = 8
CALLS = 4  # the first two are recorded


@pytest.fixture(autouse=True)
def faults_raise(monkeypatch: pytest.MonkeyPatch):
    """Let a program raise what its function does not raise."""
    monkeypatch.setattr(settings, "faults_raise", True)


def points(seed: int, size: int = SIZE, count: int = CALLS):
    """Some points, one for each call."""
    return np.random.default_rng(seed).normal(size=(count, size))


def heat(u):
    return np.concatenate([u[:1], u[2:] - 2.0 * u[1:-1] + u[:-2], u[-1:] ** 2])


def linear(x):
    return np.diff(x, 2)


def with_sums(x):
    return np.cumsum(x) * x


@pytest.mark.parametrize("to", ["numpy", "jax"])
@pytest.mark.parametrize(
    ("derive", "function"),
    [(jacobian, heat), (jacobian, arrow), (jacobian, linear), (hessian, rosenbrock)],
)
def test_one_program_for_all_calls(derive, function, to: str):
    if to == "jax":
        pytest.importorskip("jax")
    derivative = compiled(derive(function, sparse=True), to=to)
    for x in points(0, 40):
        found = derivative(x)
        assert isinstance(found, sparse.csr_array)
        assert found.has_canonical_format
        np.testing.assert_allclose(found.toarray(), derive(function)(x), 1e-10, 1e-11)
        found.data[:], found.indices[:], found.indptr[1:] = 0, 0, 0  # it is the caller's
    assert derivative.count_of_programs() == 1, derivative.explain()


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_other_shapes_and_modes(mode):
    derivative = compiled(jacobian(heat, sparse=True, mode=mode))
    for size in (5, 9, 5, 9, 9, 5, 6):
        (x,) = points(size, size, 1)
        np.testing.assert_allclose(derivative(x).toarray(), jacobian(heat)(x), 1e-12)
    assert len(derivative.programs()) == 2, derivative.explain()


def test_a_branch_has_its_own_pattern():
    def program(x):
        return x * np.roll(x, 1) if np.sum(x) > 0 else np.sin(x)

    derivative = compiled(jacobian(program, sparse=True))
    for x in points(2, count=16):
        np.testing.assert_allclose(derivative(x).toarray(), jacobian(program)(x), 1e-12)
    assert derivative.count_of_programs() == 2, derivative.explain()


def test_what_a_function_captures_may_change():
    scale, order, factor = np.arange(1.0, SIZE + 1), np.arange(SIZE), 2.0
    where = np.arange(SIZE) % 2 == 0

    def program(x):
        return np.where(where, scale * x[order] * x, factor * x + np.outer(scale, scale) @ x)

    derivative = compiled(jacobian(program, sparse=True))
    rng = np.random.default_rng(3)
    for k, x in enumerate(points(3, count=30)):
        np.testing.assert_allclose(derivative(x).toarray(), jacobian(program)(x), 1e-12, 1e-13)
        if k % 3 == 2:
            order[:], factor = rng.permutation(SIZE), rng.normal()
            scale[:] = rng.normal(size=SIZE)
        if k % 7 == 6:
            where[:] = rng.integers(0, 2, SIZE)
    assert derivative.count_of_programs()


@pytest.mark.parametrize("function", [with_sums, heat])
def test_a_pattern_that_does_not_hold_is_refused(function):
    known = sparsity(function, np.ones(SIZE))
    derivative = compiled(jacobian(function, sparse=known))
    for x in points(5):
        np.testing.assert_allclose(derivative(x).toarray(), jacobian(function)(x), 1e-12)
    lacking = known.pattern.tolil()
    lacking[3, 3] = False
    derivative = compiled(jacobian(function, sparse=Sparsity(lacking)))
    for x in points(6):
        with pytest.raises(SparsityError):
            derivative(x)


def test_a_program_asks_whether_its_pattern_holds():
    def program(x):
        return np.cumsum(np.maximum(x, 0.0) * np.roll(x, 1))  # of which nothing is moved

    x = np.array([1.0, 2.0, 3.0, 4.0])
    negative = Sparsity(jacobian(program)(np.array([-1.0, 2.0, 3.0, 4.0])))
    derivative = compiled(jacobian(program, sparse=negative))
    for k in range(CALLS):
        y = np.array([-1.0 - k, 2.0, 3.0, 4.0])
        np.testing.assert_allclose(derivative(y).toarray(), jacobian(program)(y), 1e-12)
    assert derivative.count_of_programs() == 1, derivative.explain()
    with pytest.raises(SparsityError):
        derivative(x)


def test_an_infinite_entry_hides_no_missing_one():
    def program(x):
        return np.stack([np.sqrt(x[0]), x[1] * np.maximum(x[2], 0.0)])

    derivative = compiled(jacobian(program, sparse=Sparsity([[1, 0, 0], [0, 1, 0]])))
    for k in range(CALLS):
        derivative(np.array([1.0 + k, 2.0, -3.0]))
    assert derivative.count_of_programs() == 1, derivative.explain()
    with np.errstate(divide="ignore"), pytest.raises(SparsityError):
        derivative(np.array([0.0, 2.0, 3.0]))


def test_a_matrix_has_no_text_and_is_compiled():
    derivative = compiled(jacobian(heat, sparse=True))
    with pytest.raises(InputError, match="a method has no text; call the function: it needs"):
        derivative.source(points(8)[0])
    for x in points(8):
        derivative(x)
    assert derivative.count_of_programs() == 1, derivative.explain()


def test_zero_times_infinity_is_as_on_the_tape():
    def program(x):
        return np.where(x > 0, np.sqrt(np.maximum(x, 0.0)), 0.0) * np.roll(x, 1)

    derivative = compiled(jacobian(program, sparse=True))
    with np.errstate(divide="ignore"):
        for x in (*points(7), np.array([0.0, 1.0, 0.0, 2.0, -1.0, 3.0, 0.0, 0.0])):
            expected = jacobian(program, sparse=True)(x).toarray()
            np.testing.assert_array_equal(derivative(x).toarray(), expected)
