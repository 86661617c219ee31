"""Units in lanes: chunks within memory, the identity beside matrices, and functions that write into it."""

import numpy as np
import pytest

from benchmarks.measure import peak_bytes
from chainrules_py import Array, RuleTable, default_rules, primitive
from chainrules_tape import compiled, grad, hessian, jacobian

RNG = np.random.default_rng(5)
A = RNG.normal(size=(7, 40))
X = RNG.normal(size=40)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_a_compiled_jacobian_is_a_program_of_all_rows(mode):
    """It was one of as many sweeps as rows in reverse."""
    first, second = RNG.normal(size=(2, 40, 40)) / 6
    derivative = jacobian(lambda x: second @ np.tanh(first @ x), mode=mode)
    program = compiled(derivative)
    h = np.tanh(first @ X)
    np.testing.assert_allclose(program(X), second * (1 - h * h) @ first, rtol=1e-10)
    np.testing.assert_allclose(program(2 * X), derivative(2 * X), rtol=1e-10, atol=1e-14)
    text = program.source(X)
    assert text[text.index("def jacobian") : text.index("def example")].count(" = ") < 20
    assert text[text.index("errstate") : text.index("def example")].count(" @ ") == 1


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_the_limit_of_a_matrix_is_not_that_of_one_inside(mode):
    def f(x):
        return hessian(lambda y: np.sum(y**3 * x))(x) @ x

    x = np.array([0.5, 1.0, 2.0])
    found = jacobian(f, mode=mode, max_bytes=100)(x)
    np.testing.assert_allclose(found, np.diag(18 * x**2), rtol=1e-12)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_memory_stays_within_its_limit(mode):
    """The function has 100 values of 4,000 numbers, times 400 lanes: 1.3 GB, all of them together."""
    size, steps, limit = 400, 100, 2**24
    weights = RNG.normal(size=(size, 10))

    def f(x):
        y = (x[:, None] * weights).reshape(-1)
        for _ in range(steps):
            y = np.sin(y)
        return np.sum(y.reshape(size, 10), axis=1)

    x = RNG.normal(size=size)
    found = []
    used = peak_bytes(lambda: found.append(jacobian(f, mode=mode, max_bytes=limit)(x)))
    results = 2 * 2 * size * size * 8  # the matrix, and the chunks that it is made of; of two runs
    assert used < limit + results + steps * size * 10 * 8 * 3
    expected = [grad(lambda x, k=k: f(x)[k])(x) for k in (0, 399)]
    np.testing.assert_allclose(found[0][[0, 399]], expected, rtol=1e-12)


def test_running_out_of_memory_is_nothing_that_a_program_catches():
    def careful(x):
        try:
            return np.sin(np.outer(x, x)).sum(axis=0)
        except Exception:
            return np.zeros(40)

    expected = jacobian(careful, mode="forward")(X)
    assert np.count_nonzero(expected) > 1000
    found = jacobian(careful, mode="forward", max_bytes=30_000)(X)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("max_bytes", [3_000, 2**28])
def test_the_jacobian_of_a_matrix_product_is_an_array_of_its_own(mode, max_bytes):
    found = jacobian(lambda x: A @ x, mode=mode, max_bytes=max_bytes)(X)
    np.testing.assert_array_equal(found, A)
    assert not np.shares_memory(found, A)
    found = jacobian(lambda x: x + 1)(X)
    np.testing.assert_array_equal(found, np.eye(40))
    found[0, 0] = 2  # nobody else's


def doubled_first(write):
    """A function whose rules write into the tangents and cotangents that they are given."""
    table = RuleTable(parent=default_rules, name="rules that write")

    def function(x):
        return x * 3.0

    @table.rrule.register(function)
    def function_rrule(x: Array):
        return function(x), lambda y_bar: (3.0 * write(y_bar),)

    @table.frule.register(function)
    def function_frule(dots, x: Array):
        return function(x), 3.0 * write(dots[0])

    return primitive(function), table


def in_own_entries(t):
    t[0] = 2.0 * t[0]
    return t


def in_place(t):
    np.multiply(t, np.array([2.0, 1.0, 1.0]), out=t)
    return t


def into_a_copy(t):
    t = t.copy()
    t[0] += t[0]
    return t


def into_an_array_of_numpys(t):
    made = np.zeros(3)
    made[:] = t
    made[0] *= 2.0
    return made


def by_plain_numbers(t):
    return np.array([2.0 * float(t[0]), float(t[1]), float(t[2])])


def as_arrays(t):
    return np.frombuffer(np.asarray(t).tobytes()) * np.array([2.0, 1.0, 1.0])


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize(
    "write",
    [in_own_entries, in_place, into_a_copy, into_an_array_of_numpys, by_plain_numbers, as_arrays],
)
def test_rules_that_write_into_units(write, mode):
    function, table = doubled_first(write)
    found = jacobian(function, mode=mode, rules=table)(np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(found, np.diag([6.0, 3.0, 3.0]))
