"""Constants in small integers: derivatives are those of the same numbers as floats.

The value of a function is computed in double precision, but a rule that computes with the constants
themselves would meet NumPy's arithmetic of small integers: of 200 in uint8, the negative is 56, the
double is 144, and the logarithm has three digits.
"""

import numpy as np
import pytest
from scipy import linalg, special, stats

from chainrules_tape import grad, jvp
from chainrules_tape.core.levels import call
from product.judge import Case
from product.programs import Program
from product.ways import DERIVATIVES

X = np.array([0.7, 1.3])
CONSTANTS = np.array([200.0, 7.0])

FUNCTIONS = {
    "power": lambda x, n: n**x,
    "float_power": lambda x, n: np.float_power(n, x),
    "arctan2": lambda x, n: np.arctan2(n, x),
    "arctan2 of x": lambda x, n: np.arctan2(x, n),
    "hypot": lambda x, n: np.hypot(n, x),
    "logaddexp": lambda x, n: np.logaddexp(x, n),
    "interp": lambda x, n: np.interp(x, [0.0, 2.0], n),
    "interp at": lambda x, n: np.interp(50.0, n[::-1], x),
    "xlogy": lambda x, n: call(special.xlogy, (x, n), {}),
    "xlog1py": lambda x, n: call(special.xlog1py, (x, n), {}),
    "rel_entr": lambda x, n: call(special.rel_entr, (n, x), {}),
    "rel_entr of x": lambda x, n: call(special.rel_entr, (x, n), {}),
    "inv_boxcox": lambda x, n: call(special.inv_boxcox, (x, n), {}),
    "powm1": lambda x, n: call(special.powm1, (n, x), {}),
    "elliprd": lambda x, n: call(special.elliprd, (x, n, n), {}),
    "stdtr": lambda x, n: call(special.stdtr, (n, x), {}),
    "gammainc": lambda x, n: call(special.gammainc, (n, x), {}),
    "ive": lambda x, n: call(special.ive, (n, x), {}),
    "beta.mean": lambda x, n: call(stats.beta.mean, (n, x), {}),
    "gamma.logcdf": lambda x, n: call(stats.gamma.logcdf, (n, x, 0, 100.0), {}),
}


@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int16])
def test_derivatives_with_constants_of_small_integers(f, dtype):
    functions = [lambda x, n=n: f(x, n) for n in (CONSTANTS.astype(dtype), CONSTANTS)]
    case = Case(Program("small integers", *functions, (X,), frozenset()))
    assert np.all(np.isfinite(case.value))
    for way in ("grad", "forward", "hessian"):
        case.require(DERIVATIVES[way](case.line(functions[0])))


@pytest.mark.parametrize("p", [np.array([200, 7, 3], np.uint8), np.array([True, False, True])])
def test_the_value_of_a_polynomial_of_small_integers(p):
    plain = p.astype(float)
    np.testing.assert_array_equal(
        grad(lambda x: np.sum(np.polyval(p, x)))(X), np.polyval(np.polyder(plain), X)
    )
    np.testing.assert_array_equal(
        jvp(lambda x: np.polyval(p, x), (X,), (X,))[1], X * np.polyval(np.polyder(plain), X)
    )


def test_least_squares_with_a_matrix_of_integers_and_a_tolerance():
    a = np.array([[2, 1], [1, 3], [4, 4]])

    def solution(b):
        return np.sum(call(linalg.lstsq, (a, b), {"cond": 1e-9})[0])

    expected = np.sum(np.linalg.pinv(a), axis=0)
    np.testing.assert_allclose(grad(solution)(np.ones(3)), expected, rtol=1e-12)
