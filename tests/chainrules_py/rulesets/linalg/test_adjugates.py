"""The adjugate and its derivatives against exact rational arithmetic, at matrices of every rank."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

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
