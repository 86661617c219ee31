"""Recurrences against polynomials multiplied by NumPy: the equation that defines each function."""

from operator import mul

import numpy as np
import pytest

from chainrules_py.rulesets.formulas import recurrences
from chainrules_py.rulesets.formulas.recurrences import RECURRENCES
from chainrules_py.tangents import ZERO

ORDER = 9
RNG = np.random.default_rng(5)
A, B = RNG.uniform(0.5, 1.5, size=(2, ORDER + 1))
POWER = 2.5


def solved(primal, *operands):
    """The series of a function, coefficient by coefficient."""
    y = [primal(*[operand[0] for operand in operands])]
    recurrence = RECURRENCES[primal]
    given = [*operands, []] if recurrence.companion else operands
    for k in range(1, ORDER + 1):
        y.append(recurrence.coefficient(k, y, *given, times=mul))
    return np.array([0.0 if c is ZERO else c for c in y])


def product(*factors):
    """The product of series, by NumPy."""
    total = [1.0]
    for factor in factors:
        total = np.convolve(total, factor)[: ORDER + 1]
    return total


def slope(x):
    """The derivative by t, to one order less."""
    return np.arange(1, ORDER + 1) * x[1:]


def composed(derivatives, x):
    """The series of f(x), given the derivatives of f at x[0], which come again and again."""
    found, power, factorial = np.zeros(ORDER + 1), ONE, 1.0
    for k in range(ORDER + 1):
        found = found + derivatives[k % len(derivatives)] / factorial * power
        power, factorial = product(power, [0.0, *x[1:]]), factorial * (k + 1)
    return found


ONE = np.eye(ORDER + 1)[0]
SINE, COSINE, HYPERBOLIC = np.sin(A[0]), np.cos(A[0]), [np.sinh(A[0]), np.cosh(A[0])]
EQUATIONS = {
    np.add: (A, B, lambda y: (y, A + B)),
    np.subtract: (A, B, lambda y: (y, A - B)),
    np.negative: (A, lambda y: (y, -A)),
    np.multiply: (A, B, lambda y: (y, product(A, B))),
    np.square: (A, lambda y: (y, product(A, A))),
    np.divide: (A, B, lambda y: (product(y, B), A)),
    np.reciprocal: (A, lambda y: (product(y, A), ONE)),
    np.sqrt: (A, lambda y: (product(y, y), A)),
    np.exp: (A, lambda y: (slope(y), product(slope(A), y)[:ORDER])),
    np.sin: (A, lambda y: (y, composed([SINE, COSINE, -SINE, -COSINE], A))),
    np.cos: (A, lambda y: (y, composed([COSINE, -SINE, -COSINE, SINE], A))),
    np.sinh: (A, lambda y: (y, composed(HYPERBOLIC, A))),
    np.cosh: (A, lambda y: (y, composed(HYPERBOLIC[::-1], A))),
    np.tanh: (
        A,
        lambda y: (product(y, composed(HYPERBOLIC[::-1], A)), composed(HYPERBOLIC, A)),
    ),
    np.log: (A, lambda y: (product(A, slope(y))[:ORDER], slope(A))),
    np.power: (
        A,
        [POWER],
        lambda y: (product(A, slope(y))[:ORDER], POWER * product(y, slope(A))[:ORDER]),
    ),
}


@pytest.mark.parametrize("primal", RECURRENCES)
def test_the_equation_holds_for_the_series(primal):
    *operands, equation = EQUATIONS[primal]
    left, right = equation(solved(primal, *map(list, operands)))
    np.testing.assert_allclose(left, right, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("primal", RECURRENCES)
def test_missing_coefficients_are_zeros(primal):
    *operands, _ = EQUATIONS[primal]
    short = [list(operand[:2]) for operand in operands]
    missing = [[*operand[:2], *[ZERO] * (ORDER - 1)] for operand in operands]
    padded = [[*operand[:2], *[0.0] * (ORDER - 1)] for operand in operands]
    if primal is np.power:
        short[1] = missing[1] = padded[1] = [POWER]
    in_full = solved(primal, *padded)
    for given in (short, missing):
        np.testing.assert_allclose(solved(primal, *given), in_full, rtol=1e-13, atol=1e-16)


def test_where_they_hold():
    nowhere, somewhere = np.array([1.0, 2.0]), np.array([1.0, 0.0])
    assert RECURRENCES[np.divide].holds((somewhere, nowhere), (True, True))
    assert not RECURRENCES[np.divide].holds((nowhere, somewhere), (True, True))
    assert not RECURRENCES[np.log].holds((somewhere,), (True,))
    holds = RECURRENCES[np.power].holds
    assert holds((nowhere, 2.5), (True, False))
    assert holds((somewhere, 2), (True, False))
    assert not holds((nowhere, 2.5), (True, True))
    assert not holds((somewhere, 2.5), (True, False))
    assert not holds((nowhere, 3), (True, False))


@pytest.mark.parametrize("primal", [f for f in RECURRENCES if RECURRENCES[f].companion])
def test_a_coefficient_may_be_computed_again(primal):
    """As it is where zero has met infinity."""
    y, companion = [primal(A[0])], []
    for k in range(1, 4):
        found = [
            RECURRENCES[primal].coefficient(k, y, list(A), companion, times=mul) for _ in range(2)
        ]
        assert found[0] == found[1]
        assert len(companion) == k
        y.append(found[0])


def test_a_zero_counts():
    a, b = np.array([0.0, np.inf, 2.0, np.nan]), np.array([np.inf, 0.0, 3.0, 1.0])
    with np.errstate(invalid="raise"):
        np.testing.assert_array_equal(recurrences.strong_times(a, b), [0, 0, 6, np.nan])
