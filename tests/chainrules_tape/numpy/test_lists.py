"""Lists of traced values in the place of arrays: classes, dtypes and errors; derivatives are cells of
`product.converting`.
"""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import NoRuleError, primitive, rrule
from chainrules_tape import LostGradientError, grad, hvp, vjp

X = np.array([0.5, -1.5, 2.0])


def test_a_comparison_of_lists_is_one_of_their_values():
    # NumPy's array_equal catches the error of a conversion, and says no.
    assert grad(lambda x: x * tnp.array_equal([x, 1.0], [3.0, 1.0]))(3.0) == 1.0


def test_what_is_refused():
    with pytest.raises(LostGradientError) as caught:
        grad(lambda x: np.mean([x, 2.0 * x]))(1.0)
    assert "chainrules_tape.numpy" in caught.value.instead
    with pytest.raises(ValueError, match="infs or NaNs"), np.errstate(divide="ignore"):
        grad(lambda x: tnp.asarray_chkfinite(x / 0.0).sum())(X)
    with pytest.raises(ValueError, match="inhomogeneous"):
        grad(lambda x: np.sum(np.dot(x, [[1.0], [1.0, 2.0]])))(X[:2])


def test_plain_calls_are_numpys():
    assert tnp.sum([1, 2]).dtype == np.sum([1, 2]).dtype
    np.testing.assert_array_equal(tnp.apply_along_axis(sum, 0, [[1, 2], [3, 4]]), [4, 6])
    np.testing.assert_array_equal(tnp.vstack(k * X for k in range(3)), np.outer(range(3), X))
    assert "RClass" in repr(tnp.r_)
    assert "CClass" in repr(tnp.c_)
    with pytest.raises(TypeError):
        tnp.concatenate()


NUMBERS = {
    "an integer": lambda np, x: np.r_[x, 1],
    "a float": lambda np, x: np.c_[x[0], 0.5],
    "a complex number": lambda np, x: np.r_[x, 1j],
    "an integer of NumPy's": lambda np, x: np.r_[x, np.array([1, 2])],
}


@pytest.mark.parametrize("name", NUMBERS)
def test_dtypes_are_numpys(name):
    x = X.astype(np.float32)
    found = vjp(lambda x: NUMBERS[name](tnp, x), x)[0]
    assert found.dtype == NUMBERS[name](np, x).dtype


def test_a_list_that_is_sorted_by_several_keys():
    for keys in (lambda x: [[x[0], 1.0, x[0]], x], lambda x: (np.arange(3.0), x)):
        order = np.lexsort(keys(X))
        found = hvp(lambda x, keys=keys: (x * x)[tnp.lexsort(keys(x))][0], X, np.ones(3))
        assert np.flatnonzero(found) == order[0]


def test_other_functions_get_their_lists_as_they_are():
    @primitive
    def product(x, factors):
        return x * factors[0]

    @rrule.register(product)
    def product_rrule(x: np.ndarray, factors: np.ndarray): ...

    with pytest.raises(NoRuleError) as caught:
        grad(lambda x: np.sum(product(x, [2.0])))(X)
    assert caught.value.types == (np.ndarray, list)
