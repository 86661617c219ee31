"""Series of many examples at once."""

import numpy as np
import pytest
from numpy.polynomial import chebyshev, polynomial, polyutils

from chainrules_py import BatchingError, batched
from chainrules_tape import grad, jvp, vmap
from chainrules_tape.core.levels import call


def test_series_of_many_examples_are_as_long_as_the_longest():
    c1 = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    c2 = np.array([[1.0, 1.0, 1.0], [0.0, 0.0, -3.0]])
    y = batched(polynomial.polyadd, (True, True), c1, c2)
    np.testing.assert_array_equal(y, [[2.0, 3.0, 4.0], [1.0, 2.0, 0.0]])


def test_what_is_zero_in_all_lanes_is_dropped():
    c = np.array([[1.0, 2.0, 3.0], [1.0, 4.0, 3.0]])
    y = batched(polynomial.polysub, (True, False), c, np.array([0.0, 0.0, 3.0]))
    np.testing.assert_array_equal(y, [[1.0, 2.0], [1.0, 4.0]])


def test_roots_of_different_degrees_are_refused():
    c = np.array([[1.0, 2.0, 3.0], [1.0, 4.0, 0.0]])
    with pytest.raises(BatchingError, match="of one degree"):
        batched(polynomial.polyroots, (True,), c)


def test_gradients_of_many_series_are_those_of_each():
    def energy(c, x):
        square = call(chebyshev.chebmul, (c, c), {})
        return np.sum(call(chebyshev.chebval, (x, square), {}) ** 2)

    rng = np.random.default_rng(0)
    c, x = rng.standard_normal((5, 3)), rng.standard_normal(4)
    together = vmap(grad(energy), in_axes=(0, None))(c, x)
    np.testing.assert_allclose(together, [grad(energy)(each, x) for each in c], rtol=1e-12)


def test_each_example_is_trimmed_by_itself():
    c = np.array([[1.0, 0.3, 0.2], [1.0, 2.0, 0.1], [0.4, 0.1, 0.1]])
    kept = np.array([[1.0, 0.0], [1.0, 2.0], [0.0, 0.0]])

    def trimmed(c):
        return call(polyutils.trimcoef, (c,), {"tol": 0.5})

    np.testing.assert_array_equal(vmap(trimmed)(c), kept)
    gradients = vmap(grad(lambda c: np.sum(trimmed(c) ** 2)))(c)
    np.testing.assert_array_equal(gradients[:, :2], 2 * kept)
    np.testing.assert_array_equal(vmap(lambda c: jvp(trimmed, (c,), (c,))[1])(c), kept)


@pytest.mark.parametrize("of_roots", [polynomial.polyfromroots, chebyshev.chebfromroots])
def test_the_product_over_no_roots_is_one_in_each_lane(of_roots):
    y = batched(of_roots, (True,), np.ones((2, 0)))
    np.testing.assert_array_equal(y, [of_roots([])] * 2)


def test_several_polynomials_in_each_lane():
    """Highest degree first, NumPy reads them column by column."""
    rng = np.random.default_rng(0)
    x, p, of_all = rng.normal(size=2), rng.normal(size=(2, 3, 1)), rng.normal(size=(3, 3))
    values = vmap(np.polyval)(p, x)
    np.testing.assert_array_equal(values, [np.polyval(*each) for each in zip(p, x, strict=True)])
    sums = vmap(lambda c: np.polyadd(c, of_all))(p[..., 0])
    np.testing.assert_array_equal(sums, [np.polyadd(each, of_all) for each in p[..., 0]])
