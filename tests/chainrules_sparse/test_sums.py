"""Tangents in lanes that are noted as sums, against derivatives by lanes without them."""

from typing import Any

import numpy as np
import pytest

from chainrules_py import default_rules
from chainrules_sparse import sums
from chainrules_sparse.sums import LanesOfTangents, LaneSum
from chainrules_tape import jacobian, vmap
from chainrules_tape.core.config import engine_of

SIZE = 6
X = np.random.default_rng(0).normal(size=SIZE)


@pytest.fixture(autouse=True)
def small_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    """Note sums of small arrays, too."""
    monkeypatch.setattr(sums, "LARGE", 1)


def level_of(count: int) -> LanesOfTangents:
    """Open a level of so many lanes."""
    return LanesOfTangents(engine_of(default_rules), count)


def bases(count: int = 2, lanes: int = 3) -> tuple[list[Any], list[np.ndarray]]:
    """Some handles of a level, and their arrays."""
    level = level_of(lanes)
    arrays = list(np.random.default_rng(1).normal(size=(count, lanes, SIZE)))
    return [level.handle(array) for array in arrays], arrays


def number_of_terms(x: Any) -> int:
    """How many bases a sum has."""
    return len(x.storage.terms)


def test_a_sum_is_computed_when_its_value_is_asked_for() -> None:
    (a, b), (p, q) = bases()
    c = np.arange(1.0, SIZE + 1)
    y = -(2.0 * a - b * c) / 4.0 + a + b - np.float64(3.0) * b
    assert type(y) is LaneSum
    assert number_of_terms(y) == 2
    expected = -(2.0 * p - q * c) / 4.0 + p + q - 3.0 * q
    np.testing.assert_allclose(y.value, expected, rtol=1e-13)
    assert y.shape == (SIZE,)
    assert (y.ndim, y.size, y.dtype, len(y)) == (1, SIZE, np.dtype(float), SIZE)


def test_one_base_has_one_factor() -> None:
    (a, _), (p, _) = bases()
    y = -4.0 * a + a - 3 * X * X * a
    assert number_of_terms(y) == 1
    np.testing.assert_allclose(y.value, p * (-3.0 - 3 * X * X), rtol=1e-13)


def test_the_program_may_overwrite_a_factor() -> None:
    (a, b), (p, _) = bases()
    c = X.copy()
    y = a * c + b - b
    c[:] = np.nan
    np.testing.assert_allclose(y.value, p * X, atol=1e-13)


def test_sums_that_are_used_several_times_are_computed_once() -> None:
    handles, arrays = bases(count=4)
    total = sum(handles[1:], handles[0])
    first, second = total + handles[0] * X, total - handles[1] * X
    assert total.value is total.value
    np.testing.assert_allclose(first.value, sum(arrays) + arrays[0] * X, rtol=1e-12)
    np.testing.assert_allclose(second.value, sum(arrays) - arrays[1] * X, rtol=1e-12, atol=1e-12)


def test_sums_of_many_bases_are_computed() -> None:
    handles, arrays = bases(count=2 * sums.MANY)
    total = handles[0]
    for handle in handles[1:]:
        total = total + handle
        assert number_of_terms(total) <= sums.MANY
    np.testing.assert_allclose(total.value, sum(arrays), rtol=1e-12)


def test_zero_times_infinity_is_zero() -> None:
    level = level_of(2)
    infinite = np.array([[np.inf, 1.0], [2.0, np.nan]])
    a, b = level.handle(infinite), level.handle(np.ones((2, 2)))
    y = a * np.array([0.0, 3.0]) + b
    np.testing.assert_array_equal(y.value, [[1.0, 4.0], [1.0, np.nan]])


def test_products_of_factors_that_overflow_are_not_noted() -> None:
    level = level_of(2)
    a = level.handle(np.full((2, 3), 1e-300))
    large = np.full(3, 1e200)
    np.testing.assert_allclose((a * large * large).value, 1e100)
    np.testing.assert_array_equal((a * np.inf).value, np.inf)


def test_what_is_no_sum_of_products_is_computed() -> None:
    (a, b), (p, q) = bases()
    np.testing.assert_allclose((a * b).value, p * q)
    np.testing.assert_allclose((a + X).value, p + X)
    np.testing.assert_allclose((X - a).value, X - p)
    np.testing.assert_allclose((1.0 / a).value, 1.0 / p)
    np.testing.assert_allclose((a / X).value, p / X)
    np.testing.assert_allclose((a * X[:, None]).value, p[:, None] * X[:, None])
    np.testing.assert_allclose((a * X.astype(np.float32)).value, p * X.astype(np.float32))
    np.testing.assert_allclose(np.sin(a + b).value, np.sin(p + q))
    np.testing.assert_allclose((a + b)[1:3].value, (p + q)[:, 1:3])


