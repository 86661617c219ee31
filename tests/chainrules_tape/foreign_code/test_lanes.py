"""Numbers in lanes in seen code: Python's functions of numbers, in each lane."""

import math

import numpy as np
import pytest

from chainrules_py.errors import BatchingError
from chainrules_tape import grad, vmap
from chainrules_tape.foreign_code.conversions import as_float, as_int
from chainrules_tape.foreign_code.lanes import check_each, without_derivative
from chainrules_tape.foreign_code.math_functions import module_of_numbers

OURS = module_of_numbers(math)
X = np.array([[0.5, 1.5], [2.5, 0.25], [1.0, 3.0]])


def program(m, x):
    return m.sin(x[0]) * m.sqrt(x[1]) + m.log(x[0], 2.0) + m.hypot(x[0], x[1])


def test_functions_of_numbers():
    def ours(x):
        return program(OURS, x)

    np.testing.assert_allclose(vmap(ours)(X), [program(math, x.tolist()) for x in X], rtol=1e-14)
    expected = [grad(ours)(x) for x in X]
    np.testing.assert_allclose(vmap(grad(ours))(X), expected, rtol=1e-14)
    outside = grad(lambda X: np.sum(vmap(ours)(X)))(X)
    np.testing.assert_allclose(outside, expected, rtol=1e-14)


def test_conversions_keep_lanes():
    np.testing.assert_array_equal(vmap(lambda x: as_float(x[0]) * x)(X), X[:, :1] * X)


def test_what_one_lane_refuses_raises():
    with pytest.raises(ValueError, match="math domain error"):
        vmap(lambda x: OURS.sqrt(x[0] - 1.0))(X)


@pytest.mark.parametrize(
    "asked", [lambda x: OURS.isnan(x[0]), lambda x: as_int(x[0]), lambda x: OURS.floor(x[0])]
)
@pytest.mark.parametrize("of", [vmap, lambda f: vmap(grad(f))])
def test_plain_answers_are_refused(asked, of):
    with pytest.raises(BatchingError, match="differs from lane to lane"):
        of(lambda x: asked(x) * x[0])(X)


def test_values_without_derivative_keep_lanes():
    def constant(x):
        y = without_derivative(x)
        assert y.shape == x.shape
        return np.sum(x * y)

    np.testing.assert_array_equal(vmap(grad(constant))(X), X)


def test_checks_of_plain_numbers():
    with pytest.raises(ValueError, match="domain"):
        check_each(math.sqrt, -1.0)
    check_each(math.sqrt, 1.0)
