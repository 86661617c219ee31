"""Compiled sparse Jacobians and Hessians, against dense ones and differences at other numbers."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import chainrules_tape.numpy as tnp
from chainrules_programs.compiling.compile import settings
from chainrules_tape import (
    InputError,
    Sparsity,
    SparsityError,
    compiled,
    grad,
    hessian,
    jacobian,
    sparsity,
)

SIZE = 8
CALLS = 4  # the first two are recorded


@pytest.fixture(autouse=True)
def faults_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a program raise what its function does not raise."""
    monkeypatch.setattr(settings, "faults_raise", True)


def points(seed: int, size: int = SIZE, count: int = CALLS) -> Any:
    """Some points, one for each call."""
    return np.random.default_rng(seed).normal(size=(count, size))


def differences(function: Any, x: Any) -> Any:
    """The Jacobian by central differences."""
    steps = 1e-6 * np.eye(len(x))
    return np.stack([(function(x + e) - function(x - e)) / 2e-6 for e in steps], axis=1)


def heat(u: Any) -> Any:
    return np.concatenate([u[:1], u[2:] - 2.0 * u[1:-1] + u[:-2], u[-1:] ** 2])


def brusselator(w: Any) -> Any:
    u, v = w.reshape(2, -1)
    a = u * u * v
    around = [np.roll(x, 1) - 2.0 * x + np.roll(x, -1) for x in (u, v)]
    return np.stack([1.0 + a - 4.0 * u + 0.1 * around[0], 3.0 * u - a + 0.1 * around[1]]).ravel()


def linear(x: Any) -> Any:
    return np.diff(x, 2)


def in_place(x: Any) -> Any:
    y = tnp.zeros(x.shape)
    y[1:] = x[1:] * x[:-1]
    y[0] = np.sin(x[0])
    return y


def divided(x: Any) -> Any:
    return np.exp(x[1:]) / (2.0 + x[:-1] ** 2) + x[:-1] / x[1:] - x[1:] / 4.0


def chosen(x: Any) -> Any:
    return np.where(x > 0, x * np.roll(x, 1), 3.0 * np.roll(x, 2)) + np.maximum(x, 0.1)


def with_full_row(x: Any) -> Any:
    return np.concatenate([[np.sum(x**2)], x * np.roll(x, 1)])


def arrow(x: Any) -> Any:
    return np.concatenate([[np.sum(np.sin(x) * x)], x[0] * x[1:] ** 2])


def several_factors(x: Any) -> Any:
    y = np.roll(x, 1) * x
    return np.roll(y, -1) * x + y * np.roll(x, -1) + np.arange(1.0, SIZE + 1) * x


def with_sums(x: Any) -> Any:
    return np.cumsum(x) * x


def sorted_entries(x: Any) -> Any:
    return np.sort(x) * x


PROGRAMS = [
    *(heat, brusselator, linear, in_place, divided, chosen, with_full_row, several_factors),
    *(with_sums, sorted_entries, arrow),
]


@pytest.mark.parametrize("to", ["numpy", "jax"])
@pytest.mark.parametrize("function", PROGRAMS)
def test_jacobians(function: Any, to: str) -> None:
    if to == "jax":
        pytest.importorskip("jax")
    derivative = compiled(jacobian(function, sparse=True), to=to)
    for x in points(0, 40 if function is arrow else SIZE):
        found = derivative(x)
        assert isinstance(found, sparse.csr_array)
        assert found.has_canonical_format
        np.testing.assert_allclose(found.toarray(), jacobian(function)(x), 1e-12, 1e-13)
        np.testing.assert_allclose(found.toarray(), differences(function, x), 1e-4, 1e-6)
        found.data[:], found.indices[:], found.indptr[1:] = 0, 0, 0  # it is the caller's
    if function is not sorted_entries:  # which has another order each time
        assert derivative.count_of_programs() == 1, derivative.explain()


def rosenbrock(x: Any) -> Any:
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def arrow_and_chain(x: Any) -> Any:
    return np.sum(np.sin(x[0] * x[1:])) + np.sum((x[2:] - x[1:-1]) ** 4)


def quadratic(x: Any) -> Any:
    return np.sum(x[1:] * x[:-1])


def edges(x: Any) -> Any:
    """Entries at positions that repeat."""
    ends = np.arange(40) % SIZE
    return np.sum(np.cos(x[ends] * x[(ends * 3 + 1) % SIZE])) + np.sum(x**4)


def rims(x: Any) -> Any:
    return np.sum(np.sqrt(1.0 + np.diff(np.pad(x, 2), n=2) ** 2))


@pytest.mark.parametrize("to", ["numpy", "jax"])
@pytest.mark.parametrize("function", [rosenbrock, arrow_and_chain, quadratic, edges, rims])
def test_hessians(function: Any, to: str) -> None:
    if to == "jax":
        pytest.importorskip("jax")
    derivative = compiled(hessian(function, sparse=True), to=to)
    for x in points(1):
        found = derivative(x).toarray()
        np.testing.assert_allclose(found, hessian(function)(x), 1e-10, 1e-11)
        np.testing.assert_allclose(found, differences(grad(function), x), 1e-4, 1e-4)
    assert derivative.count_of_programs() == 1, derivative.explain()


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_other_shapes_and_modes(mode: Any) -> None:
    derivative = compiled(jacobian(heat, sparse=True, mode=mode))
    for size in (5, 9, 5, 9, 9, 5, 6):
        (x,) = points(size, size, 1)
        np.testing.assert_allclose(derivative(x).toarray(), jacobian(heat)(x), 1e-12)
    assert derivative.count_of_programs() == 2, derivative.explain()