def test_rolled_arrays_are_added_in_pieces() -> None:
    level = level_of(3)
    p, q = np.random.default_rng(2).normal(size=(2, 3, 4, 5))
    a, b = level.handle(p), level.handle(q)
    c = np.random.default_rng(3).normal(size=(4, 5))
    y = np.roll(a, 1, 0) * c - np.roll(a, -2, axis=1) + np.roll(a, 9, -1) + 2.0 * a + b
    assert type(y) is LaneSum
    assert number_of_terms(y) == 5
    expected = np.roll(p, 1, 1) * c - np.roll(p, -2, 2) + np.roll(p, 9, 2) + 2.0 * p + q
    np.testing.assert_allclose(y.value, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("shift", [0, 1, -1, 4, 7, (1, 2)], ids=str)
@pytest.mark.parametrize("axis", [0, -1, None, (0, 1)], ids=str)
def test_rolls_of_sums_and_of_rolls(shift: Any, axis: Any) -> None:
    if type(shift) is tuple and type(axis) is not tuple:
        return
    level = level_of(2)
    p = np.random.default_rng(4).normal(size=(2, 4, 5))
    a = level.handle(p)

    def twice(x: Any) -> Any:
        return np.roll(np.roll(x + 3.0 * x, shift, axis), 1, 0)

    np.testing.assert_allclose(np.roll(a, shift, axis).value, [np.roll(x, shift, axis) for x in p])
    np.testing.assert_allclose(twice(a).value, list(map(twice, p)))


def test_zero_times_infinity_is_zero_in_rolled_arrays() -> None:
    infinite = np.array([[np.inf, 1.0], [2.0, 5.0]])
    a = level_of(2).handle(infinite)
    y = np.roll(a, 1) * np.array([3.0, 0.0])
    np.testing.assert_array_equal(y.value, [[3.0, 0.0], [15.0, 0.0]])


def moved(rng: np.random.Generator, x: Any) -> Any:
    """Entries moved, by one of several functions."""
    return [
        lambda: np.roll(x, 1),
        lambda: x[::-1],
        lambda: np.concatenate([x[2:], x[:2]]),
        lambda: np.cumsum(x),
        lambda: np.where(X > 0, x, 0.0),
    ][rng.integers(5)]()


def random_program(seed: int) -> Any:
    """A program of sums, products, and functions that move entries."""

    def program(x: Any) -> Any:
        rng = np.random.default_rng(seed)
        values = [x]
        for _ in range(10):
            a, b = (values[rng.integers(len(values))] for _ in range(2))
            steps = [
                lambda a=a, b=b: a + b,
                lambda a=a, b=b: a - b,
                lambda a=a, b=b: 0.5 * a * b,
                lambda a=a, b=b: -a + 2 * b,
                lambda a=a, b=b: a / 4 - np.sin(b),
                lambda a=a, b=b: a * X + b * b * b * 0.1,
                lambda a=a, b=b: moved(rng, a),
                lambda a=a, b=b: written(a, b),
            ]
            values.append(steps[rng.integers(len(steps))]())
        return sum(values[-3:])

    return program


def written(a: Any, b: Any) -> Any:
    """A copy into which is written, and something computed before that."""
    y = a + b
    before = y * 2.0
    y[1:3] = b[2:4]
    y *= 0.5
    return y - before


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed: int) -> None:
    program = random_program(seed)
    found = jacobian(program, sparse=True)(X).toarray()
    step = 1e-6
    columns = [
        (program(X + step * unit) - program(X - step * unit)) / (2 * step) for unit in np.eye(SIZE)
    ]
    np.testing.assert_allclose(found, jacobian(program)(X), rtol=1e-10, atol=1e-10)
    size = 1 + np.abs(found).max()
    np.testing.assert_allclose(found, np.stack(columns, -1), rtol=1e-5, atol=1e-5 * size)


def test_large_tangents_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "LARGE", 1000)
    level = level_of(3)
    assert type(level.handle(np.ones((3, 4)))) is not LaneSum
    assert type(level.handle(np.ones((3, 400)))) is LaneSum
    assert type(level.handle(np.ones((3, 400), np.float32))) is not LaneSum
    assert vmap(np.sin)(np.ones((3, 400))).shape == (3, 400)
