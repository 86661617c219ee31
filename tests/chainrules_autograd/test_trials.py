"""Rules that call NumPy's own functions have float derivatives at every order: boxes turn into
objects there, unseen.
"""

import autograd.numpy as anp
import numpy as np
import pytest

from chainrules_autograd import to_autograd
from chainrules_py import Array, frule, primitive, rrule
from engines_by_name import ENGINES, SECOND

x = np.array([0.3, 0.7])

# Each is a function of the point and of a cotangent or tangent whose value is 1.
ONES = {
    "ones_like": lambda x, bar: np.ones_like(x),
    "zeros_like": lambda x, bar: 1 + np.zeros_like(x),
    "full_like": lambda x, bar: np.full_like(x, 1.0),
    "ones_like of the cotangent": lambda x, bar: np.ones_like(bar),
    "empty_like, filled": lambda x, bar: filled(np.empty_like(x)),
    "sum of ones_like": lambda x, bar: np.sum(np.ones_like(x) * x**2) / np.sum(x**2),
    "xp's own way": lambda x, bar: np.ones(x.shape),
}


def filled(array):
    array[...] = 1.0
    return array


def cube_with_rrule(one):
    @primitive
    def cube(x):
        return x**3

    @rrule.register(cube)
    def cube_rrule(x: Array):
        return x**3, lambda y_bar: (3 * y_bar * x**2 * one(x, y_bar),)

    return cube


def cube_with_frule(one):
    @primitive
    def cube(x):
        return x**3

    @frule.register(cube)
    def cube_frule(dots: tuple, x: Array):
        return x**3, 3 * x**2 * dots[0] * one(x, dots[0])

    return cube


@pytest.mark.parametrize("order", SECOND)
@pytest.mark.parametrize("written", [cube_with_rrule, cube_with_frule])
@pytest.mark.parametrize("one", ONES)
def test_second_derivatives_are_arrays_of_floats(one, written, order):
    cube = written(ONES[one])
    found = ENGINES["autograd"].tower(order, lambda x: anp.sum(cube(x)))(x)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, np.diag(6 * x), rtol=1e-12)


def test_a_rule_in_which_boxes_become_objects_is_opaque():
    assert "opaque in reverse" in to_autograd(cube_with_rrule(ONES["ones_like"])).explain(x)
    assert "traced in reverse" in to_autograd(cube_with_rrule(ONES["xp's own way"])).explain(x)
