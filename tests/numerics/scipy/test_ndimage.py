"""scipy.ndimage: axes in any order, by several values or by one; what is refused."""

import numpy as np
from scipy import ndimage

import chainrules_tape.scipy
from chainrules_py import rrule
from chainrules_tape import vmap


def test_axes_in_another_order_with_one_value_for_all():
    image = np.random.default_rng(0).normal(size=(4, 5))
    one, other = (
        rrule(ndimage.median_filter, image, size=3, axes=axes)[1](image)
        for axes in ((0, 1), (1, 0))
    )
    np.testing.assert_array_equal(one, other)


def test_lanes_of_a_filter_with_axes_in_another_order():
    images = np.random.default_rng(0).normal(size=(3, 4, 5))
    options = {"sigma": (0.5, 0.9), "axes": (1, 0)}
    ours = chainrules_tape.scipy.ndimage.gaussian_laplace
    together = vmap(lambda image: ours(image, **options))(images)
    one_by_one = [ndimage.gaussian_laplace(image, **options) for image in images]
    np.testing.assert_allclose(together, one_by_one, atol=1e-12)
