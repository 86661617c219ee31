"""Functions of `scipy.ndimage` on traced values."""

import numpy as np

from chainrules_tape import grad
from chainrules_tape.scipy import ndimage as traced

IMAGE = np.random.default_rng(0).normal(size=(4, 5))


def test_coordinates_in_a_list_of_traced_arrays():
    rows, columns = np.array([0.3, 1.7]), np.array([2.2, 0.6])
    found = grad(
        lambda r, c: np.sum(traced.map_coordinates(IMAGE, [r, c], order=1)), argnums=(0, 1)
    )(rows, columns)
    expected = grad(lambda p: np.sum(traced.map_coordinates(IMAGE, p, order=1)))(
        np.stack([rows, columns])
    )
    assert np.allclose(found, expected)
