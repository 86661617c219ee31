"""Writes of patterns: views, sums and complex parts."""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import primitive, rrule
from chainrules_tape import jacobian, sparsity, vjp

X = np.arange(1.0, 7.0)


def views(x):
    y = tnp.zeros((3, 3))
    lower = y[1:]
    lower[:, 0] = x[:2]
    y[0] = lower[0] * x[5]
    y.T[2] = x[3]
    return y


def in_a_loop(x):
    """More rows are written than memory may keep."""
    y = tnp.zeros(6)
    for step in range(300):
        y[step % 6 :] = x[step % 6 :] + 0.5 * y[step % 6 :]
    return y


def parts(x):
    y = tnp.zeros(3, complex)
    y.real = x[:3]
    y.imag[1:] = x[4:]
    return np.abs(y) ** 2


def by_its_pullback(program):
    """The program as a primitive with a rule for reverse mode alone."""

    @primitive
    def called(x):
        return program(x)

    rrule.register(called)(lambda x: vjp(program, x))
    return called


@pytest.mark.parametrize("made", [lambda program: program, by_its_pullback])
@pytest.mark.parametrize("program", [views, in_a_loop, parts])
def test_what_is_written_is_found(program, made):
    found = sparsity(made(program), X)
    matrix = jacobian(program)(X).reshape(found.shape)
    assert not np.any((matrix != 0) & ~found.pattern.toarray())
    assert found.pattern.nnz <= 2 * np.count_nonzero(matrix)
    assert found.dense_because == ()


def test_what_is_overwritten_is_forgotten():
    def f(x):
        y = np.copy(x)
        y[1] = x[0]
        y[2] = 5.0
        return y

    expected = np.eye(6, dtype=bool)
    expected[1] = expected[0]
    expected[2] = False
    np.testing.assert_array_equal(sparsity(f, X).pattern.toarray(), expected)


def views_of_real(x, dtype):
    """Views of the memory, and more rows than half precision has integers for."""
    y = tnp.zeros((60, 50), dtype)
    y[1:] = x[50:].reshape(59, 50)
    y[0, ::-2] = y[3, :25] * x[:25]
    y.T[7] += y.T[8]
    np.put(y, [3, 1], x[2:4])
    return y


def views_of_complex(x, dtype):
    """Views of the memory, of both parts of its entries."""
    y = tnp.zeros((60, 50), dtype)
    flat = y.reshape(-1)
    flat.real[::2] = x[:1500]
    y.imag[1:, ::-1] = x[50:].reshape(59, 50)
    y.T[3] = x[0] * y.T[4]
    np.add.at(flat, [0, 0, 7], x[5:8])
    return np.abs(y) ** 2


@pytest.mark.parametrize(
    ("program", "dtype", "wide", "real"),
    [
        (views_of_real, np.float16, float, np.float16),
        (views_of_complex, np.complex64, complex, np.float32),
    ],
)
def test_rows_are_told_apart_in_any_precision(program, dtype, wide, real):
    """In double precision, whose integers are not rounded, the same rows are found."""
    x = np.linspace(0.5, 1.5, 3000).astype(real)
    found = sparsity(lambda x: program(x, dtype), x)
    assert found == sparsity(lambda x: program(x, wide), x.astype(float))
    matrix = jacobian(lambda x: program(x, dtype))(x).reshape(found.shape)
    assert found.pattern.toarray()[np.nonzero(matrix)].all()
