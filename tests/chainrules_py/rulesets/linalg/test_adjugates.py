"""The adjugate and its derivatives against exact rational arithmetic, at matrices of every rank."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from chainrules_py import frule
from chainrules_py.rulesets.linalg.adjugates import adjugate, products_without
from chainrules_tape import grad, jvp


def exactly(a):
    return [[Fraction(float(entry)) for entry in row] for row in a]


def exact_det(rows):
    """By elimination."""
    det, rows = Fraction(1), [list(row) for row in rows]
    while rows:
        pivot = next((row for row in rows if row[0]), None)
        if pivot is None:
            return Fraction(0)
        det *= pivot[0] * (-1) ** rows.index(pivot)
        rows.remove(pivot)
        rows = [
            [x - row[0] / pivot[0] * p for x, p in zip(row[1:], pivot[1:], strict=True)]
            for row in rows
        ]
    return det


def exact_derivative(a, directions):
    """Of det along directions of rank one, in each of which it is linear: differences are
    derivatives.
    """
    total = Fraction(0)
    for chosen in itertools.product((0, 1), repeat=len(directions)):
        moved = exactly(a)
        for some, direction in zip(chosen, map(exactly, directions), strict=True):
            moved = [
                [x + some * e for x, e in zip(*rows, strict=True)]
                for rows in zip(moved, direction, strict=True)
            ]
        total += (-1) ** (len(directions) - sum(chosen)) * exact_det(moved)
    return float(total)


def problem(n, rank, seed=0):
    """A matrix that has this rank but for rounding, three directions, and what is roundoff in
    derivatives of each order.

    The k-th one is of the size of the n - k largest singular values; where not all of these are
    above roundoff, it is roundoff.
    """
    rng = np.random.default_rng((n, rank, seed))
    a = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, n))
    directions = [np.outer(*rng.integers(-8, 8, size=(2, n)) / 4.0) for _ in range(3)]
    s = np.linalg.svd(a)[1]
    s = np.maximum(s, 1e-14 * s[0])
    sizes = [
        np.prod(s[: max(n - k, 0)]) * np.prod([np.linalg.norm(e) for e in directions[:k]])
        for k in (1, 2, 3)
    ]
    return (
        a,
        directions,
        [size * (1e-13 if n - k <= rank else 1) for k, size in enumerate(sizes, 1)],
    )


RANKS = [
    (n, rank) for n in (2, 3, 4, 6, 8, 12) for rank in sorted({0, max(n - 3, 0), n - 2, n - 1, n})
]


@pytest.mark.parametrize(("n", "rank"), RANKS)
def test_three_derivatives_of_det(n, rank):
    a, (e, f, g), roundoffs = problem(n, rank)

    def first(x):
        return np.sum(grad(np.linalg.det)(x) * e)

    def second(x):
        return jvp(first, (x,), (f,))[1]

    found = first(a), second(a), jvp(second, (a,), (g,))[1]
    for order, (value, roundoff) in enumerate(zip(found, roundoffs, strict=True), 1):
        np.testing.assert_allclose(
            value, exact_derivative(a, (e, f, g)[:order]), rtol=0, atol=roundoff
        )


@pytest.mark.parametrize(("n", "rank"), RANKS)
def test_directions(n, rank):
    a, (e, f, g), roundoffs = problem(n, rank, seed=1)
    for directions, roundoff in zip(((e,), (e, f), (e, f, g)), roundoffs, strict=True):
        found = np.trace(e @ adjugate(a, *directions[1:]))
        np.testing.assert_allclose(found, exact_derivative(a, directions), rtol=0, atol=roundoff)


def cofactors(a):
    """By definition: signed minors."""
    n = len(a)
    minors = [
        [np.linalg.det(np.delete(np.delete(a, i, 0), j, 1)) for j in range(n)] for i in range(n)
    ]
    return np.array(minors) * (-1.0) ** np.add.outer(np.arange(n), np.arange(n))


@pytest.mark.parametrize("rank", [0, 1, 2, 3])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_adjugate(rank, dtype):
    rng = np.random.default_rng(rank)
    diagonal = np.diag([1.0, 2.5, 4.0][:rank] + [0.0] * (3 - rank)).astype(dtype)
    q = np.linalg.qr(
        rng.normal(size=(3, 3)) + (1j * rng.normal(size=(3, 3)) if dtype == "complex128" else 0)
    )[0]
    a = q @ diagonal @ q.T
    np.testing.assert_allclose(adjugate(a), cofactors(a).T, atol=1e-12)
    a_dot = rng.normal(size=(3, 3)).astype(dtype)
    h = 1e-5
    difference = (cofactors(a + h * a_dot) - cofactors(a - h * a_dot)).T / (2 * h)
    np.testing.assert_allclose(frule((a_dot,), adjugate, a)[1], difference, atol=1e-8)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_products_without_some(count):
    s = np.array([[5.0, 3.0, 2.0, 0.0], [7.0, 1.0, 0.5, 0.1]])
    found = products_without(s, count, np)
    for index in np.ndindex((4,) * count):
        expected = np.delete(s, index, axis=1).prod(axis=1) if len(set(index)) == count else 0
        np.testing.assert_allclose(found[:, *index], expected, rtol=1e-14)
