"""Distances from codes: SciPy's values, and derivatives as differences have them."""

import numpy as np
import pytest
from scipy.cluster import vq

from chainrules_tape import grad, value_and_grad, vmap
from chainrules_tape.scipy.cluster import vq as ours

RNG = np.random.default_rng(0)
POINTS, CODES, WEIGHTS = RNG.normal(size=(6, 3)), RNG.normal(size=(2, 3)), np.arange(1.0, 7.0)
FUNCTIONS = {
    "observations": (lambda m, x: np.sum(WEIGHTS * m.vq(x, CODES)[1]), POINTS),
    "codes": (lambda m, x: np.sum(WEIGHTS * m.vq(POINTS, x)[1]), CODES),
    "numbers": (lambda m, x: np.sum(WEIGHTS * m.vq(x, CODES[0])[1]), POINTS[:, 0]),
    "whitened": (lambda m, x: np.sum(WEIGHTS[:, None] * m.whiten(x) ** 2), POINTS),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_beside_differences(name):
    f, x = FUNCTIONS[name]
    value, found = value_and_grad(lambda x: f(ours, x))(x)
    assert value == pytest.approx(f(vq, x), rel=1e-14)
    steps = 1e-6 * np.eye(x.size).reshape(-1, *x.shape)
    slopes = [(f(vq, x + step) - f(vq, x - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(found.reshape(-1), slopes, rtol=1e-6, atol=1e-7)

    gradient = grad(lambda x: f(ours, x))
    xs = np.stack([x, 1.5 * x[::-1]])
    np.testing.assert_allclose(vmap(gradient)(xs), [gradient(x) for x in xs], rtol=1e-13)


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
