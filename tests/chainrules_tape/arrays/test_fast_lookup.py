"""What the first call of a kind finds: here for operands that are no arrays, and that Python or
NumPy makes numbers of.
"""

from fractions import Fraction

import numpy as np
import pytest

from chainrules_py.errors import TangentTypeError
from chainrules_py.tangents import ZERO
from chainrules_tape import grad, hessian, jvp, vmap

THIRD = Fraction(1, 3)
CALLS = {
    "x ** p": (lambda x: x**THIRD, 8 ** (-2 / 3) / 3),
    "p ** x": (lambda x: THIRD**x, np.log(1 / 3) / 3**8),
    "x * p": (lambda x: x * THIRD, 1 / 3),
    "p / x": (lambda x: THIRD / x, -1 / 3 / 64),
    "p - x": (lambda x: THIRD - x, -1.0),
    "power(x, p)": (lambda x: np.power(x, THIRD), 8 ** (-2 / 3) / 3),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_fraction_is_a_number(name):
    f, expected = CALLS[name]
    assert grad(f)(8.0) == pytest.approx(expected, rel=1e-13)
    assert jvp(f, (8.0,), (1.0,))[1] == pytest.approx(expected, rel=1e-13)
    np.testing.assert_allclose(
        grad(lambda x: np.sum(f(x)))(np.array([8.0, 8.0])), [expected] * 2, rtol=1e-13
    )


def test_a_fraction_at_second_order():
    assert hessian(lambda x: x**THIRD)(8.0) == pytest.approx(-2 / 9 * 8 ** (-5 / 3))


def test_a_special_tangent_is_no_index():
    x = np.ones((2, 2))
    for run in (grad, vmap, lambda f: lambda x: jvp(f, (x,), (x,))):
        with pytest.raises(TangentTypeError):
            run(lambda x: x[ZERO])(x)
