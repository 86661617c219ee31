"""`piecewise` and `apply_along_axis` of plain arrays, with functions that read traced values."""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import LostGradientError, compiled, grad, hessian, jacobian, seen_through, vmap

T = np.linspace(0.0, 5.0, 7)
X = np.arange(12.0).reshape(2, 3, 2)
P = np.array([1.7, 0.4, -0.3])


def by_cases(p, numpy=tnp):
    before, after = lambda t: p[1] * t**2, lambda t: p[2] * np.sin(p[1] * t)
    return numpy.piecewise(T, [T < p[0], T > 4, T > 9], [before, after, after, p[2]])


def of_one_number(p, numpy=tnp):
    return numpy.piecewise(1.5, [1.5 > p[0], 1.5 > 1], [0.0, lambda t: p[1] * t])


def of_lines(p, numpy=tnp):
    return numpy.apply_along_axis(lambda row: row[:2] * p[1] + p[2], 1, X)


def of_lists(p, numpy=tnp):
    return numpy.apply_along_axis(lambda row: [row.sum() * p[1], p[2] ** 2], -1, X)


def with_other_arguments(p, numpy=tnp):
    lines = numpy.apply_along_axis(lambda row, p: row @ p[:2], 2, X, p)
    return numpy.piecewise(lines, [lines > 3], [lambda y, p: y * p, p[1]], p[0])


def by_differences(function, p, step=1e-6):
    moved = [(function(p + d, np) - function(p - d, np)) / (2 * step) for d in step * np.eye(3)]
    return np.stack(moved, axis=-1)


@pytest.mark.parametrize(
    "function", [by_cases, of_one_number, of_lines, of_lists, with_other_arguments]
)
def test_derivatives(function):
    expected = by_differences(function, P)
    for mode in ("forward", "reverse"):
        found = jacobian(function, mode=mode)(P)
        assert np.allclose(found, expected, rtol=1e-7, atol=1e-9)
    slope = grad(lambda p: np.sum(function(p) ** 2))
    by_rows = [(slope(P + d) - slope(P - d)) / 2e-6 for d in 1e-6 * np.eye(3)]
    assert np.allclose(hessian(lambda p: np.sum(function(p) ** 2))(P), by_rows, atol=1e-6)


@pytest.mark.parametrize("function", [of_lines, of_lists])
def test_examples(function):
    found = vmap(function)(np.stack([P, 2 * P]))
    assert np.allclose(found, np.stack([function(P, np), function(2 * P, np)]))


def as_in_a_file(p):
    m = np.piecewise(T, [T < p[0]], [lambda t: p[1] * t + p[2], lambda t: p[2] * t])
    return m.sum() + np.apply_along_axis(lambda row: row @ p[:2], 2, X).sum()


def test_in_the_scope_of_the_file():
    expected = [(as_in_a_file(P + d) - as_in_a_file(P - d)) / 2e-6 for d in 1e-6 * np.eye(3)]
    in_scope = compiled(grad(seen_through(as_in_a_file)))
    for _ in range(3):
        assert np.allclose(in_scope(P), expected)


def test_what_is_constant_is_numpys():
    found = []

    def called(x):
        counts, steps = np.arange(4), [lambda t: t * 2.5, 1]
        found.append(
            (tnp.piecewise(counts, [counts > 1], steps), np.piecewise(counts, [counts > 1], steps))
        )

        def first(row):
            return row[0] if row[0] < 1 else row[0] + 0.5

        table = counts.reshape(2, 2)
        found.append((tnp.apply_along_axis(first, 0, table), np.apply_along_axis(first, 0, table)))
        return x * x

    grad(called)(1.0)
    for ours, theirs in found:
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("function", [by_cases, of_lines])
def test_numpys_own_is_refused_with_ours(function):
    with pytest.raises(LostGradientError, match=r"write chainrules_tape\.numpy\..*its other"):
        grad(lambda p: np.sum(function(p, np)))(P)
