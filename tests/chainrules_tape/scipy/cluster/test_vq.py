"""Numbers of codes, columns that are constant, and what is refused; distances from codes are cells of
`product.sampling`.
"""

import numpy as np
import pytest
from scipy.cluster import vq

from chainrules_tape import grad, value_and_grad
from chainrules_tape.scipy.cluster import vq as ours

RNG = np.random.default_rng(0)
POINTS, CODES = RNG.normal(size=(6, 3)), RNG.normal(size=(2, 3))


def test_the_numbers_of_codes_and_columns_that_are_constant():
    codes = value_and_grad(
        lambda x: (ours.vq(x, CODES)[1].sum(), ours.vq(x, CODES)[0]), has_aux=True
    )
    np.testing.assert_array_equal(codes(POINTS)[0][1], vq.vq(POINTS, CODES)[0])
    same = np.array([[1.0, 2.0], [1.0, 4.0]])
    with pytest.warns(RuntimeWarning, match="standard deviation zero"):
        found = grad(lambda x: ours.whiten(x)[0, 0])(same)
    np.testing.assert_array_equal(found, [[1.0, 0.0], [0.0, 0.0]])


def test_what_scipy_refuses_is_refused():
    with pytest.raises(ValueError, match="same number of features"):
        grad(lambda x: np.sum(ours.vq(x, CODES[:, :2])[1]))(POINTS)