def test_a_branch_has_its_own_pattern() -> None:
    def program(x: Any) -> Any:
        return x * np.roll(x, 1) if np.sum(x) > 0 else np.sin(x)

    derivative = compiled(jacobian(program, sparse=True))
    for x in points(2, count=16):
        np.testing.assert_allclose(derivative(x).toarray(), jacobian(program)(x), 1e-12)
    assert derivative.count_of_programs() == 2, derivative.explain()


def test_what_a_function_captures_may_change() -> None:
    scale, order, factor = np.arange(1.0, SIZE + 1), np.arange(SIZE), 2.0
    where = np.arange(SIZE) % 2 == 0

    def program(x: Any) -> Any:
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


def test_numbers_and_arrays_as_other_arguments() -> None:
    def program(t: Any, x: Any, p: Any) -> Any:
        return t * x * np.roll(x, 1) / p["k"] + p["a"] * x - t

    derivative = compiled(jacobian(program, argnums=1, sparse=True))
    several = compiled(jacobian(program, argnums=("x", "t"), sparse=True))
    for k, x in enumerate(points(4)):
        p = {"k": 1.5 + k, "a": np.arange(SIZE) + k}
        dense = jacobian(program, argnums=("x", "t"))(0.5 + k, x=x, p=p)
        np.testing.assert_allclose(derivative(0.5 + k, x, p).toarray(), dense[0], 1e-12, 1e-13)
        found = several(t=0.5 + k, x=x, p=p).toarray()
        np.testing.assert_allclose(found, np.column_stack(dense), 1e-12, 1e-13)
    assert derivative.count_of_programs() == several.count_of_programs() == 1


@pytest.mark.parametrize("function", [with_sums, heat])
def test_a_pattern_that_does_not_hold_is_refused(function: Any) -> None:
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


def test_a_program_asks_whether_its_pattern_holds() -> None:
    def program(x: Any) -> Any:
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


def test_an_infinite_entry_hides_no_missing_one() -> None:
    def program(x: Any) -> Any:
        return np.stack([np.sqrt(x[0]), x[1] * np.maximum(x[2], 0.0)])

    derivative = compiled(jacobian(program, sparse=Sparsity([[1, 0, 0], [0, 1, 0]])))
    for k in range(CALLS):
        derivative(np.array([1.0 + k, 2.0, -3.0]))
    assert derivative.count_of_programs() == 1, derivative.explain()
    with np.errstate(divide="ignore"), pytest.raises(SparsityError):
        derivative(np.array([0.0, 2.0, 3.0]))


def test_a_matrix_has_no_text_and_is_compiled() -> None:
    derivative = compiled(jacobian(heat, sparse=True))
    with pytest.raises(InputError, match="a method has no text; call the function: it needs"):
        derivative.source(points(8)[0])
    for x in points(8):
        derivative(x)
    assert derivative.count_of_programs() == 1, derivative.explain()


def test_zero_times_infinity_is_as_on_the_tape() -> None:
    def program(x: Any) -> Any:
        return np.where(x > 0, np.sqrt(np.maximum(x, 0.0)), 0.0) * np.roll(x, 1)

    derivative = compiled(jacobian(program, sparse=True))
    with np.errstate(divide="ignore"):
        for x in (*points(7), np.array([0.0, 1.0, 0.0, 2.0, -1.0, 3.0, 0.0, 0.0])):
            expected = jacobian(program, sparse=True)(x).toarray()
            np.testing.assert_array_equal(derivative(x).toarray(), expected)


def step_of(rng: np.random.Generator) -> Any:
    """One operation on two values, with what it captures."""
    c, order, number = rng.normal(size=SIZE), rng.permutation(SIZE), rng.normal()
    mask, shift = rng.integers(0, 2, SIZE) == 1, int(rng.integers(1, SIZE))
    steps = [
        lambda a, b: a + b * number,
        lambda a, b: a - b / (2.0 + np.cos(a)),
        lambda a, b: 0.5 * a * b,
        lambda a, b: c * a - np.sin(b),
        lambda a, b: np.roll(a, shift) + 2 * b,
        lambda a, b: np.concatenate([a[shift:], b[:shift]]),
        lambda a, b: a[order] / 4,
        lambda a, b: np.where(mask, a, b),
        lambda a, b: np.where(a > number, b[::-1], 0.0),
        lambda a, b: np.pad(np.diff(a * b), (0, 1)),
        lambda a, b: np.maximum(a, b),
        lambda a, b: np.cumsum(a) * number,
        lambda a, b: a * np.sum(b) if np.sum(a) > number else np.tanh(b),
    ]
    return steps[rng.integers(len(steps))]


def random_program(seed: int) -> Any:
    """A program of a few operations on vectors."""
    rng = np.random.default_rng(seed)
    chain = [(step_of(rng), *map(int, rng.integers(0, k + 1, 2))) for k in range(8)]

    def program(x: Any) -> Any:
        values = [x]
        for step, first, second in chain:
            values.append(step(values[first], values[second]))
        return values[-1] + values[-2]

    return program


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int) -> None:
    program = random_program(seed)
    derivative = compiled(jacobian(program, sparse=True))
    energy = compiled(hessian(lambda x: np.sum(program(x) * x), sparse=True))
    for x in points(seed, count=6):
        dense = jacobian(program)(x)
        np.testing.assert_allclose(derivative(x).toarray(), dense, 1e-9, 1e-10)
        second = hessian(lambda x: np.sum(program(x) * x))(x)
        np.testing.assert_allclose(energy(x).toarray(), second, 1e-8, 1e-8)
    # six calls may all take other branches
    assert all("branch" in reason for reason in derivative.reasons + energy.reasons), seed
