"""Lists and tuples of plain numbers next to traced arrays: NumPy takes them for arrays."""

import numpy as np
import pytest

from chainrules_py import NoRuleError, primitive, rrule
from chainrules_tape import grad, jacobian

X = np.array([1.5, 2.5])
M = [[2.0, 1.0], [1.0, 3.0]]

CALLS = {
    "dot": lambda x: np.dot([1.0, 2.0], x),
    "dot, the other way round": lambda x: np.dot(x, M),
    "a tuple": lambda x: np.dot((1.0, 2.0), x),
    "outer": lambda x: np.outer([1, 2], x),
    "kron": lambda x: np.kron([1, 2], x),
    "cross": lambda x: np.cross([1.0, 2.0, 3.0], np.append(x, [1.0])),
    "einsum": lambda x: np.einsum("i,i", [1.0, 2.0], x),
    "tensordot": lambda x: np.tensordot(M, x, 1),
    "interp": lambda x: np.interp(x, [0.0, 2.0, 3.0], [1.0, 2.0, 5.0]),
    "convolve": lambda x: np.convolve(x, [1.0, 2.0]),
    "solve": lambda x: np.linalg.solve(M, x),
    "average": lambda x: np.average(x, weights=[1.0, 3.0]),
    "average over an axis": lambda x: np.average(np.outer(x, x), (0,), [1.0, 3.0]),
    "average over an axis, in tuples": lambda x: np.average(np.outer(x, x), (0,), (1.0, 3.0)),
    "average over axes, in tuples": lambda x: np.average(np.outer(x, x), (1, 0), ((1, 3), (2, 1))),
    "trapezoid": lambda x: np.trapezoid([1.0, 2.0], x),
    "polyfit": lambda x: np.polyfit([0.0, 1.0], x, 1),
    "insert": lambda x: np.insert(x, 1, [7.0]),
    "meshgrid": lambda x: np.meshgrid([1.0, 2.0], x)[1],
    "gradient": lambda x: np.gradient(x, [0.0, 2.0]),
    "cov": lambda x: np.cov(x, [1.0, 3.0]),
    "histogram": lambda x: np.histogram([0.5, 1.5], bins=[0, 1, 2], weights=x)[0],
    "quantile": lambda x: np.quantile(x, [0.3, 0.6]),
    "linspace": lambda x: np.linspace([0.0, 0.0], x, 3),
    "polymul": lambda x: np.polymul([1.0, 1.0], x),
    "differences behind a list": lambda x: np.diff(x**2, prepend=[1.0, 2.0, 4.0]),
    "differences in front of a list": lambda x: np.diff(x**2, append=[1.0, 2.0]),
    "differences between lists": lambda x: np.ediff1d(x**2, [1.0, 2.0], [3.0]),
    "choose": lambda x: np.choose([1, 0], [x, [3.0, 4.0]]),
    "select": lambda x: np.select([[True, False], [True, True]], [x, [3.0, 4.0]]),
    "select otherwise": lambda x: np.select([[False, True]], [x], [3.0, 4.0]),
    "multi_dot": lambda x: np.linalg.multi_dot([x, M, [3.0, 4.0]]),
    "multi_dot of two": lambda x: np.linalg.multi_dot([M, x]),
    "einsum with lists of axes": lambda x: np.einsum(x, [0], M, [0, 1]),
    "traced numbers in a list": lambda x: np.dot(x, [x[0], 2.0]),
    "traced arrays in a list": lambda x: np.dot(x, [x, X]),
    "traced numbers in a tuple": lambda x: np.inner((x[1], x[0]), x),
}


@pytest.mark.parametrize("f", CALLS.values(), ids=list(CALLS))
def test_lists_are_arrays(f):
    h = 1e-6
    expected = np.stack([(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(2)], axis=-1)
    for mode in ("forward", "reverse"):
        for _ in range(2):  # found, and remembered
            np.testing.assert_allclose(jacobian(f, mode=mode)(X), expected, atol=1e-7)


def test_second_order():
    hessian = jacobian(grad(lambda x: np.dot(x**2, [1.0, 2.0]) * np.sum(np.dot(M, x))))(X)
    h, f = 1e-4, lambda x: np.dot(x**2, [1.0, 2.0]) * np.sum(np.dot(M, x))
    steps = h * np.eye(2)
    expected = [
        [(f(X + a + b) - f(X + a - b) - f(X - a + b) + f(X - a - b)) / (4 * h * h) for b in steps]
        for a in steps
    ]
    np.testing.assert_allclose(hessian, expected, rtol=1e-6)


def test_a_list_that_is_written_to_afterwards():
    weights = [1.0, 2.0]

    def f(x):
        y = np.dot(weights, x) ** 2
        weights[0] = 100.0
        return y

    np.testing.assert_allclose(grad(f)(X), 2 * (X @ [1.0, 2.0]) * np.array([1.0, 2.0]))


def test_other_functions_get_their_lists_as_they_are():
    @primitive
    def product(x, factors):
        return x * factors[0]

    @rrule.register(product)
    def product_rrule(x: np.ndarray, factors: np.ndarray):
        raise AssertionError("no list is an array here")

    with pytest.raises(NoRuleError) as caught:
        grad(lambda x: np.sum(product(x, [2.0])))(X)
    assert caught.value.types == (np.ndarray, list)


def test_a_list_that_is_no_array():
    with pytest.raises(ValueError, match="inhomogeneous"):
        grad(lambda x: np.sum(np.dot(x, [[1.0], [1.0, 2.0]])))(X)
